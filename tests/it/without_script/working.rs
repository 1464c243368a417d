//! The main job: a person follows an agent, reads its work, answers, pauses and stops it.

use super::handrail::Handrail;
use super::part::{button, css};
use super::tasks::{approval, delivered, row, step};
use super::visitor::Visitor;

#[tokio::test]
async fn a_person_follows_an_agent_inspects_its_work_answers_it_and_stops_it() {
    let (mut visitor, _) = Visitor::saying("Please repair this small project").await;
    visitor.see(approval("rm -rf build")).await;
    visitor.shows(css(".approval").containing("High risk"));
    visitor.shows(step("ls -la && git log --oneline").containing("README.md"));
    let change = row("raise ValueError").css(".block-diff").first();
    visitor.shows(
        change
            .clone()
            .css(".line--removed")
            .containing("len(values) - 1"),
    );
    visitor.shows(
        change
            .css(".line--added")
            .first()
            .containing("if not values"),
    );

    visitor.panel("Files").await;
    visitor.follow(css(".panel").link("tally.py")).await;
    visitor
        .see(css(".panel .line").containing("the mean of nothing"))
        .await;
    visitor.shows(css(".panel #L1"));
    visitor.panel("Terminal").await;
    visitor.shows(css(".panel .console__command").saying("python -m pytest -q"));
    visitor.shows(css(".panel").containing("2 passed in 0.02s"));
    visitor.panel("Browser").await;
    assert_eq!(visitor.count(css(".filmstrip__frame")), 2);
    visitor.follow(css(".filmstrip__frame").first()).await;
    let current = visitor.attribute(css(".filmstrip__frame").first(), "aria-current");
    assert_eq!(current.as_deref(), Some("true"));
    visitor.shows(css(".panel .block-image img"));
    visitor.panel("Tasks").await;
    assert_eq!(visitor.count(css(".task[data-status=done]")), 2);
    visitor.shows(css(".task[data-status=in_progress]").containing("Check and clean up"));
    visitor.panel("Timeline").await;

    visitor.approve("rm -rf build").await;
    visitor.see(row("Anything else, or shall I finish?")).await;
    visitor.see_turn().await;
    visitor
        .say("Ask me about everything [[scenario:confirm]]")
        .await;
    visitor.approve("echo \"confirm me\"").await;
    visitor.reject_with("print(6 * 7)", "No sums today").await;
    visitor.see(approval("confirm.txt")).await;
    visitor.see(row("No sums today")).await;
    for (subject, state) in [
        ("print(6 * 7)", "rejected"),
        ("echo \"confirm me\"", "done"),
    ] {
        let found = visitor.attribute(step(subject), "data-state");
        assert_eq!(found.as_deref(), Some(state), "{subject}");
    }

    visitor.press("Stop").await;
    visitor.see_status("stopped").await;
    visitor.lacks(css(".approval"));
}

#[tokio::test]
async fn an_agent_is_answered_and_stopped() {
    let (mut visitor, _) = Visitor::saying("Ask me [[scenario:confirm]]").await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor.press("Approve").await;
    visitor.see(approval("print(6 * 7)")).await;
    visitor.fill("Message", "No sums");
    // The server takes it a moment after it sent the page.
    visitor.arm().await;
    visitor.press("Reject with reason").await;
    visitor.see(row("No sums")).await;
    visitor.see(approval("confirm.txt")).await;
    visitor.press("Stop").await;
    visitor.gone(css(".approval")).await;
}

/// The number of the newest step of the scenario `long` on the page.
fn newest_step(visitor: &Visitor) -> u32 {
    let subjects = visitor.texts(css(".timeline .step__subject"));
    let numbers = subjects
        .iter()
        .filter_map(|subject| subject.strip_prefix("echo step "));
    let numbers = numbers.map(|number| number.parse::<u32>().expect("it is a number"));
    numbers.max().unwrap_or(0)
}

#[tokio::test]
async fn an_agent_is_paused_resumed_and_stopped() {
    // The agent must still be at work when the last control is reached.
    let handrail = Handrail::start_with(&["--rehearsal", "0.x", "--rehearsal-pace", "40"]).await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Take your time [[scenario:long:5000]]")
        .await;
    visitor
        .reload_until("the agent works", |visitor| newest_step(visitor) > 0)
        .await;
    visitor.see(button("Pause")).await;
    visitor.press("Pause").await;
    visitor.see_status("paused").await;
    let before = newest_step(&visitor);
    visitor.press("Resume").await;
    // 0.62 reports that it is running and does nothing until it gets a message.
    visitor.see("The agent has not resumed.").await;
    visitor.say("continue").await;
    visitor
        .reload_until("the agent goes on", |visitor| newest_step(visitor) > before)
        .await;
    visitor.see(button("Stop")).await;
    visitor.press("Stop").await;
    visitor.see_status("stopped").await;
    // Nothing runs any more, so there is nothing to pause.
    visitor.see(button("Resume")).await;
    visitor.lacks(button("Pause"));
}

#[tokio::test]
async fn an_agent_is_paused_and_the_page_says_how_to_resume_it() {
    let handrail = Handrail::start_with(&["--rehearsal", "0.x", "--rehearsal-pace", "20"]).await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Take your time [[scenario:long:100]]")
        .await;
    visitor.see(button("Pause")).await;
    visitor.press("Pause").await;
    visitor.see_status("paused").await;
    visitor.press("Resume").await;
    visitor.see("The agent has not resumed.").await;
    visitor.say("continue").await;
    visitor.see_status("finished").await;
    visitor.see(row("All steps are done.")).await;
}

#[tokio::test]
async fn a_stopped_agent_continues_with_the_next_message() {
    let (mut visitor, _) = Visitor::saying("Something slow [[scenario:slow:20000]]").await;
    visitor.see(row("This takes a while.")).await;
    visitor.see(button("Stop")).await;
    visitor.press("Stop").await;
    visitor.see_status("stopped").await;
    visitor.say("Say hello instead [[scenario:hello]]").await;
    visitor.see(row("Say anything and I will finish.")).await;
}

#[tokio::test]
async fn a_sent_message_leaves_the_field_empty_also_after_a_reload() {
    let mut visitor = Visitor::alone().await;
    visitor.say_hello().await;
    visitor.say("That is all").await;
    visitor.see(delivered("That is all")).await;
    visitor.see_status("finished").await;
    visitor.reload().await;
    assert_eq!(visitor.value("Message"), "");
    assert_eq!(visitor.count(row("That is all")), 1);
}
