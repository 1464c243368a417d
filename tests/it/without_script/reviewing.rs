//! The review: all changes on one page, and comments on their lines that go to the agent as one message.

use super::handrail::{Handrail, QUICK};
use super::part::{button, css};
use super::people::{Accounts, log_in};
use super::tasks::{approval, delivered};
use super::visitor::Visitor;

/// A conversation whose agent has changed files and waits for no answer.
async fn changed(options: &[&str]) -> (Handrail, Visitor) {
    let handrail = Handrail::start_with(options).await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Please repair this small project")
        .await;
    visitor.approve("rm -rf build").await;
    visitor.panel("Changes").await;
    visitor.see(css(".review .block-diff").first()).await;
    (handrail, visitor)
}

/// Follows the link of the first added line of `tally.py`, and writes a comment there.
async fn comment(visitor: &mut Visitor, line: usize, text: &str) {
    let file = css(".review__file").containing("tally.py");
    let lines = file.css(".line--added");
    visitor.follow(lines.at(line).css("a.line__number")).await;
    visitor.fill("Comment for the agent", text);
    visitor.press("Save comment").await;
}

#[tokio::test]
async fn all_changes_stand_on_one_page_with_their_totals() {
    let (_handrail, mut visitor) = changed(&QUICK).await;
    let files = visitor.count(css(".review__file"));
    assert!(files > 1, "{files} files");
    let head = visitor.text(css(".review__head"));
    assert!(head.starts_with(&format!("{files} files")), "{head}");
    let number = |part: &str| -> u32 {
        let texts = visitor.texts(css(part));
        texts
            .iter()
            .map(|text| {
                text[text.find(|c: char| c.is_ascii_digit()).expect("a number")..]
                    .parse::<u32>()
                    .expect("a number")
            })
            .sum()
    };
    for kind in ["added", "removed"] {
        let total = number(&format!(".review__head .diff__{kind}"));
        assert_eq!(
            total,
            number(&format!(".review summary .diff__{kind}")),
            "{kind}"
        );
    }
    let path = format!("{}&change=tally.py", visitor.path());
    visitor.open(&path).await;
    visitor.see(css(".review .block-diff")).await;
    assert_eq!(visitor.count(css(".review__file")), 1);
    visitor.follow("All changes").await;
    visitor.see(css(".review__file").at(files - 1)).await;
}

#[tokio::test]
async fn comments_are_kept_changed_and_sent_as_one_message() {
    let (handrail, mut visitor) = changed(&QUICK).await;
    comment(&mut visitor, 0, "Say what is wrong\n```\nnot closed").await;
    assert!(!visitor.path().contains("at="), "{}", visitor.path());
    comment(&mut visitor, 1, "Too short").await;
    visitor.shows(button("Send 2 comments"));
    visitor.shows(css(".review__send .button--primary"));
    // On another device of the same person they are there as well.
    let mut other = handrail.visitor();
    other.open(&visitor.path()).await;
    other.see(button("Send 2 comments")).await;
    let second = css(".review__comment").containing("Too short");
    other
        .follow(second.clone().css("a").containing("Edit"))
        .await;
    assert_eq!(other.value("Comment for the agent"), "Too short");
    other.fill("Comment for the agent", "Make it longer");
    other.press("Save comment").await;
    visitor.reload().await;
    visitor.lacks(second);
    let edited = css(".review__comment").containing("Make it longer");
    visitor.shows(edited.containing("Draft, only you see it"));
    visitor.press("Send 2 comments").await;
    visitor.lacks(button("Send 2 comments"));
    let comments = css(".review__comment");
    visitor
        .see(
            comments
                .clone()
                .containing("Make it longer")
                .containing("Sent"),
        )
        .await;
    visitor
        .press(
            comments
                .clone()
                .containing("Make it longer")
                .button("Resolve"),
        )
        .await;
    visitor.shows(
        comments
            .clone()
            .containing("Make it longer")
            .containing("Resolved"),
    );
    visitor.shows(comments.containing("Say what is wrong").containing("Sent"));
    visitor.panel("Timeline").await;
    let message = delivered("Comments on the changes:");
    visitor.see(&message).await;
    assert_eq!(visitor.count(&message), 1);
    let said = visitor.text(&message);
    for part in [
        "1. `tally.py`, line",
        "Say what is wrong",
        "2. `tally.py`, line",
        "Make it longer",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[tokio::test]
async fn a_draft_is_deleted_and_comments_wait_for_a_pending_action() {
    let (mut visitor, _) = Visitor::saying("Please repair this small project").await;
    visitor.see(approval("rm -rf build")).await;
    visitor.panel("Changes").await;
    visitor.see(css(".review .block-diff").first()).await;
    comment(&mut visitor, 0, "Wait").await;
    let draft = css(".review__comment").containing("Wait");
    visitor.shows(
        css(".panel").containing("Your comment can be sent once the pending action is answered."),
    );
    visitor.lacks(button("Send 1 comment"));
    visitor.press(draft.clone().button("Delete")).await;
    visitor.lacks(draft);
}

#[tokio::test]
async fn who_may_only_read_sees_the_changes_and_writes_no_comments() {
    let accounts = Accounts::with(&[("vera", "viewer")]).await;
    let mut ada = accounts.ada().await;
    ada.create_conversation("Please repair this small project")
        .await;
    ada.approve("rm -rf build").await;
    ada.panel("Changes").await;
    ada.see(css(".review .block-diff").first()).await;
    comment(&mut ada, 0, "Only mine").await;
    let mut vera = accounts.handrail.visitor();
    log_in(&mut vera, "vera").await;
    vera.open(&ada.path()).await;
    vera.see(css(".review .block-diff").first()).await;
    vera.lacks(css(".review a.line__number"));
    vera.lacks(css(".panel").containing("Only mine"));
    vera.open(&format!("{}&on=tally.py&at=new-1", ada.path()))
        .await;
    vera.lacks(button("Save comment"));
}

#[tokio::test]
async fn without_its_sandbox_the_edits_on_record_are_shown_and_it_can_be_started() {
    let (_handrail, mut visitor) = changed(&QUICK).await;
    let changes = visitor.path();
    visitor.panel("Timeline").await;
    visitor.unfold_actions();
    visitor.press("Stop sandbox").await;
    visitor.open(&changes).await;
    visitor
        .see(css(".panel .empty").containing("The sandbox is not running"))
        .await;
    visitor.shows(css(".panel").containing("These are the agent's edits on record."));
    let tally = css(".review__file").containing("tally.py");
    visitor.shows(tally.clone().css(".line--added"));
    visitor.shows(tally.css(".diff__added"));
    visitor.shows(css(".review__head .diff__removed"));
    // The files may have other lines by now.
    visitor.lacks(css(".review a.line__number"));
    visitor.press(css(".panel").button("Start sandbox")).await;
    visitor.gone(css(".panel .empty")).await;
    visitor.see(css(".review a.line__number").first()).await;
}
