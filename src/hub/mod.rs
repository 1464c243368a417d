//! One supervised task per live conversation: backend → journal → everyone who follows.
//!
//! A conversation's task is its lock. It alone appends to the log, hands out what was appended, and
//! starts new followers, one thing after the other. It holds at most one line to the backend, while
//! somebody watches or the agent is at work, and only if the runtime is up: joining a stopped
//! conversation would start it (`protocol/v0.md` section 3).
//!
//! Invariant: a follower sees each change exactly once and in order, or is told that there is a gap.
//! Invariant: no answer leaves without a stored approval of exactly what was shown.
//! How the publish-subscribe vocabulary of OpenHands maps to this is in `docs/EVENT-SYSTEM.md`.

mod approval;
mod begin;
mod coming_back;
mod connected;
mod connection;
mod deeds;
mod error;
mod export;
mod follower;
mod inbox;
mod keeper;
mod line;
mod list;
mod looking;
mod managing;
mod orders;
mod outbox;
mod polling;
mod presence;
mod question;
mod reading;
mod room;
mod settings;
mod sharing;
mod showing;
mod steering;
mod storing;
mod subscription;
mod view;
mod workspace;
mod writing;

#[cfg(test)]
mod tests;

pub use connected::{Backends, Target};
pub use error::HubError;
pub use follower::{Follower, MOST_BYTES, MOST_FRAMES};
pub use subscription::Filter;

use crate::journal::Journal;
use connected::Connected;
use list::List;
use presence::Presence;
use room::{Ending, Input, Room};
use sharing::Sharings;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The hub. Cheap to clone: all clones are one.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    journal: Journal,
    /// How a backend is reached; the hub names none.
    backends: Box<dyn Backends>,
    /// The path that pages live under, ending in `/`: addresses of pictures begin with it.
    base: String,
    connected: Mutex<Vec<Connected>>,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
    list: List,
    sharings: Sharings,
    presence: Presence,
    stopping: CancellationToken,
    tasks: TaskTracker,
}

/// How we are, for `/readyz`.
#[derive(Debug)]
pub struct Ready {
    /// The journal can be read; else what is wrong.
    pub journal: Result<(), String>,
    /// The backends, each with "ok" or what was wrong with it the last time it was asked.
    pub backends: Vec<(String, String)>,
}

impl Hub {
    /// A hub over `journal`. The backends are those that were started with, else those that were kept in
    /// the settings, else the rehearsal; they need not be reachable, and one that has never said what it is
    /// is asked until it does. `base` is the path that pages live under, ending in `/`.
    pub async fn new(
        journal: Journal,
        backends: impl Backends,
        base: &str,
    ) -> Result<Self, HubError> {
        let targets = connection::first_targets(&journal, &backends).await?;
        let mut connected: Vec<Connected> = targets.into_iter().map(Connected::to).collect();
        for one in &mut connected {
            if one.target.rehearsal || one.target.protocol.is_some() {
                one.backend = Some(backends.connect(&one.target).await?);
            }
        }
        let hub = Self(Arc::new(Inner {
            journal,
            backends: Box::new(backends),
            base: base.to_owned(),
            connected: Mutex::new(connected),
            rooms: Mutex::default(),
            list: List::default(),
            sharings: Sharings::default(),
            presence: Presence::default(),
            stopping: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }));
        hub.remember_sharings().await?;
        hub.remember_list().await?;
        let polling = hub.clone();
        hub.spawn(async move { polling.keep_list_current().await });
        Ok(hub)
    }

    /// How journal and backend are.
    pub async fn ready(&self) -> Ready {
        let journal = self.0.journal.setting("connection").await;
        Ready {
            journal: journal.map(drop).map_err(|error| error.to_string()),
            backends: self
                .connected()
                .into_iter()
                .map(|one| {
                    (
                        one.target.label(),
                        one.trouble.unwrap_or_else(|| "ok".to_owned()),
                    )
                })
                .collect(),
        }
    }

    /// Lets go of all lines, within `grace` at most 5 seconds. What is in the journal stays.
    pub async fn shutdown(&self) {
        self.0.stopping.cancel();
        self.close_rooms().await;
        self.0.tasks.close();
        if tokio::time::timeout(Duration::from_secs(5), self.0.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("some conversations did not end in time");
        }
    }

    fn journal(&self) -> &Journal {
        &self.0.journal
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.tasks.spawn(task);
    }

    /// The room of a conversation; opens it if need be.
    async fn room(&self, id: &str) -> Result<Arc<Room>, HubError> {
        check_id(id)?;
        if let Some(room) = self.open_room(id) {
            return Ok(room);
        }
        let journal = self.journal();
        let known = match journal.conversation(id).await? {
            Some(known) => known,
            None => {
                self.look_everywhere(id).await?;
                journal
                    .conversation(id)
                    .await?
                    .ok_or(HubError::NotFound("conversation"))?
            }
        };
        let outbox = journal.outbox(id).await?;
        let mut rooms = lock(&self.0.rooms);
        if self.0.stopping.is_cancelled() {
            return Err(HubError::Closed);
        }
        let is_open = rooms.get(id).filter(|room| !room.inputs.is_closed());
        if let Some(room) = is_open {
            return Ok(Arc::clone(room));
        }
        let room = Room::start(self, known, outbox);
        rooms.insert(id.to_owned(), Arc::clone(&room));
        Ok(room)
    }

    /// Takes a conversation in that no list has brought: the backend that knows it says so.
    async fn look_everywhere(&self, id: &str) -> Result<(), HubError> {
        let mut missing = HubError::NotFound("conversation");
        for one in self.connected() {
            let label = one.target.label();
            let found = match self.backend(&label).await {
                Ok(backend) => backend.conversation(id).await.map_err(HubError::from),
                Err(error) => Err(error),
            };
            match found {
                Ok(Some(info)) => {
                    let described = vec![view::described(&info, &label)];
                    return Ok(self.journal().describe(described).await?);
                }
                Ok(None) => {}
                // It may well be there.
                Err(error) => missing = error,
            }
        }
        Err(missing)
    }

    fn open_room(&self, id: &str) -> Option<Arc<Room>> {
        let rooms = lock(&self.0.rooms);
        rooms
            .get(id)
            .filter(|room| !room.inputs.is_closed())
            .cloned()
    }

    /// Forgets a room that wants to end; `false` if somebody has just come in. Rooms are handed out
    /// under the same lock, so nobody can be on the way.
    fn retire(&self, id: &str) -> bool {
        let mut rooms = lock(&self.0.rooms);
        let lonely = rooms.get(id).is_some_and(|room| {
            Arc::strong_count(room) == 1 && room.inputs.capacity() == room.inputs.max_capacity()
        });
        if lonely {
            rooms.remove(id);
        }
        lonely
    }

    /// Ends the tasks of all conversations.
    async fn close_rooms(&self) {
        let rooms: Vec<Arc<Room>> = lock(&self.0.rooms).drain().map(|(_, room)| room).collect();
        for room in rooms {
            // One that has ended by itself is what we want.
            let _ = room.tell(Input::End(Ending::Closed)).await;
        }
    }
}

/// A panic while one of these small maps is held cannot leave it half-changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ids go into file names and headers, so they are of letters, digits, `-` and `_` only.
fn check_id(id: &str) -> Result<(), HubError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if (1..=64).contains(&id.len()) && id.chars().all(plain) {
        Ok(())
    } else {
        Err(HubError::NotFound("conversation"))
    }
}

/// Milliseconds since the Unix epoch.
fn now() -> i64 {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Work that computes for long, off the threads that serve.
async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, HubError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| HubError::Closed)
}
