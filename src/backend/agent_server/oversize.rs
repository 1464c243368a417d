//! Stored events too large for a page: pages get smaller, down to one event; one too large by itself becomes a marker.

use super::events::{Events, Found};
use crate::backend::{Answer, BackendError};
use serde_json::json;

/// Page sizes, from the server's maximum down.
const PAGES: [usize; 4] = [100, 20, 5, 1];

impl Events {
    /// As many events from this one on as fit into a page.
    pub(super) async fn page_from(&self, from: Option<&str>) -> Found {
        let found = self.fitting(from, "TIMESTAMP").await;
        match found {
            Err(BackendError::Unexpected(why)) if is_too_large(&why) => {
                let marker = json!({ "id": from, "unreadable": why });
                Ok((vec![marker], self.id_behind(from).await?))
            }
            found => found,
        }
    }

    /// As many events in this order as fit into a page.
    pub(super) async fn fitting(&self, from: Option<&str>, order: &str) -> Found {
        let mut found = Ok((Vec::new(), None));
        for limit in PAGES {
            found = self.search(from, limit, order).await;
            match &found {
                Err(BackendError::Unexpected(why)) if is_too_large(why) => {}
                _ => break,
            }
        }
        found
    }

    /// The id of the next event, read from the end of the page that starts with this one.
    async fn id_behind(&self, from: Option<&str>) -> Answer<Option<String>> {
        let mut call = self.call(from, 1, "TIMESTAMP")?;
        call.most = 1 << 10;
        let end = self.rest.end_of(call).await?;
        let end = String::from_utf8_lossy(&end);
        let word = "\"next_page_id\":";
        let told = end.rfind(word).map(|at| end[at + word.len()..].trim());
        let told = told.and_then(|told| told.strip_suffix('}'));
        let told = told.and_then(|told| serde_json::from_str::<Option<String>>(told).ok());
        told.ok_or_else(|| BackendError::unexpected("a page without the id of the next one"))
    }
}

/// Whether a response exceeded the size limit. Smaller pages do not help against other errors.
fn is_too_large(why: &str) -> bool {
    why.starts_with("more than")
}

#[cfg(test)]
mod tests {
    use super::super::events::{Cursor, Page};
    use super::*;
    use crate::backend::http::Rest;
    use crate::backend::tests::support::serve;
    use crate::conversation::PositionOffset;
    use axum::extract::Query;
    use axum::{Router, routing::get};
    use std::collections::HashMap;

    const SIZES: [usize; 6] = [10, 3 << 20, 3 << 20, 20 << 20, 20 << 20, 10];

    /// An event's JSON, which is not worth a serializer: that takes seconds in a debug build.
    fn event(number: usize) -> String {
        let text = "x".repeat(SIZES[number]);
        format!(r#"{{"kind":"MessageEvent","id":"e{number}","text":"{text}"}}"#)
    }

    /// A page as an agent-server returns it.
    async fn page(Query(asked): Query<HashMap<String, String>>) -> String {
        let from = asked.get("page_id").map_or("e0", String::as_str);
        let from = from.trim_start_matches('e').parse::<usize>();
        let (from, limit) = (from.expect("a number"), asked["limit"].parse::<usize>());
        let end = SIZES.len().min(from + limit.expect("a number"));
        let next = (end < SIZES.len()).then(|| format!("e{end}"));
        let items: Vec<String> = (from..end).map(event).collect();
        let (items, next) = (items.join(","), json!(next));
        format!(r#"{{"items":[{items}],"next_page_id":{next}}}"#)
    }

    #[tokio::test]
    async fn events_that_are_too_large_for_a_page_come_alone_and_huge_ones_leave_a_marker() {
        let route = "/api/conversations/c/events/search";
        let connection = serve(Router::new().route(route, get(page))).await;
        let rest = Rest::new(connection).expect("a client");
        let events = Events::of(rest, "c", PositionOffset::default());
        let (pos, key) = (-1, None);
        let (mut cursor, mut told) = (Cursor { pos, key }, Vec::new());
        loop {
            let after = events.after(&cursor).await;
            let Page::Events(read, next, more) = after.expect("it answers") else {
                panic!("nothing is lost");
            };
            told.extend(read.into_iter().map(|event| event.raw));
            cursor = next;
            if !more {
                break;
            }
        }
        let markers: Vec<bool> = told.iter().map(|raw| raw.contains("unreadable")).collect();
        assert_eq!(markers, [false, false, false, true, true, false]);
        for (raw, number) in told.iter().zip(0..) {
            assert!(raw.contains(&format!("\"e{number}\"")), "{number}");
        }
    }
}
