//! The end of a sandbox that no event reports: it is gone, or it does not come up.
//!
//! What was under way in it gets no result any more, and the log of the backend will never say so. So one event of
//! Handrail's own is stored, which ends the run; an event of the backend that arrives later overrules it.

use crate::backend::{ConnectionState, ReceivedEvent, Runtime};
use crate::clock::now;
use crate::conversation::{SANDBOX_GONE, SANDBOX_NOT_STARTED, Session, Status, from_v1};
use crate::hub::parts::link::Link;
use crate::hub::view;
use crate::wire::v1::Event;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// How long a sandbox may take to come up. An app server gives it two minutes; an image may have to be fetched first.
const LONGEST_START: Duration = Duration::from_secs(300);

/// What is known of a sandbox beside its state.
#[derive(Default)]
pub(super) struct Sandbox {
    /// The backend's newest word for its state.
    pub(super) word: String,
    /// Since when it has been coming up.
    since: Option<Instant>,
    /// A person has started it again after it did not come up.
    is_retried: bool,
    /// Whether a start is under way, for messages that wait for it.
    pub(super) waking: bool,
}

impl Sandbox {
    /// The state of the sandbox to show.
    pub(super) fn runtime(&self, session: &Session, runtime: Runtime) -> Runtime {
        match self.is_retried {
            true => runtime,
            false => view::runtime_now(session, runtime),
        }
    }

    /// A person has started the sandbox: it has its time again.
    pub(super) fn retry(&mut self) {
        self.waking = false;
        self.since = None;
        self.is_retried = true;
    }

    /// The end of a sandbox that is gone, or that has been coming up for too long.
    pub(super) fn given_up(&mut self, session: &Session, link: &Link) -> Option<ReceivedEvent> {
        let runtime = link.runtime();
        // What is left of its history may still say how the run ended.
        if runtime == Runtime::Gone && !link.is_busy() {
            let text = "The sandbox no longer exists. What was under way in it may or may not have been carried out.";
            return is_under_way(session).then(|| end_of_run(SANDBOX_GONE, text));
        }
        // Without a connection nobody knows how it is.
        let is_asked = !matches!(
            link.state(),
            ConnectionState::Reconnecting { .. } | ConnectionState::Refused { .. }
        );
        if !runtime.is_coming_up() || !is_asked {
            self.since = None;
            self.is_retried &= runtime.is_coming_up();
            return None;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        if since.elapsed() < LONGEST_START || self.runtime(session, runtime) == Runtime::Error {
            return None;
        }
        self.is_retried = false;
        let said = match &*self.word {
            "" => String::new(),
            word => format!(" OpenHands last said: {word}."),
        };
        let minutes = LONGEST_START.as_secs() / 60;
        let text = format!("The sandbox did not start within {minutes} minutes.{said}");
        Some(end_of_run(SANDBOX_NOT_STARTED, &text))
    }
}

fn is_under_way(session: &Session) -> bool {
    session.has_open_calls()
        || matches!(
            session.status,
            Status::Running
                | Status::AwaitingConfirmation
                | Status::Confirmed
                | Status::UserRejected
        )
}

fn end_of_run(code: &str, text: &str) -> ReceivedEvent {
    let at = jiff::Timestamp::from_millisecond(now()).unwrap_or_default();
    let event = json!({
        "kind": "ConversationErrorEvent",
        "source": "environment",
        "timestamp": at.to_string(),
        "code": code,
        "detail": text,
    });
    let raw = event.to_string();
    let item = from_v1::item(&Event::read(event), None, None);
    ReceivedEvent { item, raw }
}
