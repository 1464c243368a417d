//! A backend in memory: it stores events, replays them over a connection, and executes or loses commands as configured.
//!
//! Long because one lock guards all that the backend knows.

mod backend;

use crate::backend::*;
use crate::conversation::Piece;
use crate::journal::tests::sample::says;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

/// The only conversation, unless a test adds more.
pub(in crate::hub) const ID: &str = "c0ffee";

/// What becomes of orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hub) enum Obedience {
    /// They are confirmed, and a message comes back as an event.
    Obeys,
    /// They are confirmed, and nothing comes of them.
    Ignores,
    /// Nothing comes back.
    Loses,
    /// They are not sent.
    Refuses,
    /// They are under way until [`Fake::let_go`].
    Keeps,
}

struct World {
    conversations: HashMap<String, ConversationInfo>,
    events: Vec<Value>,
    obedience: Obedience,
    orders: Vec<Command>,
    holds: usize,
    open: usize,
    connection: ConnectionState,
    twice: bool,
    /// What connections do not bring.
    hole: Option<i64>,
    pieces: Vec<Piece>,
    reachable: bool,
    settings: Option<Settings>,
    /// What it makes of settings before it stores them.
    alters: fn(&mut Settings),
    /// Stored events cannot be read.
    unreadable: bool,
    /// Nothing is deleted.
    keeps_all: bool,
    /// How often it was asked for one conversation.
    asked: usize,
    /// How often it was asked for a new conversation.
    created: usize,
    /// How often it was asked for one while it could not be reached.
    tried: usize,
    /// Whether the last of these questions went before all others.
    asked_first: bool,
    /// How many more conversations there are, with ids that no address can name.
    unnamed: usize,
    /// Conversations on a page of its list; 0: all of them.
    page_size: usize,
    /// Its list begins again behind its end.
    is_endless: bool,
    /// Its list counts, and has what was changed last on its first page.
    is_by_change: bool,
    /// How many pages of its list were asked for.
    pages_asked: usize,
    /// Questions that are not answered until their gate is opened, and how many wait there.
    gates: HashMap<&'static str, usize>,
    /// What it lacks before it can be used.
    lacking: Option<String>,
    /// A message is read by a run that has to be started.
    separate_runs: bool,
    /// Each conversation has a sandbox that can be started.
    sandboxes: bool,
    /// Pending replies.
    kept: Vec<tokio::sync::oneshot::Sender<Delivery>>,
}

/// The backend. All clones are one.
#[derive(Clone)]
pub(in crate::hub) struct Fake {
    world: Arc<Mutex<World>>,
    /// Counts changes of the world.
    changed: watch::Sender<u64>,
}

impl Fake {
    pub(in crate::hub) fn new(runtime: Runtime) -> Self {
        let info = ConversationInfo {
            id: ID.to_owned(),
            runtime,
            ..ConversationInfo::default()
        };
        let world = World {
            conversations: HashMap::from([(ID.to_owned(), info)]),
            events: Vec::new(),
            obedience: Obedience::Obeys,
            orders: Vec::new(),
            holds: 0,
            open: 0,
            connection: ConnectionState::Live,
            twice: false,
            hole: None,
            pieces: Vec::new(),
            reachable: true,
            settings: None,
            alters: |_| {},
            unreadable: false,
            keeps_all: false,
            asked: 0,
            created: 0,
            tried: 0,
            asked_first: false,
            unnamed: 0,
            page_size: 0,
            is_endless: false,
            is_by_change: false,
            pages_asked: 0,
            gates: HashMap::new(),
            lacking: None,
            separate_runs: false,
            sandboxes: false,
            kept: Vec::new(),
        };
        Self {
            world: Arc::new(Mutex::new(world)),
            changed: watch::channel(0).0,
        }
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("no test panics with it")
    }

    fn change(&self, change: impl FnOnce(&mut World)) {
        change(&mut self.world());
        self.changed.send_modify(|count| *count += 1);
    }

    /// Something happens.
    pub(in crate::hub) fn emit(&self, events: impl IntoIterator<Item = Value>) {
        self.change(|world| world.events.extend(events));
    }

    /// Connections do not bring the event at this place; it is in the history.
    pub(in crate::hub) fn leave_out(&self, pos: i64) {
        self.change(|world| world.hole = Some(pos));
    }

    /// Connections have brought everything.
    pub(in crate::hub) fn leave_nothing_out(&self) {
        self.change(|world| world.hole = None);
    }

    /// The model writes something.
    pub(in crate::hub) fn write(&self, pieces: impl IntoIterator<Item = Piece>) {
        self.change(|world| world.pieces.extend(pieces));
    }

    pub(in crate::hub) fn obey(&self, obedience: Obedience) {
        self.change(|world| world.obedience = obedience);
    }

    /// The state of the connection from now on.
    pub(in crate::hub) fn connection_is(&self, connection: ConnectionState) {
        self.change(|world| world.connection = connection);
    }

    /// The connection is lost, and another attempt is made soon.
    pub(in crate::hub) fn loses_connection(&self) {
        self.connection_is(ConnectionState::Reconnecting {
            attempt: 1,
            why: "gone".to_owned(),
            retry_in: 1,
        });
    }

    /// Every event arrives twice, the second time out of order.
    pub(in crate::hub) fn stutter(&self) {
        self.change(|world| world.twice = true);
    }

    pub(in crate::hub) fn reachable(&self, reachable: bool) {
        self.change(|world| world.reachable = reachable);
    }

    /// Stored events cannot be read from now on, or can again.
    pub(in crate::hub) fn unreadable(&self, unreadable: bool) {
        self.change(|world| world.unreadable = unreadable);
    }

    /// It deletes nothing from now on.
    pub(in crate::hub) fn refuses_deletions(&self) {
        self.change(|world| world.keeps_all = true);
    }

    /// It has so many conversations that no address can name.
    pub(in crate::hub) fn has_unnamed(&self, count: usize) {
        self.change(|world| world.unnamed = count);
    }

    /// Its list has pages of this size, and begins again behind its end if it is endless.
    pub(in crate::hub) fn has_pages(&self, page_size: usize, is_endless: bool) {
        self.change(|world| {
            world.page_size = page_size;
            world.is_endless = is_endless;
        });
    }

    /// Its list has pages of this size, counts, and has what was changed last on its first page.
    pub(in crate::hub) fn lists_changes(&self, page_size: usize) {
        self.has_pages(page_size, false);
        self.change(|world| world.is_by_change = true);
    }

    /// How many pages of its list were asked for since the last time.
    pub(in crate::hub) fn pages_asked(&self) -> usize {
        std::mem::take(&mut self.world().pages_asked)
    }

    /// How often it was asked for one conversation.
    pub(in crate::hub) fn asked(&self) -> usize {
        self.world().asked
    }

    /// How often it was asked for a new conversation.
    pub(in crate::hub) fn created(&self) -> usize {
        self.world().created
    }

    /// How often it was asked for one conversation while it could not be reached.
    pub(in crate::hub) fn tried(&self) -> usize {
        self.world().tried
    }

    /// Whether the last question for one conversation went before all others.
    pub(in crate::hub) fn asked_first(&self) -> bool {
        self.world().asked_first
    }

    /// It has settings from now on.
    pub(in crate::hub) fn set_settings(&self, settings: Settings) {
        self.change(|world| world.settings = Some(settings));
    }

    /// It stores something else than it is asked to.
    pub(in crate::hub) fn alters(&self, alters: fn(&mut Settings)) {
        self.change(|world| world.alters = alters);
    }

    pub(in crate::hub) fn stored_settings(&self) -> Option<Settings> {
        self.world().settings.clone()
    }

    /// Questions of this name are not answered from now on.
    pub(in crate::hub) fn shut(&self, gate: &'static str) {
        self.change(|world| {
            world.gates.insert(gate, 0);
        });
    }

    /// They are again.
    pub(in crate::hub) fn unshut(&self, gate: &'static str) {
        self.change(|world| {
            world.gates.remove(gate);
        });
    }

    /// How many wait at a gate that is shut.
    pub(in crate::hub) fn waiting_at(&self, gate: &'static str) -> usize {
        self.world().gates.get(gate).copied().unwrap_or_default()
    }

    /// Waits until a gate is open.
    async fn pass(&self, gate: &'static str) {
        let mut changed = self.changed.subscribe();
        if let Some(waiting) = self.world().gates.get_mut(gate) {
            *waiting += 1;
        }
        while self.world().gates.contains_key(gate) {
            // The other end is ours.
            let _ = changed.changed().await;
        }
    }

    /// Messages are stored apart from the runs that read them.
    pub(in crate::hub) fn separates_runs(&self) {
        self.change(|world| world.separate_runs = true);
    }

    /// Its sandboxes can be started from now on.
    pub(in crate::hub) fn has_sandboxes(&self) {
        self.change(|world| world.sandboxes = true);
    }

    /// It lacks this before it can be used.
    pub(in crate::hub) fn lacks(&self, what: &str) {
        self.change(|world| world.lacking = Some(what.to_owned()));
    }

    pub(in crate::hub) fn is_reachable(&self) -> bool {
        self.world().reachable
    }

    /// What was under way is done.
    pub(in crate::hub) fn let_go(&self) {
        for done in std::mem::take(&mut self.world().kept) {
            let _ = done.send(Delivery::Confirmed);
        }
    }

    /// There is only this conversation.
    pub(in crate::hub) fn only(&self, info: ConversationInfo) {
        self.change(|world| {
            world.conversations = HashMap::from([(info.id.clone(), info)]);
        });
    }

    pub(in crate::hub) fn titles(&self) -> Vec<String> {
        let world = self.world();
        world
            .conversations
            .values()
            .map(|info| info.title.clone())
            .collect()
    }

    pub(in crate::hub) fn runtime_is(&self, runtime: Runtime) {
        self.change(|world| {
            world.conversations.values_mut().for_each(|info| {
                info.runtime = runtime;
                info.updated_at += 1;
            });
        });
    }

    /// Its word for the state of each sandbox.
    pub(in crate::hub) fn says_of_sandboxes(&self, word: &str) {
        self.change(|world| {
            let all = world.conversations.values_mut();
            all.for_each(|info| word.clone_into(&mut info.runtime_word));
        });
    }

    /// Adds a conversation to the list.
    pub(in crate::hub) fn add(&self, info: ConversationInfo) {
        self.change(|world| drop(world.conversations.insert(info.id.clone(), info)));
    }

    /// Removes a conversation from the list.
    pub(in crate::hub) fn remove(&self, id: &str) {
        self.change(|world| drop(world.conversations.remove(id)));
    }

    /// Everything that was ordered so far.
    pub(in crate::hub) fn orders(&self) -> Vec<Command> {
        self.world().orders.clone()
    }

    /// How often a connection was taken, and how many are open now.
    pub(in crate::hub) fn connections(&self) -> (usize, usize) {
        let world = self.world();
        (world.holds, world.open)
    }

    /// The id that the next event should have.
    pub(in crate::hub) fn next_id(&self) -> i64 {
        i64::try_from(self.world().events.len()).expect("tests are short")
    }

    fn obeyed(&self, command: Command) -> Delivery {
        let mut delivery = Delivery::Confirmed;
        self.change(|world| {
            match world.obedience {
                Obedience::Obeys => {
                    if let Command::Say { text, .. } = &command {
                        let id = i64::try_from(world.events.len()).expect("tests are short");
                        world.events.push(says(id, text));
                    }
                }
                Obedience::Ignores | Obedience::Keeps => {}
                Obedience::Loses => delivery = Delivery::Unknown("no answer".to_owned()),
                Obedience::Refuses => delivery = Delivery::NotSent("not now".to_owned()),
            }
            world.orders.push(command);
        });
        delivery
    }
}
