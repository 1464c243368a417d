//! The bridge to OpenHands 0.x: Socket.IO for what happens, REST for everything else.
//!
//! Nothing here wakes a conversation by looking at it, sends anything twice, or trusts what it reads.
//!
//! Known defects of 0.62 that a page should speak of: an upload is decoded as UTF-8 and gets a line break
//! appended, so that binary files arrive damaged; edits and reads are carried out before the answer
//! (`Capabilities::holds_edits`); a command that runs keeps file and git routes waiting; a fourth running
//! conversation ends the oldest.

mod arrivals;
mod dto;
mod ending;
mod events;
mod losses;
mod orders;
mod probe;
mod pump;
mod routes;
mod settings;
mod socket;
mod stored;
mod supervisor;
mod workspace;

#[cfg(test)]
pub(super) mod stub;
#[cfg(test)]
mod tests;

pub use orders::OrderEvent;
pub(super) use probe::has_socket;

use super::http::{self, Connection, Rest};
use super::seam::cannot;
use super::{
    Answer, Archive, Backend, BackendError, Capabilities, ChangedFile, ChangedText,
    ConversationInfo, ConversationPage, FileText, HistoryPage, Line, LineState, Microagent,
    NewConversation, Options, Past, Probe, Protocol, SecretName, Settings, Upload,
};
use events::Events;
use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;
use std::sync::Arc;
use supervisor::Timing;
use workspace::Workspace;

/// One OpenHands 0.x.
pub struct OpenHands {
    rest: Arc<Rest>,
    timing: Timing,
    order_event: OrderEvent,
    /// One change of the settings at a time: each reads, puts its fields over, and writes everything.
    saving: tokio::sync::Mutex<()>,
}

impl OpenHands {
    /// The bridge to `connection`. Nothing is asked yet; an address that cannot be one is refused.
    pub fn new(connection: Connection) -> Result<Self, BackendError> {
        let rest = Rest::new(connection)?;
        Ok(Self {
            rest,
            timing: Timing::default(),
            order_event: OrderEvent::default(),
            saving: tokio::sync::Mutex::default(),
        })
    }

    /// Says which event carries orders, for a server whose version misleads.
    pub fn with_order_event(self, order_event: OrderEvent) -> Self {
        Self {
            order_event,
            ..self
        }
    }

    /// Other times: tests have none to lose.
    #[cfg(test)]
    fn with_timing(self, timing: Timing) -> Self {
        Self { timing, ..self }
    }
}

impl Backend for OpenHands {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            files: true,
            repositories: true,
            evicts_oldest: true,
            runtimes: true,
            commit_settings: true,
            budget: true,
            archive: Some(Archive::Zip),
            ..Capabilities::default()
        }
    }

    fn protocol(&self) -> Protocol {
        Protocol::SocketIo
    }

    fn probe(&self) -> Answer<'_, Probe> {
        probe::probe(&self.rest).boxed()
    }

    fn conversations(&self, page: Option<String>) -> Answer<'_, ConversationPage> {
        async move { routes::conversations(&self.rest, page.as_deref()).await }.boxed()
    }

    fn conversation(&self, id: &str) -> Answer<'_, Option<ConversationInfo>> {
        let id = id.to_owned();
        async move { routes::conversation(&self.rest, &id).await }.boxed()
    }

    fn create(&self, new: NewConversation) -> Answer<'_, String> {
        async move {
            // It may take a minute, which nobody should wait for a backend that is not there.
            http::alive(&self.rest).await?;
            routes::create(&self.rest, new).await
        }
        .boxed()
    }

    fn start(&self, id: &str) -> Answer<'_, ()> {
        let id = id.to_owned();
        async move { routes::start(&self.rest, &id).await }.boxed()
    }

    fn stop(&self, id: &str) -> Answer<'_, ()> {
        let id = id.to_owned();
        async move { routes::stop(&self.rest, &id).await }.boxed()
    }

    fn rename(&self, id: &str, title: &str) -> Answer<'_, ()> {
        let (id, title) = (id.to_owned(), title.to_owned());
        async move { routes::rename(&self.rest, &id, &title).await }.boxed()
    }

    fn delete(&self, id: &str) -> Answer<'_, ()> {
        let id = id.to_owned();
        async move { routes::delete(&self.rest, &id).await }.boxed()
    }

    fn history(&self, id: &str, past: Past) -> Answer<'_, HistoryPage> {
        let id = id.to_owned();
        async move {
            let id = http::conversation_id(&id)?;
            let events = Events::of(self.rest.clone(), id, past.shift);
            match losses::find(&events, &past, past.newest).await? {
                Some(shift) => Ok(HistoryPage {
                    events: vec![events::notice(shift)],
                    more: true,
                }),
                None => events.after(past.after.max(past.shift.since)).await,
            }
        }
        .boxed()
    }

    fn hold(&self, id: &str, line: Line) -> BoxFuture<'static, ()> {
        if let Err(error) = http::conversation_id(id) {
            line.state.send_replace(LineState::Refused {
                why: error.to_string(),
                code: String::new(),
            });
            return futures_util::future::ready(()).boxed();
        }
        supervisor::hold(
            self.rest.clone(),
            id.to_owned(),
            self.timing.clone(),
            self.order_event,
            line,
        )
        .boxed()
    }

    fn list_files(&self, id: &str, directory: &str) -> Answer<'_, Vec<String>> {
        let (id, directory) = (id.to_owned(), directory.to_owned());
        async move { Workspace::of(&self.rest, &id)?.list_files(&directory).await }.boxed()
    }

    fn read_file(&self, id: &str, path: &str) -> Answer<'_, FileText> {
        let (id, path) = (id.to_owned(), path.to_owned());
        async move { Workspace::of(&self.rest, &id)?.read_file(&path).await }.boxed()
    }

    fn upload(&self, id: &str, files: Vec<Upload>) -> Answer<'_, Vec<String>> {
        let id = id.to_owned();
        async move { Workspace::of(&self.rest, &id)?.upload(files).await }.boxed()
    }

    fn archive(&self, id: &str) -> Answer<'_, reqwest::Response> {
        let id = id.to_owned();
        async move { Workspace::of(&self.rest, &id)?.archive().await }.boxed()
    }

    fn changes(&self, id: &str, commit: Option<&str>) -> Answer<'_, Vec<ChangedFile>> {
        if commit.is_some() {
            return cannot();
        }
        let id = id.to_owned();
        async move { Workspace::of(&self.rest, &id)?.changes().await }.boxed()
    }

    fn change(&self, id: &str, commit: Option<&str>, path: &str) -> Answer<'_, ChangedText> {
        if commit.is_some() {
            return cannot();
        }
        let (id, path) = (id.to_owned(), path.to_owned());
        async move { Workspace::of(&self.rest, &id)?.change(&path).await }.boxed()
    }

    fn trajectory(&self, id: &str) -> Answer<'_, Value> {
        let id = id.to_owned();
        async move { Workspace::of(&self.rest, &id)?.trajectory().await }.boxed()
    }

    fn microagents(&self, id: &str) -> Answer<'_, Vec<Microagent>> {
        let id = id.to_owned();
        async move { Workspace::of(&self.rest, &id)?.microagents().await }.boxed()
    }

    fn settings(&self) -> Answer<'_, Settings> {
        async move {
            let stored = stored::stored_settings(&self.rest).await?;
            Ok(stored.map_or_else(settings::fresh, |stored| settings::read(&stored)))
        }
        .boxed()
    }

    fn save_settings(&self, settings: Settings) -> Answer<'_, ()> {
        async move {
            let _one = self.saving.lock().await;
            stored::save_settings(&self.rest, &settings).await
        }
        .boxed()
    }

    fn options(&self) -> Answer<'_, Options> {
        stored::options(&self.rest).boxed()
    }

    fn secrets(&self) -> Answer<'_, Vec<SecretName>> {
        stored::secrets(&self.rest).boxed()
    }

    fn save_secret(&self, name: &str, value: &str, description: &str) -> Answer<'_, ()> {
        let (name, value, description) =
            (name.to_owned(), value.to_owned(), description.to_owned());
        async move {
            let _one = self.saving.lock().await;
            stored::save_secret(&self.rest, &name, &value, &description).await
        }
        .boxed()
    }

    fn delete_secret(&self, name: &str) -> Answer<'_, ()> {
        let name = name.to_owned();
        async move { stored::delete_secret(&self.rest, &name).await }.boxed()
    }
}
