//! An unreachable backend, a refusal, invalid responses, and messages that do not arrive: a sentence says so, and a person
//! can go on.

use super::backend::Staged;
use super::handrail::Handrail;
use super::part::{Part, button, css, heading, link};
use super::tasks::{delivered, row};
use super::visitor::Visitor;
use handrail::backend::rehearsal::{Fault, RestFault};
use serde_json::json;

/// Nothing listens on this port.
const NOWHERE: [&str; 2] = ["--backend", "http://127.0.0.1:9"];

#[tokio::test]
async fn the_list_says_that_no_backend_can_be_reached_and_where_its_address_is() {
    let handrail = Handrail::start_with(&NOWHERE).await;
    let mut visitor = handrail.visitor();
    visitor.open("/").await;
    visitor.shows("OpenHands cannot be reached");
    visitor
        .follow(css(".banner--warning").link("Backends"))
        .await;
    visitor.shows(heading("Backends"));
    visitor.shows(heading("OpenHands at http://127.0.0.1:9"));
}

#[tokio::test]
async fn without_a_backend_the_refusal_to_start_is_a_sentence() {
    let handrail = Handrail::start_with(&NOWHERE).await;
    let mut visitor = handrail.visitor();
    visitor.open("/new").await;
    visitor.fill("First message", "Is anybody there?");
    visitor.press("Start").await;
    visitor.shows(css("[role=alert]").containing("OpenHands cannot be reached"));
    assert_eq!(visitor.value("First message"), "Is anybody there?");
}

#[tokio::test]
async fn the_settings_say_that_no_backend_can_be_reached_too() {
    let handrail = Handrail::start_with(&NOWHERE).await;
    let mut visitor = handrail.visitor();
    visitor.open("/settings").await;
    visitor.shows("OpenHands cannot be reached");
    visitor.shows(link("Manage backends"));
}

async fn is_reported(kind: RestFault, sentence: &str) {
    let staged = Staged::start().await;
    let mut visitor = staged.visitor();
    visitor.say_hello().await;
    staged.fails(&Fault::Rest {
        kind,
        path: "/api/".to_owned(),
        times: 0,
    });
    // The server polls the list at intervals; the page shows the result of the last poll.
    let banner = css(".conversation-list .banner--warning");
    visitor.open("/").await;
    visitor.see(&banner).await;
    visitor.shows(banner.clone().containing(sentence));
    visitor.shows(banner.clone().containing("Showing saved conversations."));
    assert_eq!(visitor.count(css(".conversation-row")), 1);
    staged.works();
    visitor.gone(banner).await;
}

#[tokio::test]
async fn too_many_requests_are_reported_and_the_list_shows_the_stored_conversations() {
    is_reported(
        RestFault::TooManyRequests,
        "Too many requests to OpenHands.",
    )
    .await;
}

#[tokio::test]
async fn an_internal_error_is_reported_and_the_list_shows_the_stored_conversations() {
    is_reported(
        RestFault::ServerError,
        "Unexpected response: an internal error (500)",
    )
    .await;
}

#[tokio::test]
async fn a_web_page_for_an_answer_is_reported_and_the_list_shows_the_stored_conversations() {
    is_reported(RestFault::Html, "Unexpected response: a web page (200)").await;
}

const STOPPED: &str = "Sandbox stopped. You can still read the conversation.";

#[tokio::test]
async fn a_stopped_conversation_can_be_read_and_started_again() {
    let mut visitor = Visitor::alone().await;
    let id = visitor.say_hello().await;
    visitor.unfold_actions();
    visitor.press("Stop sandbox").await;
    visitor.see(STOPPED).await;
    visitor.open(&format!("/c/{id}")).await;
    visitor.shows(row("Hello! I am a rehearsal agent"));
    visitor.press("Start").await;
    visitor.see_turn().await;
    visitor.gone(STOPPED).await;
    // A message starts it, too.
    visitor.unfold_actions();
    visitor.press("Stop sandbox").await;
    visitor.see(STOPPED).await;
    visitor.shows(button("Start and send"));
    visitor.say("Are you back?").await;
    visitor.see(delivered("Are you back?")).await;
    is_there_once(&mut visitor, "Are you back?").await;
}

#[tokio::test]
async fn a_sandbox_that_fails_to_start_is_started_again_and_its_first_message_is_sent() {
    let staged = Staged::start().await;
    let mut visitor = staged.visitor();
    staged.fails(&Fault::NoRuntime { times: 1 });
    visitor
        .create_conversation("hello [[scenario:hello]]")
        .await;
    visitor.shows(css(".row--human").containing("hello"));
    visitor.see("The sandbox failed.").await;
    visitor.shows("Failed to create agent session: RetryError");
    visitor.lacks("Starting the sandbox");
    visitor.press("Start again").await;
    visitor.see(row("Hello! I am a rehearsal agent")).await;
    visitor.lacks("The sandbox failed.");
    is_there_once(&mut visitor, "hello").await;
}

/// Waits until a message is there once: a page may have been rendered just when the message came back from the agent.
async fn is_there_once(visitor: &mut Visitor, text: &str) {
    let said = css(".row--human").containing(text);
    let is_so = |visitor: &Visitor| visitor.count(&said) == 1;
    visitor
        .reload_until("the message is there once", is_so)
        .await;
}

#[tokio::test]
async fn of_two_undelivered_messages_one_is_sent_again_and_the_other_discarded() {
    let staged = Staged::start().await;
    let mut visitor = staged.visitor();
    let undelivered = |text: &str| -> Part { css(".row[data-delivery=failed]").containing(text) };
    visitor.say_hello().await;
    let body = json!({
        "message": "conversation_not_found", "data": {"msg_id": "CONVERSATION_NOT_FOUND"}, "code": 4004,
    });
    staged.fails(&Fault::Refuse { body, times: 0 });
    staged.fails(&Fault::DropSockets);
    let refused = |visitor: &Visitor| {
        visitor.has("OpenHands refused the connection")
            || visitor.has("Lost connection to OpenHands")
    };
    visitor
        .reload_until("the connection is refused", refused)
        .await;
    for text in ["First thought", "Second thought"] {
        visitor.say(text).await;
        visitor.see(undelivered(text)).await;
        visitor.shows(undelivered(text).containing("Not sent. Disconnected from OpenHands."));
    }

    // Without a connection it fails again, and is still there to be decided upon.
    visitor
        .press(undelivered("Second thought").button("Send again"))
        .await;
    visitor.see(undelivered("Second thought")).await;
    visitor
        .press(undelivered("First thought").button("Discard"))
        .await;
    visitor.reload().await;
    visitor.lacks("First thought");
    assert_eq!(visitor.count(undelivered("Second thought")), 1);

    staged.works();
    let retry = match visitor.has(button("Retry")) {
        true => "Retry",
        false => "Retry now",
    };
    visitor.press(retry).await;
    visitor
        .reload_until("the connection is back", |visitor| !refused(visitor))
        .await;
    visitor
        .press(undelivered("Second thought").button("Send again"))
        .await;
    visitor.see(delivered("Second thought")).await;
    is_there_once(&mut visitor, "Second thought").await;
    visitor.lacks("First thought");
    visitor.see_status("finished").await;
}
