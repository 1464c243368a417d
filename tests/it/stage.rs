//! The parts of Handrail assembled in one process: rehearsal, bad network, bridge, journal, hub.

use crate::chaos::Chaos;
use crate::tab::{LONG, Tab};
use futures_util::future::{BoxFuture, FutureExt};
use handrail::backend::rehearsal::{Dialect, Options, Rehearsal};
use handrail::backend::{Backend, BackendError, ConnectionState, NewConversation};
use handrail::backend::{
    Connection, agent_server::AgentServer, app_server::AppServer, openhands::OpenHands,
};
use handrail::conversation::{Actor, Body, LogItem, Status, from_v0, from_v1};
use handrail::hub::{Backends, Hub, Target};
use handrail::journal::Journal;
use handrail::live::SessionView;
use handrail::people::Caller;
use handrail::wire::v0::{BackendSettings, Incoming};
use handrail::wire::v1::Event;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;

/// The user of a stage.
pub fn me() -> &'static Caller {
    static ME: LazyLock<Caller> = LazyLock::new(Caller::at_the_machine);
    &ME
}

/// A rehearsal without pace and without rate limit.
pub fn quick() -> Options {
    Options {
        pace: Duration::ZERO,
        rate_limit: false,
        max_concurrent_conversations: 1000,
        ..Options::default()
    }
}

/// How often something is repeated: `usual` times, or `all` times in a run of all repetitions (`cargo xtask test --all`).
pub fn repetitions(usual: usize, all: usize) -> usize {
    match std::env::var_os("HANDRAIL_ALL") {
        Some(_) => all,
        None => usual,
    }
}

/// A message that no other conversation begins with: two equal ones of one person within half a second are a double click.
pub fn unlike_others(message: &str) -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    format!("{message} {}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// The real bridge to an address where a server of this dialect is.
pub fn bridge(dialect: Dialect, address: SocketAddr, key: Option<&str>) -> Arc<dyn Backend> {
    let settings = BackendSettings {
        backend_host: address.ip().to_string(),
        backend_port: address.port(),
        session_api_key: key.map(str::to_owned),
        ..BackendSettings::default()
    };
    let connection = Connection::of(&settings).expect("a URL");
    match dialect {
        Dialect::OpenHands => Arc::new(OpenHands::new(connection).expect("a URL")),
        Dialect::AgentServer => Arc::new(AgentServer::new(connection).expect("a URL")),
        Dialect::AppServer => Arc::new(AppServer::new(connection).expect("a URL")),
    }
}

/// Parses raw events like the product does.
pub fn reader(raw: &str) -> LogItem {
    let event: Value = serde_json::from_str(raw).unwrap_or_else(|_| raw.into());
    match event.get("kind") {
        Some(Value::String(_)) => from_v1::item(&Event::read(event), None, None),
        _ => from_v0(&Incoming::read(event)),
    }
}

/// The only backend of a stage.
pub struct One(pub Arc<dyn Backend>);

impl Backends for One {
    fn fixed(&self) -> Vec<Target> {
        vec![Target::default()]
    }
    fn connect(&self, _target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        std::future::ready(Ok(Arc::clone(&self.0))).boxed()
    }
}

/// A hub over the journal in `folder`.
pub async fn hub_in(folder: &Path, backend: Arc<dyn Backend>) -> Hub {
    let journal = Journal::open(folder, reader)
        .await
        .expect("the folder can be written");
    Hub::new(journal, One(backend), "/", Duration::ZERO)
        .await
        .expect("a healthy journal")
}

/// Everything except pages and accounts.
pub struct Stage {
    pub rehearsal: Rehearsal,
    pub chaos: Chaos,
    pub hub: Hub,
    pub folder: TempDir,
}

impl Stage {
    /// A stage without network faults.
    pub async fn new(dialect: Dialect) -> Self {
        let options = Options { dialect, ..quick() };
        Self::with(options, None).await
    }

    /// A stage with other rehearsal options, to which Handrail sends `key`.
    pub async fn with(options: Options, key: Option<&str>) -> Self {
        let dialect = options.dialect;
        let rehearsal = Rehearsal::start(options).await.expect("a free port");
        let chaos = Chaos::before(rehearsal.addr()).await;
        let folder = TempDir::new().expect("a temporary folder");
        let hub = hub_in(folder.path(), bridge(dialect, chaos.address, key)).await;
        Self {
            rehearsal,
            chaos,
            hub,
            folder,
        }
    }

    /// Starts a conversation, and a page that follows it.
    pub async fn create_conversation(&self, message: &str) -> Tab {
        let id = self
            .hub
            .commands
            .create(me(), "", NewConversation::saying(message))
            .await
            .expect("the backend is running");
        Tab::over(&self.hub, &id).await
    }

    /// Starts a conversation, and waits until it is idle and connected.
    pub async fn at_rest(&self) -> Tab {
        let mut tab = self.create_conversation("[[scenario:hello]]").await;
        tab.session("the agent has done its work", is_at_rest).await;
        tab
    }
}

/// Connected, and the agent waits only for a message.
pub fn is_at_rest(session: &SessionView) -> bool {
    session.connection == ConnectionState::Live && is_over(session)
}

/// Whether the agent has finished.
pub fn is_over(session: &SessionView) -> bool {
    matches!(session.status, Status::Finished | Status::AwaitingInput)
}

/// Polls until `found` returns a value, yielding to other tasks in between.
pub async fn soon<T>(what: &str, found: impl AsyncFn() -> Option<T>) -> T {
    let waiting = async {
        loop {
            if let Some(found) = found().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    match tokio::time::timeout(LONG, waiting).await {
        Ok(found) => found,
        Err(_) => panic!("timed out: {what}"),
    }
}

/// All events that a rehearsal has stored for a conversation.
pub async fn events_of(rehearsal: &Rehearsal, conversation: &str) -> Vec<Value> {
    let base = format!(
        "http://{}/api/conversations/{conversation}/events",
        rehearsal.addr()
    );
    let mut events: Vec<Value> = Vec::new();
    let mut next = Some(String::new());
    while let Some(from) = next {
        let (address, list) = match rehearsal.dialect() {
            Dialect::OpenHands => (
                format!("{base}?limit=100&start_id={}", events.len()),
                "events",
            ),
            Dialect::AgentServer | Dialect::AppServer => {
                (format!("{base}/search?limit=100&page_id={from}"), "items")
            }
        };
        let page = reqwest::get(address).await.expect("it exists");
        let mut page: Value = page.json().await.expect("JSON");
        let Value::Array(read) = page[list].take() else {
            panic!("no events");
        };
        events.extend(read);
        next = match rehearsal.dialect() {
            Dialect::OpenHands => (page["has_more"] == true).then(String::new),
            Dialect::AgentServer | Dialect::AppServer => {
                page["next_page_id"].as_str().map(str::to_owned)
            }
        };
    }
    events
}

/// The same, as the product understands them.
pub async fn items_of(rehearsal: &Rehearsal, conversation: &str) -> Vec<LogItem> {
    let events = events_of(rehearsal, conversation).await;
    events
        .iter()
        .map(|event| reader(&event.to_string()))
        .collect()
}

/// Whether this is a user's message with exactly this text.
pub fn says(item: &LogItem, words: &str) -> bool {
    matches!(&item.body, Body::Message(said) if item.from == Actor::Human && said.text == words)
}
