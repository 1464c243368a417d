//! What the hub promises, with a backend in memory.
//!
//! Long because all tests of the hub share these helpers.

mod addresses;
mod alone;
mod amending;
mod answering;
mod approving;
mod budgets;
mod changing;
mod deleting;
mod deleting_by_rule;
mod escalating;
mod everything;
mod exporting;
mod fake;
mod finding;
mod following;
mod holding;
mod importing;
mod indeterminate;
mod interleaving;
mod link;
mod listing;
mod lost_answers;
mod measure;
mod proving;
mod rehearsed;
mod replaying;
mod ruling;
mod sandboxes;
mod seeing;
mod several;
mod sharing;
mod shut_out;
mod storing;
mod taking_over;
mod talking;
mod touching;
mod writing;

use super::handle::ConversationHandle;
use super::{Backends, Follower, Hub, HubError, HubResult, Target};
use crate::backend::{Backend, BackendError, ConnectionState, Runtime};
use crate::journal::tests::sample::*;
use crate::journal::{AuditEntry, AuditFilter};
use crate::live::{FromServer, SessionView, Steering, Verdict};
use crate::people::{Caller, Credential};
use crate::render::RowView;
use fake::{Fake, ID, Obedience};
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;

/// The user of all tests.
fn me() -> &'static Caller {
    static ME: LazyLock<Caller> = LazyLock::new(Caller::at_the_machine);
    &ME
}

/// The agent asks for a command with a rating (-1 to 2) or none.
fn asks_rated(id: i64, command: &str, risk: i64) -> serde_json::Value {
    let mut event = asks(id, command);
    event["args"]["security_risk"] = serde_json::json!(risk);
    event
}

/// A person with an account.
async fn person(house: &House, name: &str, role: &str) -> Caller {
    let journal = &house.catalogue.journal;
    let added = journal
        .add_person(name, role, "x".to_owned(), false, 1)
        .await;
    Caller {
        person: added.expect("healthy").expect("it is free"),
        name: name.to_owned(),
        role: role.parse().expect("a role"),
        address: String::new(),
        credential: Credential::Login(1),
    }
}

/// A hub over a fake backend, and the folder of its journal.
struct House {
    hub: Hub,
    fake: Fake,
    folder: TempDir,
}

struct One(Fake);

impl Backends for One {
    fn fixed(&self) -> Vec<Target> {
        Vec::new()
    }
    fn connect(&self, _target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        let backend: Arc<dyn Backend> = Arc::new(self.0.clone());
        std::future::ready(Ok(backend)).boxed()
    }
}

impl Deref for House {
    type Target = Hub;

    fn deref(&self) -> &Hub {
        &self.hub
    }
}

/// A hub over the journal in a folder, which may have been that of another hub.
async fn reopened(fake: &Fake, folder: &Path) -> Hub {
    let journal = journal_in(folder).await;
    let hub = Hub::new(journal, One(fake.clone()), "/", Duration::ZERO);
    hub.await.expect("a healthy journal")
}

async fn house(runtime: Runtime) -> House {
    house_with(Duration::ZERO, runtime).await
}

/// A house in which a question has to be looked at for so long.
async fn house_with(least: Duration, runtime: Runtime) -> House {
    let folder = TempDir::new().expect("a temporary folder");
    let fake = Fake::new(runtime);
    let journal = journal_in(folder.path()).await;
    let hub = Hub::new(journal, One(fake.clone()), "/", least)
        .await
        .expect("a healthy journal");
    House { hub, fake, folder }
}

/// A house with a conversation that is live.
async fn live_house() -> House {
    live(house(Runtime::Running).await).await
}

async fn live(house: House) -> House {
    house
        .fake
        .emit([says(0, "hello"), state(1, "awaiting_user_input")]);
    house
        .until(|session| {
            session.connection == ConnectionState::Live
                && session.status == crate::conversation::Status::AwaitingInput
        })
        .await;
    house
}

impl House {
    /// The handle of its conversation.
    async fn handle(&self) -> Arc<ConversationHandle> {
        let handle = self.backends.actors.handle(ID).await;
        handle.expect("it is there")
    }

    /// A message to its conversation.
    async fn say(&self, client_id: &str, text: &str) -> HubResult {
        let none = Vec::new;
        let said = self.commands.say(me(), ID, client_id, text, none(), none());
        said.await
    }

    /// An order to its agent.
    async fn steer(&self, order: Steering) -> HubResult {
        self.commands.steer(me(), ID, order).await
    }

    /// The agent asks, and something becomes of it: an order, or a question to people.
    async fn asks(&self, event: impl FnOnce(i64) -> serde_json::Value) -> Option<String> {
        let (id, orders) = (self.fake.next_id(), self.fake.orders().len());
        self.fake
            .emit([state(id, "awaiting_user_confirmation"), event(id + 1)]);
        let handle = self.handle().await;
        soon(|| {
            let session = handle.session.borrow();
            let open = session
                .approval
                .as_ref()
                .filter(|approval| !approval.answering);
            match (self.fake.orders().len() > orders, open) {
                (true, _) => Some(None),
                (false, Some(open)) => Some(Some(open.token.clone())),
                (false, None) => None,
            }
        })
        .await
    }

    /// The entries of the audit log, oldest first.
    async fn entries(&self) -> Vec<AuditEntry> {
        let journal = &self.catalogue.journal;
        let all = journal.audit(AuditFilter::default(), 100).await;
        let all = all.expect("healthy").into_iter().rev();
        all.map(|record| record.entry).collect()
    }

    /// Those that are wanted: who, what, details and outcome.
    async fn audited_if(&self, is_wanted: impl Fn(&AuditEntry) -> bool) -> Vec<String> {
        let wanted = self.entries().await.into_iter().filter(is_wanted);
        let line = |entry: AuditEntry| {
            format!(
                "{} {}: {}, {}",
                entry.name, entry.action, entry.detail, entry.outcome
            )
        };
        wanted.map(line).collect()
    }

    /// Waits until its conversation is connected.
    async fn connected(&self) -> SessionView {
        self.until(|session| session.connection == ConnectionState::Live)
            .await
    }

    /// Waits until the session state fulfils a condition, as a watching user.
    async fn until(&self, is_so: impl Fn(&SessionView) -> bool) -> SessionView {
        let handle = self.handle().await;
        let _watching = handle.watching.clone();
        let mut session = handle.session.clone();
        let waiting = session.wait_for(|session| is_so(session));
        let found = tokio::time::timeout(Duration::from_secs(60), waiting).await;
        match found {
            Ok(session) => (**session.expect("the handle stays open")).clone(),
            Err(_) => panic!("it never came to be so: {:#?}", **handle.session.borrow()),
        }
    }

    /// Waits until this many orders were given.
    async fn ordered(&self, count: usize) -> Vec<crate::backend::Command> {
        soon(|| {
            let orders = self.fake.orders();
            (orders.len() >= count).then_some(orders)
        })
        .await
    }

    /// What a page shows that was opened now.
    async fn rows(&self) -> Vec<String> {
        let page = self
            .reader
            .rows(ID, None, None, 10_000)
            .await
            .expect("a healthy journal");
        page.rows.iter().map(text).collect()
    }
}

/// Waits until there is something; looks again whenever other tasks have run.
async fn soon<T>(found: impl Fn() -> Option<T>) -> T {
    let waiting = async {
        loop {
            if let Some(found) = found() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting)
        .await
        .expect("it comes to be so")
}

/// A page: the rows it knows, and up to where.
#[derive(Default)]
struct Tab {
    seq: i64,
    rows: BTreeMap<i64, RowView>,
}

impl Tab {
    /// Takes one frame in. Answers the verdict if it is one.
    fn take(&mut self, frame: &[u8]) -> Option<Verdict> {
        match serde_json::from_slice(frame).expect("frames are JSON") {
            FromServer::Verdict { verdict, .. } => return Some(verdict),
            FromServer::Rows { seq, rows, .. } => {
                assert!(
                    seq > self.seq,
                    "a frame came twice or late: {seq} after {}",
                    self.seq
                );
                self.seq = seq;
                for row in rows {
                    let old = self.rows.insert(row.id, row.clone());
                    // A page that is opened during an append has its rows before its cursor says so.
                    assert!(old.is_none_or(|old| old.seq <= row.seq), "a row went back");
                }
            }
            _ => {}
        }
        None
    }

    /// Reads until it knows everything up to `seq`. `false` when there was a gap.
    async fn read_up_to(&mut self, seq: i64, follower: &mut Follower) -> bool {
        while self.seq < seq {
            let frame = follower.next().await.expect("the conversation stays open");
            if self.take(&frame) == Some(Verdict::Gap) {
                return false;
            }
        }
        true
    }

    /// Everything that can be read, in order.
    fn in_order(&self) -> Vec<String> {
        let mut rows: Vec<&RowView> = self.rows.values().collect();
        rows.sort_by_key(|row| (row.pos, row.id));
        rows.into_iter().map(text).collect()
    }
}

/// A row without its colours: how much is highlighted depends on how busy the machine is.
fn text(row: &RowView) -> String {
    let json = serde_json::to_string(row).expect("views are plain data");
    let pieces = json.split("<span class=\\\"hl-");
    let plain: String = pieces
        .enumerate()
        .map(|(at, piece)| match piece.split_once('>') {
            Some((_, rest)) if at > 0 => rest,
            _ => piece,
        })
        .collect();
    plain.replace("</span>", "")
}

/// The pieces of an export.
async fn taken(
    pieces: impl futures_util::Stream<Item = Result<bytes::Bytes, HubError>>,
) -> Vec<String> {
    let text = |piece: Result<bytes::Bytes, HubError>| {
        String::from_utf8(piece.expect("healthy").to_vec()).expect("it is text")
    };
    pieces.map(text).collect().await
}
