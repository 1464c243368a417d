//! A backend in memory: it remembers events, replays them to a line, and obeys or loses orders as told.

mod backend;

use crate::backend::*;
use crate::conversation::Piece;
use crate::journal::sample::says;
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
    held: usize,
    line: LineState,
    twice: bool,
    /// What lines do not bring.
    hole: Option<i64>,
    pieces: Vec<Piece>,
    reachable: bool,
    /// Whoever waits for what is under way.
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
            held: 0,
            line: LineState::Live,
            twice: false,
            hole: None,
            pieces: Vec::new(),
            reachable: true,
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

    /// Lines do not bring the event at this place; it is in the history.
    pub(in crate::hub) fn leave_out(&self, pos: i64) {
        self.change(|world| world.hole = Some(pos));
    }

    /// The model writes something.
    pub(in crate::hub) fn write(&self, pieces: impl IntoIterator<Item = Piece>) {
        self.change(|world| world.pieces.extend(pieces));
    }

    pub(in crate::hub) fn obey(&self, obedience: Obedience) {
        self.change(|world| world.obedience = obedience);
    }

    /// The line is so from now on.
    pub(in crate::hub) fn line_is(&self, line: LineState) {
        self.change(|world| world.line = line);
    }

    /// Every event arrives twice, the second time out of order.
    pub(in crate::hub) fn stutter(&self) {
        self.change(|world| world.twice = true);
    }

    pub(in crate::hub) fn reachable(&self, reachable: bool) {
        self.change(|world| world.reachable = reachable);
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

    /// Adds a conversation to the list.
    pub(in crate::hub) fn add(&self, info: ConversationInfo) {
        self.change(|world| drop(world.conversations.insert(info.id.clone(), info)));
    }

    /// Everything that was ordered so far.
    pub(in crate::hub) fn orders(&self) -> Vec<Command> {
        self.world().orders.clone()
    }

    /// How often a line was taken, and how many are held.
    pub(in crate::hub) fn lines(&self) -> (usize, usize) {
        let world = self.world();
        (world.holds, world.held)
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
