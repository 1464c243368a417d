//! The parts of Handrail put together in one process: rehearsal, bad network, bridge, journal, hub.

use crate::chaos::Chaos;
use crate::tab::{LONG, Tab};
use futures_util::future::{BoxFuture, FutureExt};
use handrail::backend::rehearsal::{Options, Rehearsal};
use handrail::backend::{Backend, BackendError, LineState, NewConversation};
use handrail::backend::{Connection, openhands::OpenHands};
use handrail::conversation::{LogItem, Status, from_v0};
use handrail::hub::{Backends, Hub, Target};
use handrail::journal::Journal;
use handrail::live::SessionView;
use handrail::people::Caller;
use handrail::wire::v0::{BackendSettings, Incoming};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;

/// Who does everything on a stage.
pub fn me() -> &'static Caller {
    static ME: LazyLock<Caller> = LazyLock::new(Caller::at_the_machine);
    &ME
}

/// A rehearsal without pauses and without limits.
pub fn quick() -> Options {
    Options {
        pace: Duration::ZERO,
        rate_limit: false,
        max_concurrent_conversations: 1000,
        ..Options::default()
    }
}

/// The real bridge to an address.
pub fn bridge(address: SocketAddr, key: Option<&str>) -> Arc<dyn Backend> {
    let settings = BackendSettings {
        backend_host: address.ip().to_string(),
        backend_port: address.port(),
        session_api_key: key.map(str::to_owned),
        ..BackendSettings::default()
    };
    let connection = Connection::of(&settings).expect("it is an address");
    Arc::new(OpenHands::new(connection).expect("it is an address"))
}

/// Reads raw JSON as the product does.
pub fn reader(raw: &str) -> LogItem {
    let event = serde_json::from_str(raw).unwrap_or_else(|_| Value::String(raw.to_owned()));
    from_v0(&Incoming::read(event))
}

/// The one backend of a stage.
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
    Hub::new(journal, One(backend), "/")
        .await
        .expect("a healthy journal")
}

/// Everything but pages and people.
pub struct Stage {
    pub rehearsal: Rehearsal,
    pub chaos: Chaos,
    pub hub: Hub,
    pub folder: TempDir,
}

impl Stage {
    /// A stage in good weather.
    pub async fn new() -> Self {
        Self::with(quick(), None).await
    }

    /// A stage with another rehearsal, to which Handrail gives `key`.
    pub async fn with(options: Options, key: Option<&str>) -> Self {
        let rehearsal = Rehearsal::start(options).await.expect("a free port");
        let chaos = Chaos::before(rehearsal.addr()).await;
        let folder = TempDir::new().expect("a temporary folder");
        let hub = hub_in(folder.path(), bridge(chaos.address, key)).await;
        Self {
            rehearsal,
            chaos,
            hub,
            folder,
        }
    }

    /// Begins a conversation, and a page that follows it.
    pub async fn begin(&self, message: &str) -> Tab {
        let id = self
            .hub
            .create(me(), "", NewConversation::saying(message))
            .await
            .expect("the backend is there");
        Tab::over(&self.hub, &id).await
    }

    /// Begins a conversation that has said its words and is held.
    pub async fn at_rest(&self) -> Tab {
        let mut tab = self.begin("[[scenario:hello]]").await;
        tab.session("the agent has done its work", is_at_rest).await;
        tab
    }
}

/// Live, and the agent waits for nothing but words.
pub fn is_at_rest(session: &SessionView) -> bool {
    session.line == LineState::Live && is_over(session)
}

/// The agent has done its work.
pub fn is_over(session: &SessionView) -> bool {
    matches!(session.status, Status::Finished | Status::AwaitingInput)
}

/// Waits until there is something; looks whenever other tasks have had time.
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
        Err(_) => panic!("it never came to be so: {what}"),
    }
}

/// All events that a rehearsal has of a conversation.
pub async fn events_of(rehearsal: &Rehearsal, conversation: &str) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    loop {
        let address = format!(
            "http://{}/api/conversations/{conversation}/events?start_id={}&limit=100",
            rehearsal.addr(),
            events.len()
        );
        let page = reqwest::get(address).await.expect("it is there");
        let mut page: Value = page.json().await.expect("it is JSON");
        let Value::Array(read) = page["events"].take() else {
            panic!("no events");
        };
        events.extend(read);
        if page["has_more"] != true {
            return events;
        }
    }
}
