//! Errors of the model and the agent: the page says what happened and what to do, and the work goes on.

use super::handrail::Handrail;
use super::part::css;
use super::tasks::{badge, delivered, row, step};
use super::visitor::Visitor;

async fn continues_after(scenario: &str, title: &str, end: &str) {
    let (mut visitor, _) = Visitor::saying(&format!("Please fail [[scenario:{scenario}]]")).await;
    visitor.see_status("error").await;
    visitor.see(row(title)).await;
    assert_eq!(visitor.count(row(title)), 1);
    visitor.lacks(row("STATUS$"));
    if scenario == "error401" {
        visitor.shows(row(title).link("Settings"));
        visitor.shows(row(title).button("Retry"));
    }
    visitor.see("Sending makes the agent retry").await;
    visitor.say("Try again").await;
    visitor.see(row(end)).await;
    visitor.see_status("finished").await;
}

#[tokio::test]
async fn after_a_rejected_key_the_next_message_continues_the_work() {
    continues_after(
        "error401",
        "The model rejected the API key",
        "The key is right now.",
    )
    .await;
}

#[tokio::test]
async fn after_an_error_of_the_model_the_next_message_continues_the_work() {
    continues_after("error500", "The model failed", "The model works again.").await;
}

#[tokio::test]
async fn a_rate_limit_is_waited_out_and_retried_twice() {
    let (mut visitor, _) = Visitor::saying("Please be busy [[scenario:error429]]").await;
    let busy = badge().containing("Rate limited");
    visitor.see(&busy).await;
    visitor
        .see("OpenHands has stopped retrying. Send a message to continue.")
        .await;
    visitor.say("Now?").await;
    // The message is on the timeline and no longer in the outbox: both at once would look like two attempts.
    visitor.see(delivered("Now?")).await;
    visitor.see(&busy).await;
    visitor.say("And now?").await;
    visitor.see(row("The model has time again.")).await;
}

#[tokio::test]
async fn an_agent_in_a_loop_is_stopped_and_can_be_continued() {
    let (mut visitor, _) = Visitor::saying("Repeat yourself [[scenario:stuck]]").await;
    visitor.see_status("error").await;
    assert_eq!(visitor.text(badge()), "Failed");
    visitor.see(row("Agent got stuck in a loop")).await;
    visitor.say("Do something else").await;
    visitor.see(row("I try something else.")).await;
}

#[tokio::test]
async fn the_step_limit_is_reported_and_the_next_message_continues_the_work() {
    let (mut visitor, _) = Visitor::saying("Work long [[scenario:max_iterations]]").await;
    visitor.see(row("its limit of 4 steps")).await;
    // Once, with what to do.
    let said = visitor.texts(css("main")).concat();
    assert_eq!(said.matches("limit").count(), 1, "{said}");
    visitor.lacks(row("maximum iteration"));
    visitor.shows(row("Send a message to continue."));
    visitor.shows(css(".notice .button--primary").saying("Retry"));
    visitor.say("Go on").await;
    visitor.see(row("its limit of 8 steps")).await;
    visitor.say("Go on").await;
    visitor.see(row("Just in time.")).await;
}

#[tokio::test]
async fn events_of_unknown_kinds_are_shown_raw() {
    let (mut visitor, _) = Visitor::saying("Surprise me [[scenario:unknown]]").await;
    visitor.see_status("finished").await;
    visitor
        .see(row(
            "Everything known was shown, and everything unknown, too.",
        ))
        .await;
    visitor.shows(row("teleport"));
    visitor.shows(step("echo still here"));
}

#[tokio::test]
async fn every_rehearsal_can_be_read_to_its_end() {
    let handrail = Handrail::start().await;
    for (scenario, text) in [
        ("delegate", "The browsing agent helped me."),
        ("condensation", "I remember the important part."),
        ("secret", "I never saw it."),
        ("big", "The file is 2 MB large."),
        ("images", "The pictures were drawn by the rehearsal itself."),
    ] {
        let mut visitor = handrail.visitor();
        visitor
            .create_conversation(&format!("Show me [[scenario:{scenario}]]"))
            .await;
        visitor.see_status("finished").await;
        visitor.see(row(text)).await;
    }
}
