//! The stored events of a conversation, and sending input to its agent without a socket.

use super::{Body, Running, Shared, broken, error, not_found, parsed};
use crate::http::prelude::*;
use crate::{agent::AgentMessage, conversation::Conversation, requests, world::World};

pub fn routes() -> Router<Arc<World>> {
    routes! {
        "/api/conversations/{id}/events" => get(events).post(post_event);
        "/api/conversations/{id}/message" => post(post_message);
        "/api/conversations/{id}/trajectory" => get(trajectory);
        "/api/conversations/{id}/remember-prompt" => get(|| async { broken() });
        "/api/conversations/{id}/submit-feedback" => post(feedback);
    }
}

async fn events(State(world): Shared, Path(id): Path<String>, Query(params): Params) -> Answer {
    let found = world.find(&id);
    let conversation = found.ok_or_else(|| not_found(&id))?;
    for name in ["start_id", "end_id", "limit"] {
        if let Some(given) = params.get(name).filter(|text| text.parse::<i64>().is_err()) {
            let message = "Input should be a valid integer, unable to parse string as an integer";
            let (location, given) = (["query", name], json!(given));
            return Err(unprocessable("int_parsing", &location, message, &given));
        }
    }
    let number = |name: &str| params.get(name).and_then(|text| text.parse::<i64>().ok());
    let limit = usize::try_from(number("limit").unwrap_or(20)).ok();
    let limit = limit.filter(|limit| *limit <= 100);
    let limit = limit.ok_or_else(|| detail(StatusCode::BAD_REQUEST, "Invalid limit"))?;
    let start = number("start_id").unwrap_or(0);
    let end = number("end_id").unwrap_or(i64::MAX);
    let reverse = params.get("reverse").map(String::as_str);
    let reverse = matches!(reverse, Some("true" | "True" | "1"));
    let (events, has_more) = conversation.events(start, end, reverse, limit);
    Ok(ok(json!({"events": events, "has_more": has_more})))
}

async fn post_event(Running(conversation): Running, body: Bytes) -> Response {
    let input = parsed(&body).and_then(requests::read);
    tell(&conversation, input)
}

async fn post_message(conversation: Result<Running, Response>, Body(body): Body) -> Answer {
    let content = body["message"].as_str();
    let content = content.ok_or_else(|| missing(&["body", "message"], &body))?;
    let input = AgentMessage::Message {
        content: content.to_owned(),
        images: json!([]),
        files: json!([]),
    };
    let Running(conversation) = conversation?;
    Ok(tell(&conversation, Some(input)))
}

/// Sends input to an agent. The real server fails at input that it cannot parse.
fn tell(conversation: &Conversation, input: Option<AgentMessage>) -> Response {
    let Some(agent) = conversation.agent() else {
        return not_found(&conversation.id);
    };
    match input.map(|input| agent.send(input)) {
        Some(Ok(())) => ok(json!({"success": true})),
        Some(Err(_)) => not_found(&conversation.id),
        None => broken(),
    }
}

/// All events except hidden ones, without images.
async fn trajectory(Running(conversation): Running) -> Response {
    let (mut events, _) = conversation.events(0, i64::MAX, false, usize::MAX);
    events.retain(|event| event["observation"] != "null");
    let all = events.iter_mut();
    for extras in all.filter_map(|event| event["extras"].as_object_mut()) {
        extras.remove("screenshot");
        extras.remove("set_of_marks");
    }
    ok(json!({"trajectory": events}))
}

async fn feedback() -> Response {
    let message = "Failed to submit feedback";
    error(StatusCode::INTERNAL_SERVER_ERROR, message)
}
