//! Control of an agent: messages, runs, approvals, policies.
//!
//! The routes that wait for the running step here also wait in the real server; interrupting and side questions do not.

use super::{Locked, Named, Shared, not_found, parsed, success};
use crate::agent_server::{agent, ending, snapshot::PROFILES, stage::Stage};
use crate::http::prelude::*;

/// Maximum number of concurrent runs.
const RUNS: usize = 10;

pub fn routes() -> Router<Arc<Stage>> {
    routes! {
        "/api/conversations/{id}/events" => post(message);
        "/api/conversations/{id}/events/respond_to_confirmation" => post(respond);
        "/api/conversations/{id}/run" => post(run);
        "/api/conversations/{id}/pause" => post(pause);
        "/api/conversations/{id}/interrupt" => post(interrupt);
        "/api/conversations/{id}/confirmation_policy" => post(policy);
        "/api/conversations/{id}/security_analyzer" => post(analyzer);
        "/api/conversations/{id}/switch_profile" => post(switch);
        "/api/conversations/{id}/ask_agent" => post(ask);
    }
}

/// A message sent while actions are pending approves them.
async fn message(State(stage): Shared, named: Result<Named, Response>, body: Bytes) -> Answer {
    let body = parsed(&body);
    let content = &body["content"];
    if !content.is_array() {
        let (location, message) = (["body", "content"], "Input should be a valid list");
        return Err(unprocessable("list_type", &location, message, content));
    }
    let Named(conversation) = named?;
    let _held = conversation.busy.lock().await;
    let wanted = body["run"] == true;
    let has_room = conversation.run().is_some() || stage.runs() < RUNS;
    agent::take_message(&stage, &conversation, content, wanted && has_room);
    match wanted && !has_room {
        true => Err(no_slot()),
        false => Ok(success()),
    }
}

fn no_slot() -> Response {
    detail(StatusCode::TOO_MANY_REQUESTS, "No run slot is free")
}

/// Answers all pending actions, whatever they are by now; succeeds even if there are none.
async fn respond(State(stage): Shared, named: Result<Named, Response>, body: Bytes) -> Answer {
    let body = parsed(&body);
    let accept = body["accept"].as_bool();
    let accept = accept.ok_or_else(|| missing(&["body", "accept"], &body))?;
    let Named(conversation) = named?;
    stage.world.tally.answered(&conversation.id, accept);
    let _held = conversation.busy.lock().await;
    let reason = body["reason"].as_str();
    let reason = reason.unwrap_or("User rejected the action.");
    agent::answer(&stage, &conversation, accept, reason);
    Ok(success())
}

/// Resuming while actions are pending approves them, too.
async fn run(State(stage): Shared, Named(conversation): Named) -> Response {
    let running = || detail(StatusCode::CONFLICT, "Conversation already running.");
    if conversation.status() == "running" {
        return running();
    }
    let _held = conversation.busy.lock().await;
    if stage.runs() >= RUNS {
        return no_slot();
    }
    match agent::begin(&stage, &conversation) {
        true => success(),
        false => running(),
    }
}

/// Returns when the current step is over.
async fn pause(Locked(conversation, _): Locked) -> Response {
    ending::pause(&conversation);
    success()
}

async fn interrupt(Named(conversation): Named) -> Response {
    ending::interrupt(&conversation).await;
    success()
}

async fn policy(conversation: Result<Named, Response>, body: Bytes) -> Answer {
    let policy = parsed(&body)["policy"].take();
    let kinds = ["AlwaysConfirm", "NeverConfirm", "ConfirmRisky"];
    if !kinds.iter().any(|kind| policy["kind"] == **kind) {
        let message = "Value error, Unknown kind for openhands.sdk.security.confirmation_policy";
        let location = ["body", "policy"];
        return Err(unprocessable("value_error", &location, message, &policy));
    }
    let Named(conversation) = conversation?;
    let _held = conversation.busy.lock().await;
    conversation.set("confirmation_policy", policy);
    Ok(success())
}

async fn analyzer(Locked(conversation, _): Locked, body: Bytes) -> Response {
    let analyzer = parsed(&body)["security_analyzer"].take();
    conversation.set("security_analyzer", analyzer);
    success()
}

async fn switch(Named(conversation): Named, body: Bytes) -> Answer {
    let name = &parsed(&body)["profile_name"];
    let mut profiles = PROFILES.iter();
    let known = profiles.find(|(known, _)| name == known);
    let (_, model) = known.ok_or_else(not_found)?;
    let _held = conversation.busy.lock().await;
    conversation.set_model(model);
    Ok(success())
}

/// A side question leaves no trace in the log, and waits for nothing.
async fn ask(Named(conversation): Named, body: Bytes) -> Response {
    let body = parsed(&body);
    let asked = body["question"].as_str().unwrap_or_default();
    let events = conversation.events().len();
    let known = format!("I am a rehearsal and know only this: {events} events so far.");
    ok(json!({"response": format!("You ask: {asked} {known}")}))
}
