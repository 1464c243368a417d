//! The two servers as backends: requests without a live connection.

use crate::connection::{SimConnection, read};
use crate::world::{Dialect, Kind, Shared, State, lock};
use async_trait::async_trait;
use futures_util::future::{BoxFuture, FutureExt, ready};
use handrail::backend::*;
use handrail::conversation::Status;
use handrail::hub::{Backends, Target};
use std::sync::Arc;
use std::time::Duration;

/// Conversations of a page of the list in which nothing happens.
const IDLE_PAGE: usize = 20;

/// One server.
#[derive(Clone)]
pub struct Server {
    pub world: Shared,
    pub dialect: Dialect,
}

/// Both servers.
pub struct Both {
    pub world: Shared,
    /// Whether owners may change the backends. Else they are given on the command line.
    pub are_edited: bool,
}

/// The addresses of both servers.
pub const ADDRESSES: [&str; 2] = ["http://zero", "http://one"];
/// An address at which nothing responds.
pub const NOBODY: &str = "http://nobody";
/// The setting of the backends.
pub const SETTING: &str = "backends";

/// Both servers as they are stored.
pub fn stored() -> String {
    let targets = ADDRESSES.map(|address| Target::at(address, None));
    serde_json::to_string(&targets).expect("plain data")
}

impl Backends for Both {
    fn fixed(&self) -> Vec<Target> {
        match self.are_edited {
            true => Vec::new(),
            false => ADDRESSES.map(|address| Target::at(address, None)).to_vec(),
        }
    }

    fn connect(&self, target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        if target.address == NOBODY {
            let away = BackendError::Unreachable("refused".to_owned());
            return ready(Err(away)).boxed();
        }
        let dialect = if target.address == ADDRESSES[0] {
            Dialect::Zero
        } else {
            Dialect::One
        };
        let server = Server {
            world: self.world.clone(),
            dialect,
        };
        async move {
            server.pass().await?;
            let backend: Arc<dyn Backend> = Arc::new(server);
            Ok(backend)
        }
        .boxed()
    }
}

impl Server {
    /// One trip over the network.
    async fn pass(&self) -> Result<(), BackendError> {
        let (reachable, half_open, latency) = {
            let mut world = lock(&self.world);
            let latency = world.latency(self.dialect);
            let half_open = world.net(self.dialect).half_open_until > crate::clock::now();
            (world.reachable(self.dialect), half_open, latency)
        };
        if !reachable {
            return Err(BackendError::Unreachable("refused".to_owned()));
        }
        if half_open {
            tokio::time::sleep(Duration::from_secs(10)).await;
            return Err(BackendError::Timeout(10));
        }
        if latency > 0 {
            tokio::time::sleep(Duration::from_millis(latency)).await;
        }
        Ok(())
    }

    fn info(&self, at: usize) -> ConversationInfo {
        let world = lock(&self.world);
        let one = &world.conversations[at];
        let status = match one.state {
            State::Running => Status::Running,
            State::Asking => Status::AwaitingConfirmation,
            State::Paused => Status::Paused,
            State::Error => Status::Error,
            State::AwaitingInput | State::Stopped => Status::Finished,
        };
        ConversationInfo {
            id: one.id.clone(),
            title: format!("Conversation {}", one.number),
            runtime: if one.up {
                Runtime::Running
            } else {
                Runtime::Stopped
            },
            updated_at: one.updated_at,
            status: (one.dialect == Dialect::One).then_some(status),
            ..ConversationInfo::default()
        }
    }

    fn find(&self, id: &str) -> Option<usize> {
        let world = lock(&self.world);
        let at = world.by_id(id)?;
        let one = &world.conversations[at];
        (one.dialect == self.dialect && !one.gone).then_some(at)
    }

    /// Applies a change at the server; the response may be lost.
    async fn has_changed(
        &self,
        id: &str,
        change: fn(&mut crate::world::Conversation),
    ) -> Answer<()> {
        self.pass().await?;
        let at = self.known(id)?;
        {
            let mut world = lock(&self.world);
            let one = &mut world.conversations[at];
            change(one);
            one.changed.send_replace(());
        }
        let passed = self.pass().await;
        passed.map_err(|_| BackendError::CutOff("reset".to_owned()))
    }

    fn known(&self, id: &str) -> Answer<usize> {
        self.find(id)
            .ok_or(BackendError::NotFound("the conversation".to_owned()))
    }
}

#[async_trait]
impl Backend for Server {
    fn capabilities(&self) -> Capabilities {
        let one = self.dialect == Dialect::One;
        Capabilities {
            interrupt: one,
            reject_reason: one,
            holds_edits: one,
            runtimes: !one,
            separate_runs: one,
            ..Capabilities::default()
        }
    }
    fn protocol(&self) -> Protocol {
        match self.dialect {
            Dialect::Zero => Protocol::SocketIo,
            Dialect::One => Protocol::AgentServer,
        }
    }
    async fn probe(&self) -> Answer<Probe> {
        Err(BackendError::Unsupported)
    }
}

#[async_trait]
impl ConversationApi for Server {
    async fn conversations(&self, page: Option<String>) -> Answer<ConversationPage> {
        self.pass().await?;
        let page: usize = page.map_or(0, |page| page.parse().expect("it is our own"));
        let (places, idle): (Vec<usize>, usize) = {
            let world = lock(&self.world);
            let mine = world.conversations.iter().enumerate();
            let mine =
                mine.filter(|(_, one)| page == 0 && one.dialect == self.dialect && !one.gone);
            let idle = match self.dialect {
                Dialect::Zero => world.idle,
                Dialect::One => 0,
            };
            (mine.map(|(at, _)| at).collect(), idle)
        };
        let mut results: Vec<ConversationInfo> =
            places.into_iter().map(|at| self.info(at)).collect();
        let first = page * IDLE_PAGE;
        let last = idle.min(first + IDLE_PAGE);
        results.extend((first..last).map(|number| ConversationInfo {
            id: format!("idle{number}"),
            title: format!("Idle {number}"),
            updated_at: i64::try_from(number).expect("lists are short"),
            ..ConversationInfo::default()
        }));
        // The page has the state at the time of the request; it arrives later.
        self.pass().await?;
        Ok(ConversationPage {
            results,
            left_out: 0,
            next: (last < idle).then(|| (page + 1).to_string()),
            ..ConversationPage::default()
        })
    }
    async fn conversation(&self, id: &str) -> Answer<Option<ConversationInfo>> {
        self.pass().await?;
        let found = self.find(id).map(|at| self.info(at));
        self.pass().await?;
        Ok(found)
    }
    /// Takes as long as a real server needs for a sandbox. Its list has the conversation before that.
    async fn create(&self, new: NewConversation) -> Answer<String> {
        self.pass().await?;
        let (id, duration) = {
            let mut world = lock(&self.world);
            let duration = 1_000 + world.dice.below(25_000);
            let at = world.create(self.dialect, &new.message);
            (world.conversations[at].id.clone(), duration)
        };
        tokio::time::sleep(Duration::from_millis(duration)).await;
        let passed = self.pass().await;
        passed.map_err(|_| BackendError::CutOff("reset".to_owned()))?;
        Ok(id)
    }
    async fn start(&self, id: &str) -> Answer<()> {
        self.has_changed(id, |one| one.runtime_is(true)).await
    }
    async fn stop(&self, id: &str) -> Answer<()> {
        self.has_changed(id, |one| one.runtime_is(false)).await
    }
    async fn rename(&self, _id: &str, _title: &str) -> Answer<()> {
        Err(BackendError::Unsupported)
    }
    async fn delete(&self, id: &str) -> Answer<()> {
        self.has_changed(id, |one| one.gone = true).await
    }
    async fn history(&self, id: &str, resume: ResumePoint) -> Answer<HistoryPage> {
        self.pass().await?;
        let at = self.known(id)?;
        let page = {
            let mut world = lock(&self.world);
            let most = 3 + world.dice.place(100);
            let log = &world.conversations[at].log;
            let from = resume
                .after
                .map_or(0, |after| usize::try_from(after + 1).unwrap_or(0));
            let mut places = (from..log.len()).filter(|place| log[*place].kind != Kind::Null);
            let events: Vec<ReceivedEvent> = places
                .by_ref()
                .take(most)
                .map(|place| read(self.dialect, &log[place].raw, place))
                .collect();
            let more = places.next().is_some();
            world.counts.delivered += events.len() as u64;
            HistoryPage {
                events,
                more,
                is_copy: false,
            }
        };
        self.pass().await?;
        Ok(page)
    }
    fn hold(&self, id: &str, stream: LiveStream) -> BoxFuture<'static, ()> {
        let Some(at) = self.find(id) else {
            let (why, code) = ("there is no such conversation".to_owned(), String::new());
            stream
                .state
                .send_replace(ConnectionState::Refused { why, code });
            return ready(()).boxed();
        };
        SimConnection::new(self.world.clone(), at, stream)
            .run()
            .boxed()
    }
}

impl WorkspaceApi for Server {}

impl SettingsApi for Server {}
