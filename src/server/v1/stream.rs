//! Following a conversation as server-sent events.
//!
//! Events come from the journal, in order and by their numbers, so a client that connects again misses nothing.

use super::problem::{Code, Failure, Reply};
use crate::hub::{Filter, event_in_words};
use crate::journal::LogEvent;
use crate::live::SessionView;
use crate::people::{Caller, Right};
use crate::server::Site;
use crate::v1::{Event, StateEvent};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use futures_util::{Stream, StreamExt};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior};

/// Interval of the check that the credential is still good. One that is revoked ends at once.
const CHECK: Duration = Duration::from_secs(60);
/// Interval of comments that keep proxies from ending a quiet stream.
const QUIET: Duration = Duration::from_secs(15);
/// A stream ends after this time; its client connects again.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Follows a conversation from the event after `after` on.
pub async fn follow(site: Site, by: Caller, id: String, after: i64) -> Reply {
    let permits = site.api.stream(&by).ok_or_else(|| {
        let text = "Too many streams are open. Close one, then try again.";
        Failure::new(StatusCode::TOO_MANY_REQUESTS, Code::TooMany, text)
    })?;
    let open = site.open_connections.token();
    let reader = &site.hub.reader;
    let (watching, session) = reader.session(&id).await?;
    let events = reader.events(&id, after, Filter::default()).await?;
    let sent = async_stream::stream! {
        let _held = (permits, open, watching);
        let mut sent = pin!(told(site, by, id, session, events));
        while let Some(sent) = sent.next().await {
            yield Ok::<_, Infallible>(sent);
        }
    };
    let alive = KeepAlive::new().interval(QUIET);
    Ok(Sse::new(sent).keep_alive(alive).into_response())
}

/// What a stream does next.
enum Next<E> {
    /// Checks that its caller still has the right.
    Check,
    /// Sends what was stored.
    Event(Option<Result<Box<LogEvent>, E>>),
    /// Reads the state.
    State,
}

fn told<E>(
    site: Site,
    by: Caller,
    id: String,
    mut session: watch::Receiver<Arc<SessionView>>,
    events: impl Stream<Item = Result<LogEvent, E>> + Send,
) -> impl Stream<Item = Sent> + Send
where
    E: Send,
{
    async_stream::stream! {
        let mut events = pin!(events);
        let mut state = StateEvent::from(&**session.borrow_and_update());
        let (mut changed, mut sharing) = (site.people.changed(), site.hub.sharings.changed());
        let stopping = site.stopping.clone();
        let ends_at = Instant::now() + LONGEST;
        let mut expiry = tokio::time::interval(CHECK);
        expiry.set_missed_tick_behavior(MissedTickBehavior::Delay);
        yield named("state", &state);
        loop {
            let next = tokio::select! {
                // A right that has ended goes before what is still to be said.
                biased;
                () = stopping.cancelled() => break,
                () = tokio::time::sleep_until(ends_at) => break,
                Ok(()) = changed.changed() => Next::Check,
                Ok(()) = sharing.changed() => Next::Check,
                _ = expiry.tick() => Next::Check,
                event = events.next() => Next::Event(event.map(|event| event.map(Box::new))),
                told = session.changed() => match told {
                    Ok(()) => Next::State,
                    // The conversation is closed: the client connects again.
                    Err(_) => break,
                },
            };
            match next {
                Next::Check => {
                    if !is_allowed(&site, &by, &id).await {
                        break;
                    }
                }
                Next::Event(Some(Ok(event))) => {
                    let shown = Event::of(&event, event_in_words(&event.item));
                    yield named("event", &shown).id(event.seq.to_string());
                }
                Next::State => {
                    let now = StateEvent::from(&**session.borrow_and_update());
                    if now != state {
                        state = now;
                        yield named("state", &state);
                    }
                }
                // The client connects again.
                Next::Event(Some(Err(_)) | None) => break,
            }
        }
        yield Sent::default().event("end").data("{}");
    }
}

fn named(name: &str, what: &impl serde::Serialize) -> Sent {
    let data = serde_json::to_string(what).expect("plain data");
    Sent::default().event(name).data(data)
}

/// Whether the caller still has the right to read this conversation.
async fn is_allowed(site: &Site, by: &Caller, id: &str) -> bool {
    let role = site.hub.sharings.role_in(by, id);
    let is_good = match site.people.still(by).await {
        Ok(is_good) => is_good,
        Err(error) => {
            tracing::error!(%error, "a stream is ended: its credential cannot be checked");
            false
        }
    };
    is_good && role.is_some_and(|role| role.may(Right::Read))
}
