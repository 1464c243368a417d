//! Approvals: shown in full, asked once, reduced to one card afterwards.

use super::part::{Part, button, css};
use super::tasks::{approval, row, step};
use super::visitor::Visitor;

/// The warning for 0.62, which executes edits and reads before they are answered.
const CAUTION: &str = "OpenHands already did this. Approving repeats it; rejecting won't undo it.";

/// The pending actions of the scenario `confirm`: title of the card, what it must contain, heading of the step, and
/// whether the backend holds the action back.
const ASKED: [(&str, &str, &str, bool); 5] = [
    (
        "Run this command?",
        "echo \"confirm me\"",
        "echo \"confirm me\"",
        true,
    ),
    ("Run this code?", "print(6 * 7)", "print(6 * 7)", true),
    (
        "Allow this edit?",
        "should this exist yet?",
        "/workspace/confirm.txt",
        false,
    ),
    (
        "Allow read access?",
        "/workspace/confirm.txt",
        "/workspace/confirm.txt",
        false,
    ),
    (
        "Allow this browser action?",
        "http://127.0.0.1:8000/",
        "http://127.0.0.1:8000/",
        true,
    ),
];

/// Waits for the card of an action, and checks it.
async fn is_asked(visitor: &mut Visitor, (title, whole, _, is_held): (&str, &str, &str, bool)) {
    visitor.see(approval(title).containing(whole)).await;
    let card = visitor.text(approval(title));
    assert!(
        visitor.text(css(".approval__what")).contains(whole),
        "{card}"
    );
    assert!(card.contains("Risk not rated"), "{card}");
    assert_eq!(card.contains(CAUTION), !is_held, "{card}");
}

fn state(visitor: &Visitor, step: Part) -> String {
    visitor
        .attribute(step, "data-state")
        .expect("steps have a state")
}

#[tokio::test]
async fn every_kind_of_action_can_be_approved_and_is_one_card_afterwards() {
    let (mut visitor, _) = Visitor::saying("Ask me [[scenario:confirm]]").await;
    for asked in ASKED {
        is_asked(&mut visitor, asked).await;
        visitor.approve(asked.0).await;
    }
    visitor.see_status("finished").await;
    visitor.see(row("You approved:")).await;
    assert_eq!(visitor.count(row("You approved:")), 1);
    for (.., subject, _) in ASKED {
        let times = ASKED.iter().filter(|other| other.2 == subject).count();
        assert_eq!(visitor.count(step(subject)), times, "{subject}");
        assert_eq!(state(&visitor, step(subject).first()), "done", "{subject}");
    }
}

#[tokio::test]
async fn every_kind_of_action_can_be_rejected_and_is_one_card_afterwards() {
    let (mut visitor, _) = Visitor::saying("Ask me [[scenario:confirm]]").await;
    for asked in ASKED {
        is_asked(&mut visitor, asked).await;
        let reason = format!("No: {}", asked.1);
        visitor.reject_with(asked.0, &reason).await;
        visitor.see(row(&reason)).await;
    }
    visitor.see_status("finished").await;
    visitor
        .see(row("You rejected, so it did not happen:"))
        .await;
    assert_eq!(visitor.count(row("You rejected, so it did not happen:")), 1);
    assert_eq!(visitor.count(step("echo \"confirm me\"")), 1);
    assert_eq!(state(&visitor, step("echo \"confirm me\"")), "rejected");
}

#[tokio::test]
async fn the_audit_log_leads_to_the_action_that_was_rejected() {
    let (mut visitor, id) = Visitor::saying("Ask me [[scenario:confirm]]").await;
    visitor
        .reject_with("echo \"confirm me\"", "Not today")
        .await;
    visitor.open("/audit").await;
    // A press that came too soon is another entry, which leads nowhere.
    visitor.unfold(css("tbody tr").containing("Done").summary("Reject"));
    visitor.shows(css("tbody tr").containing("with a message"));
    visitor
        .follow(css("tbody tr").link("Show the action"))
        .await;
    assert!(visitor.path().starts_with(&format!("/c/{id}?before=")));
    visitor.shows(step("echo \"confirm me\""));
}

#[tokio::test]
async fn without_a_reason_a_rejection_waits_for_the_next_message() {
    let (mut visitor, _) = Visitor::saying("Ask me [[scenario:confirm]]").await;
    visitor.reject("echo \"confirm me\"").await;
    visitor.see_status("idle").await;
    visitor.say("Go on").await;
    visitor.see(approval("print(6 * 7)")).await;
}

#[tokio::test]
async fn only_risky_actions_wait_for_approval_and_the_card_shows_the_risk() {
    let (mut visitor, _) = Visitor::saying("Show the risks [[scenario:risk]]").await;
    visitor.see(approval("echo HIGH risk")).await;
    assert_eq!(
        visitor.attribute(css(".approval"), "data-risk").as_deref(),
        Some("high")
    );
    assert!(visitor.text(css(".approval")).contains("High risk"));
    assert_eq!(state(&visitor, step("echo low risk")), "done");
    assert!(
        visitor
            .text(step("echo medium risk"))
            .contains("Medium risk")
    );
    visitor.approve("echo HIGH risk").await;
    visitor.see(approval("risky.txt").containing(CAUTION)).await;
}

#[tokio::test]
async fn a_message_while_an_approval_is_pending_rejects_it_with_the_message_as_the_reason() {
    let (mut visitor, _) = Visitor::saying("Ask me [[scenario:confirm]]").await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor.shows(button("Reject with reason"));
    visitor.shows(css(
        "textarea[placeholder=\"Tell the agent what to do instead\"]",
    ));
    visitor.say("Rather not, go on without it").await;
    visitor.see(approval("print(6 * 7)")).await;
    assert_eq!(state(&visitor, step("echo \"confirm me\"")), "rejected");
    // The text appears once, although a rejection also carries it as its reason where the backend supports that.
    let said = css(".timeline .row--human").containing("Rather not, go on without it");
    assert_eq!(visitor.count(said), 1);
}

#[tokio::test]
async fn hidden_characters_in_a_command_are_shown() {
    let (mut visitor, _) = Visitor::saying("Try to trick me [[scenario:hostile]]").await;
    let card = approval("attacker.invalid");
    visitor.see(&card).await;
    visitor.shows(
        card.clone()
            .containing("Contains hidden or look-alike characters (highlighted below)"),
    );
    assert!(visitor.count(card.clone().css(".hidden-char")) >= 5);
    visitor.shows(card.containing("High risk"));
}

#[tokio::test]
async fn the_inbox_begins_with_what_is_rated_high_and_then_with_what_waits_longest() {
    let (mut visitor, _) = Visitor::saying("Be careful [[scenario:careful]]").await;
    visitor.see(approval("ls")).await;
    for (scenario, asked) in [
        ("confirm", "echo \"confirm me\""),
        ("risk", "echo HIGH risk"),
    ] {
        visitor
            .create_conversation(&format!("Ask me [[scenario:{scenario}]]"))
            .await;
        visitor.see(approval(asked)).await;
    }
    visitor.open("/inbox").await;
    visitor.shows("High risk first, then longest waiting");
    let risks = ["High risk", "Risk not rated", "Risk not rated"];
    assert_eq!(visitor.texts(css(".inbox-page__entry .risk")), risks);
    assert_eq!(visitor.texts(css(".inbox .approval__head .risk")), risks);
    for (place, asked) in ["echo HIGH risk", "ls", "echo \"confirm me\""]
        .into_iter()
        .enumerate()
    {
        let what = visitor.text(css(".inbox .approval__what").at(place));
        assert!(what.contains(asked), "{what}");
    }
}

#[tokio::test]
async fn in_the_inbox_one_action_is_approved_and_another_rejected_with_a_reason() {
    let (mut visitor, careful) = Visitor::saying("Be careful [[scenario:careful]]").await;
    visitor.see(css(".approval")).await;
    visitor
        .create_conversation("Ask me [[scenario:confirm]]")
        .await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor.open("/inbox").await;
    let item = |about: &str| css(".inbox__item").containing(about);
    let lists = css(".inbox__item").with(css(".approval__what").containing("ls"));
    let asks = item("echo \"confirm me\"");
    visitor.shows(&asks);
    visitor.shows(&lists);
    visitor.press(asks.clone().button("Approve")).await;
    visitor.see(item("print(6 * 7)")).await;
    visitor.lacks(&asks);

    visitor.fill(
        lists.clone().field("Reason for rejecting (optional)"),
        "Look elsewhere",
    );
    visitor.press(lists.clone().button("Reject")).await;
    visitor.gone(&lists).await;

    // The answers reached their conversations.
    visitor.open(&format!("/c/{careful}")).await;
    visitor.see(row("Look elsewhere")).await;
    assert_eq!(state(&visitor, step("ls")), "rejected");
}
