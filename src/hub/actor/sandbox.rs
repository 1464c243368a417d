//! The end of a sandbox that no event reports: it is gone, or it does not come up.
//!
//! What was under way in it gets no result any more, and the log of the backend will never say so. So one event of
//! Handrail's own is stored, which ends the run; an event of the backend that arrives later overrules it.

use super::state::ConversationActor;
use crate::backend::{ConnectionState, ReceivedEvent, Runtime};
use crate::clock::now;
use crate::conversation::{SANDBOX_GONE, SANDBOX_NOT_STARTED, Status, from_v1};
use crate::hub::view;
use crate::wire::v1::Event;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// How long a sandbox may take to come up. An app server gives it two minutes; an image may have to be fetched first.
const LONGEST_START: Duration = Duration::from_secs(300);

impl ConversationActor {
    /// The state of the sandbox to show.
    pub(super) fn runtime(&self) -> Runtime {
        match self.sandbox.is_retried {
            true => self.link.runtime(),
            false => view::runtime_now(self.log.session(), self.link.runtime()),
        }
    }

    /// A person has started the sandbox: it has its time again.
    pub(super) fn retry_sandbox(&mut self) {
        self.sandbox.since = None;
        self.sandbox.is_retried = true;
    }

    /// Gives up a sandbox that is gone, or that has been coming up for too long.
    pub(super) async fn give_up_sandbox(&mut self) {
        // What is left of its history may still say how the run ended.
        if self.link.runtime() == Runtime::Gone && !self.link.is_busy() {
            return self.sandbox_is_gone().await;
        }
        // Without a connection nobody knows how it is.
        let is_asked = !matches!(
            self.link.state(),
            ConnectionState::Reconnecting { .. } | ConnectionState::Refused { .. }
        );
        if !self.link.runtime().is_coming_up() || !is_asked {
            self.sandbox.since = None;
            self.sandbox.is_retried &= self.link.runtime().is_coming_up();
            return;
        }
        let since = *self.sandbox.since.get_or_insert_with(Instant::now);
        if since.elapsed() < LONGEST_START || self.runtime() == Runtime::Error {
            return;
        }
        self.sandbox.is_retried = false;
        let said = match &*self.sandbox.word {
            "" => String::new(),
            word => format!(" OpenHands last said: {word}."),
        };
        let minutes = LONGEST_START.as_secs() / 60;
        let text = format!("The sandbox did not start within {minutes} minutes.{said}");
        self.end_run(SANDBOX_NOT_STARTED, &text).await;
    }

    /// Ends what was under way in a sandbox that is gone.
    async fn sandbox_is_gone(&mut self) {
        let session = self.log.session();
        let is_busy = session.has_open_calls()
            || matches!(
                session.status,
                Status::Running
                    | Status::AwaitingConfirmation
                    | Status::Confirmed
                    | Status::UserRejected
            );
        if is_busy {
            let text = "The sandbox no longer exists. What was under way in it may or may not have been carried out.";
            self.end_run(SANDBOX_GONE, text).await;
        }
    }

    async fn end_run(&mut self, code: &str, text: &str) {
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
        self.ingest(vec![ReceivedEvent { item, raw }]).await;
    }
}
