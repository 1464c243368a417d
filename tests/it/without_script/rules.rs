//! Rules: made from an approval, after a look at what they would have answered, and stopped all at once.

use super::part::{button, css, link};
use super::tasks::{approval, step};
use super::visitor::Visitor;

const COMMAND: &str = "echo \"confirm me\"";

#[tokio::test]
async fn a_rule_is_made_from_an_approval_answers_the_next_one_and_can_be_stopped() {
    let (mut visitor, _) = Visitor::saying("Ask me [[scenario:confirm]]").await;
    visitor.see(approval(COMMAND)).await;
    visitor.follow(link("Always allow…")).await;
    visitor.shows(css("main").containing(
        "Would have answered 1 of 1 questions of the last 90 days, 1 of them unrated.",
    ));
    visitor.shows(css("main").containing("“echo” with any arguments"));
    visitor.follow(link("All conversations")).await;
    visitor.press(button("Create rule")).await;
    visitor.shows(css("main").containing("Allow exactly “echo 'confirm me'”"));
    visitor.shows(css("main").containing("Has not answered yet"));
    // The next action of this kind is answered, and nobody was asked.
    visitor
        .create_conversation("Ask me again [[scenario:confirm]]")
        .await;
    visitor.see(approval("print(6 * 7)")).await;
    let told = visitor.text(step(COMMAND));
    assert!(told.contains("Allowed by rule"), "{told}");
    visitor.lacks(link("Always allow…"));
    visitor.open("/audit").await;
    visitor.shows(css("main").containing("Approve by rule"));
    visitor.open("/rules").await;
    visitor.shows(css("main").containing("Answered once"));
    visitor.press(button("Stop all rules")).await;
    visitor.shows(css("main").containing("All rules are stopped."));
    visitor
        .create_conversation("And again [[scenario:confirm]]")
        .await;
    visitor.see(approval(COMMAND)).await;
    visitor.open("/rules").await;
    visitor.press(button("Resume rules")).await;
    visitor.press(button("End rule 1")).await;
    visitor.shows(css("main").containing("Ended by local"));
}
