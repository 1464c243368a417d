//! The app server's copy of a conversation's events, for sandboxes that do not run.
//!
//! Agent-servers report what they publish in groups, up to 30 s late, and what the app server does not take is lost
//! (`docs/protocol/app-server.md` section 3). The copy therefore ends early, may have holes, and contains streamed text
//! and snapshots. The journal keeps what it has from the log; only events that it lacks are taken from here, by id. While
//! the sandbox may come back, they do not count as complete, and the log is read again behind what does.

use crate::backend::agent_server::{first_event, received, without_key, zone_of};
use crate::backend::http::{Call, Rest, conversation_id};
use crate::backend::json::take_list;
use crate::backend::large::MOST_OF_PAGE;
use crate::backend::losses;
use crate::backend::places::EventPlaces;
use crate::backend::{
    Answer, BackendError, ConversationInfo, HistoryPage, ReceivedEvent, ResumePoint, Runtime,
};
use crate::conversation::PositionOffset;
use serde_json::Value;
use std::collections::HashSet;

/// Pages of 100 entries that are read at most: the app server loads the whole copy for each.
const PAGES: usize = 100;
/// Size limit of the events that are taken at once, in bytes.
const MOST_BYTES: usize = 64 << 20;
/// How much older than the newest stored event others may arrive in the copy, in milliseconds: a report waits up to 30 s and
/// is sent four times.
const LATE: i64 = 60_000;

/// The events of the copy that the journal lacks.
pub(super) async fn history(
    rest: &Rest,
    info: &ConversationInfo,
    key: Option<&str>,
    resume: ResumePoint,
) -> Answer<HistoryPage> {
    let first = search(rest, &info.id, None, None, "1").await?.0;
    let first = first.first().and_then(|first| first["timestamp"].as_str());
    let zone = first.and_then(|first| zone_of(info.created_at, first));
    let newest = match resume.newest {
        Some(newest) => (resume.recorded)(newest).await,
        None => None,
    };
    let since = newest.map(|newest| newest.at - LATE);
    let copied = read(rest, &info.id, since.and_then(|since| naive(since, zone))).await?;
    let copied = copied.into_iter().map(|event| without_key(event, key));
    let copied = copied.collect();
    let places = EventPlaces::behind(&resume, -1, since.unwrap_or(i64::MIN)).await;
    // Nothing follows what is left of a sandbox that is gone.
    let is_final = info.runtime == Runtime::Gone;
    Ok(HistoryPage {
        events: merged(copied, places, &resume, zone, is_final),
        more: false,
        is_copy: !is_final,
    })
}

/// The events that the journal lacks, in their places. If some are missing in the copy of a sandbox that is gone, the
/// last one says so.
pub(super) fn merged(
    copied: Vec<Value>,
    mut places: EventPlaces,
    resume: &ResumePoint,
    zone: Option<i32>,
    is_final: bool,
) -> Vec<ReceivedEvent> {
    let keys = copied.iter().filter_map(|event| event["id"].as_str());
    places.meet_only(&keys.collect());
    let is_cut = is_final && has_hole(&copied, &places);
    let mut events = Vec::new();
    if resume.newest.is_none()
        && let Some(snapshot) = copied.iter().find(|event| is_snapshot(event))
        && let Value::Object(mut state) = snapshot["value"].clone()
    {
        state.insert("created_at".to_owned(), copied[0]["timestamp"].clone());
        events.push(first_event(&Value::Object(state)));
    }
    let mut seen = HashSet::new();
    for event in copied.into_iter().filter(is_stored) {
        let key = event["id"].as_str().map(str::to_owned);
        let is_new = key.as_ref().is_none_or(|key| seen.insert(key.clone()));
        let rank = places.next();
        let mut event = received(event, zone, Some(rank));
        let at = event.item.at.millis;
        let pos = places.place(key.as_deref(), at, rank);
        let is_known = key.is_some_and(|key| places.has(&key));
        if is_new && !is_known {
            event.item.pos = Some(pos);
            events.push(event);
        }
    }
    if is_cut && !events.is_empty() {
        let since = Some(places.next());
        let by = resume.offset.by;
        events.push(losses::notice(PositionOffset { by, since }));
    }
    events
}

/// Whether the copy shows that it lacks events: a result without its call, or an end in the middle of a run.
fn has_hole(copied: &[Value], places: &EventPlaces) -> bool {
    let calls: HashSet<&str> = copied
        .iter()
        .filter_map(|event| event["id"].as_str())
        .collect();
    let lacks = |id: &str| !calls.contains(id) && !places.has(id);
    let is_unasked = |event: &Value| event["action_id"].as_str().is_some_and(lacks);
    let status = copied
        .iter()
        .rev()
        .find_map(|event| match event["key"].as_str() {
            Some("execution_status") => event["value"].as_str(),
            Some("full_state") => event["value"]["execution_status"].as_str(),
            _ => None,
        });
    status == Some("running") || copied.iter().any(is_unasked)
}

fn is_snapshot(event: &Value) -> bool {
    event["key"] == "full_state"
}

/// Whether the log has the event, too: neither streamed text nor a snapshot.
fn is_stored(event: &Value) -> bool {
    event["kind"] != "StreamingDeltaEvent" && !is_snapshot(event)
}

/// The copy from this time on, oldest first, without streamed text.
async fn read(rest: &Rest, id: &str, since: Option<String>) -> Answer<Vec<Value>> {
    let (mut copied, mut bytes) = (Vec::new(), 0);
    let mut since = since.as_deref();
    let mut page: Option<String> = None;
    for number in 0..PAGES {
        let (events, next) = match search(rest, id, since, page.as_deref(), "100").await {
            // Older versions fail at this filter.
            Err(BackendError::Unexpected(_) | BackendError::Refused(_))
                if number == 0 && since.is_some() =>
            {
                since = None;
                search(rest, id, since, None, "100").await?
            }
            found => found?,
        };
        let kept = events
            .into_iter()
            .filter(|event| event["kind"] != "StreamingDeltaEvent");
        copied.extend(kept.inspect(|event| bytes += crate::backend::live_stream::weight(event)));
        page = next;
        if page.is_none() {
            return Ok(copied);
        }
        if bytes > MOST_BYTES {
            break;
        }
    }
    tracing::warn!(
        conversation = id,
        "the app server's copy was too long to be read in whole"
    );
    Ok(copied)
}

async fn search(
    rest: &Rest,
    id: &str,
    since: Option<&str>,
    page: Option<&str>,
    limit: &str,
) -> Answer<(Vec<Value>, Option<String>)> {
    let path = [
        "api",
        "v1",
        "conversation",
        conversation_id(id)?,
        "events",
        "search",
    ];
    let mut call = Call::get(&path)
        .query("sort_order", "TIMESTAMP")
        .query("limit", limit)
        .query("timestamp__gte", since)
        .query("page_id", page);
    call.most = 4 * MOST_OF_PAGE;
    let mut answer = rest.json(call).await?;
    let events = take_list(&mut answer, "items")?;
    let next = answer["next_page_id"].as_str().map(str::to_owned);
    Ok((events, next))
}

/// A time as the sandbox writes it.
fn naive(at: i64, zone: Option<i32>) -> Option<String> {
    let ahead = i64::from(zone.unwrap_or(0)) * 60_000;
    let at = jiff::Timestamp::from_millisecond(at + ahead).ok()?;
    Some(at.strftime("%Y-%m-%dT%H:%M:%S").to_string())
}
