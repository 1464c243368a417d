//! The first visit: the page explains itself, and the first conversation is one sentence away.

use super::part::{button, heading, region};
use super::tasks::row;
use super::visitor::Visitor;

#[tokio::test]
async fn an_empty_list_says_what_to_do_and_that_this_is_a_rehearsal() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/").await;
    assert!(visitor.page.title().contains("Handrail"));
    let list = region("Conversations");
    visitor.shows(list.clone().containing("No conversations yet"));
    visitor.shows(
        list.clone()
            .containing("Rehearsal: scripted agents, nothing is executed"),
    );
    visitor.shows(list.link("Connect OpenHands"));
}

#[tokio::test]
async fn the_first_conversation_starts_from_the_empty_list() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/").await;
    visitor.fill("First message", "hello");
    visitor.press("Start").await;
    visitor.conversation();
    visitor.see(row("Hello! I am a rehearsal agent")).await;
}

#[tokio::test]
async fn the_first_screen_is_the_prompt_with_three_suggestions() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/").await;
    let demos = region("Try a demo").css("button");
    assert_eq!(visitor.count(&demos), 3);
    visitor.press(demos.first()).await;
    visitor.see(row("Tour: a bit of everything")).await;
}

#[tokio::test]
async fn a_conversation_starts_on_the_page_for_new_ones() {
    let (mut visitor, _) = Visitor::saying("hello [[scenario:hello]]").await;
    visitor.open("/").await;
    visitor.follow("New conversation").await;
    visitor.shows(heading("New conversation"));
    visitor.shows(heading("Try a demo"));
    visitor.fill("First message", "hello [[scenario:hello]]");
    visitor.press("Start").await;
    visitor.see(row("hello [[scenario:hello]]")).await;
}

#[tokio::test]
async fn a_suggestion_starts_a_rehearsal_at_once() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/new").await;
    visitor.lacks(button("MCP tools"));
    visitor.unfold("More demos");
    visitor.press("MCP tools").await;
    visitor.see_status("finished").await;
    visitor
        .see(row("Two tools were called, one of them failed."))
        .await;
}
