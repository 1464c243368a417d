//! Budgets: set on one page, said where a conversation starts, and lifted in the inbox.

use super::part::{button, css};
use super::visitor::Visitor;

#[tokio::test]
async fn a_budget_stops_an_agent_until_somebody_lifts_it() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/settings/budgets").await;
    visitor.shows("Days and months begin at midnight UTC.");
    visitor.fill("Each conversation, a day", "0.05");
    visitor.fill("Each person, a month", "1000");
    visitor.press(button("Save")).await;
    assert_eq!(visitor.value("Each conversation, a day"), "0.05");
    visitor.open("/new").await;
    visitor.shows("Budget of each conversation: $0.05 a day.");
    let id = visitor
        .create_conversation("Work [[scenario:long:5000]]")
        .await;
    visitor
        .see("The conversation's budget for today is used up")
        .await;
    visitor.see_status("stopped").await;
    visitor.open("/inbox").await;
    visitor.shows(css("main").containing("The conversation's budget for today is used up"));
    visitor.open(&format!("/c/{id}")).await;
    visitor.press(button("Continue anyway")).await;
    visitor.open(&format!("/c/{id}")).await;
    visitor
        .gone(css(".conversation__banner").containing("is used up"))
        .await;
    visitor.open("/audit").await;
    for action in ["Change budgets", "Stop: budget used up", "Lift budget"] {
        visitor.shows(css("main").containing(action));
    }
}
