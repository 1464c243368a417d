//! Starting a conversation: at a place, with instructions, from another app, and what is left when it is refused.

use super::handrail::{Handrail, OF_1X};
use super::part::css;
use super::tasks::row;
use super::visitor::Visitor;

#[tokio::test]
async fn what_another_app_shares_starts_a_new_conversation() {
    let mut visitor = Visitor::alone().await;
    visitor
        .open("/share?text=hello%20%5B%5Bscenario%3Ahello%5D%5D")
        .await;
    visitor.press(css("main").button("New conversation")).await;
    assert!(
        visitor.path().starts_with("/new?message="),
        "{}",
        visitor.path()
    );
    visitor.press("Start").await;
    visitor.see(row("Hello! I am a rehearsal agent")).await;
}

#[tokio::test]
async fn a_conversation_starts_with_a_repository_and_instructions_or_says_why_not() {
    let mut visitor = Visitor::alone().await;
    visitor.allow(422);
    visitor.open("/new").await;
    visitor.fill("First message", "hello [[scenario:hello]]");
    visitor.unfold("Instructions for the agent");
    visitor.fill("Instructions", "Be brief");
    visitor.unfold("Repository and branch");
    visitor.fill("Repository", "acme/tools");
    visitor.fill("Branch", "next");
    visitor.press("Start").await;
    // The rehearsal of 0.62 has no repositories, and says which one was asked for.
    visitor.shows("Unable to access repo acme/tools");
}

#[tokio::test]
async fn a_message_whose_start_was_refused_stays_in_its_field() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/new").await;
    visitor.fill("First message", "hello [[scenario:hello]]");
    visitor.unfold("Repository and branch");
    visitor.fill("Repository", "acme/tools");
    visitor.press("Start").await;
    visitor.shows("Unable to access repo acme/tools");
    assert_eq!(visitor.value("First message"), "hello [[scenario:hello]]");
    // Without the repository it starts, and nothing is left of it.
    visitor.press("Start").await;
    visitor.conversation();
    visitor.open("/new").await;
    assert_eq!(visitor.value("First message"), "");
}

#[tokio::test]
async fn a_conversation_starts_in_a_folder() {
    let handrail = Handrail::start_with(&OF_1X).await;
    let mut visitor = handrail.visitor();
    visitor.open("/new").await;
    visitor.fill("First message", "hello [[scenario:hello]]");
    visitor.unfold("Instructions for the agent");
    visitor.fill("Instructions", "Be brief");
    visitor.unfold("Choose a folder");
    visitor.fill("Folder", "/workspace/elsewhere");
    visitor.press("Start").await;
    visitor.see_status("finished").await;
    visitor.panel("Info").await;
    visitor.shows(
        css(".facts__row")
            .containing("Folder")
            .containing("/workspace/elsewhere"),
    );
    visitor.open("/").await;
    visitor
        .see(css(".conversation-row").containing("/workspace/elsewhere"))
        .await;
}
