//! The stored events of a conversation.

use super::{Shared, not_found};
use crate::http::prelude::*;
use crate::world::World;

pub fn routes() -> Router<Arc<World>> {
    routes! {
        "/api/conversations/{id}/events" => get(events);
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
