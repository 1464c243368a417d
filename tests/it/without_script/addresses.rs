//! The addresses of steps and messages, the beginning of a conversation, and its outline.

use super::part::{button, css};
use super::tasks::{row, step};
use super::visitor::Visitor;

#[tokio::test]
async fn each_step_and_message_has_a_link_that_leads_to_it() {
    let (mut visitor, _) = Visitor::saying("Many steps [[scenario:long:70]]").await;
    visitor.see(step("echo step 69")).await;
    visitor.see_status("finished").await;
    visitor.follow(step("echo step 21").css(".row__link")).await;
    assert!(visitor.target().contains("echo step 21"));
    // It needs a script.
    visitor.lacks(button("Quote"));
}

#[tokio::test]
async fn the_beginning_of_a_long_conversation_is_one_step_away_and_read_on_from_there() {
    let (mut visitor, _) = Visitor::saying("Many steps [[scenario:long:70]]").await;
    visitor.see(step("echo step 69")).await;
    visitor.lacks(row("Many steps"));
    visitor.unfold_actions();
    visitor.follow("Go to the beginning").await;
    visitor.shows(row("Many steps"));
    visitor.lacks(css(".timeline").link("Older"));
    let mut pages = 1;
    while visitor.has(css(".timeline").link("Later")) {
        visitor.follow(css(".timeline").link("Later")).await;
        visitor.shows(css(".timeline").link("Older"));
        pages += 1;
    }
    assert!(pages > 1);
    visitor.shows(step("echo step 69"));
}

#[tokio::test]
async fn the_messages_of_people_are_an_outline_and_lead_to_their_places() {
    let (mut visitor, _) = Visitor::saying("Many steps [[scenario:long:70]]").await;
    visitor.see_status("finished").await;
    visitor.unfold_actions();
    visitor.follow("Outline").await;
    let lines = visitor.texts(css(".panel .result__title"));
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("Many steps"), "{lines:?}");
    visitor.follow(css(".panel .result__link")).await;
    assert!(visitor.target().contains("Many steps"));
}
