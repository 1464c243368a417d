//! A backend in memory: it remembers events, replays them to a line, and obeys or loses orders as told.

use crate::backend::*;
use crate::journal::sample::{entry, says};
use futures_util::future::{BoxFuture, FutureExt, ready};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

/// The only conversation, unless a test adds more.
pub(super) const ID: &str = "c0ffee";

/// What becomes of orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obedience {
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
    reachable: bool,
    /// Whoever waits for what is under way.
    kept: Vec<tokio::sync::oneshot::Sender<Delivery>>,
}

/// The backend. All clones are one.
#[derive(Clone)]
pub(super) struct Fake {
    world: Arc<Mutex<World>>,
    /// Counts changes of the world.
    changed: watch::Sender<u64>,
}

impl Fake {
    pub(super) fn new(runtime: Runtime) -> Self {
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
    pub(super) fn emit(&self, events: impl IntoIterator<Item = Value>) {
        self.change(|world| world.events.extend(events));
    }

    pub(super) fn obey(&self, obedience: Obedience) {
        self.change(|world| world.obedience = obedience);
    }

    /// The line is so from now on.
    pub(super) fn line_is(&self, line: LineState) {
        self.change(|world| world.line = line);
    }

    /// Every event arrives twice, the second time out of order.
    pub(super) fn stutter(&self) {
        self.change(|world| world.twice = true);
    }

    pub(super) fn reachable(&self, reachable: bool) {
        self.change(|world| world.reachable = reachable);
    }

    pub(super) fn is_reachable(&self) -> bool {
        self.world().reachable
    }

    /// What was under way is done.
    pub(super) fn let_go(&self) {
        for done in std::mem::take(&mut self.world().kept) {
            let _ = done.send(Delivery::Confirmed);
        }
    }

    /// There is only this conversation.
    pub(super) fn only(&self, info: ConversationInfo) {
        self.change(|world| {
            world.conversations = HashMap::from([(info.id.clone(), info)]);
        });
    }

    pub(super) fn titles(&self) -> Vec<String> {
        let world = self.world();
        world
            .conversations
            .values()
            .map(|info| info.title.clone())
            .collect()
    }

    pub(super) fn runtime_is(&self, runtime: Runtime) {
        self.change(|world| {
            world.conversations.values_mut().for_each(|info| {
                info.runtime = runtime;
                info.updated_at += 1;
            });
        });
    }

    /// Adds a conversation to the list.
    pub(super) fn add(&self, info: ConversationInfo) {
        self.change(|world| drop(world.conversations.insert(info.id.clone(), info)));
    }

    /// Everything that was ordered so far.
    pub(super) fn orders(&self) -> Vec<Command> {
        self.world().orders.clone()
    }

    /// How often a line was taken, and how many are held.
    pub(super) fn lines(&self) -> (usize, usize) {
        let world = self.world();
        (world.holds, world.held)
    }

    /// The id that the next event should have.
    pub(super) fn next_id(&self) -> i64 {
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

    async fn run_line(self, mut line: Line) {
        self.world().holds += 1;
        self.world().held += 1;
        let mut changed = self.changed.subscribe();
        let mut sent = line
            .past
            .after
            .map_or(0, |pos| usize::try_from(pos - 10).unwrap_or(0));
        loop {
            changed.mark_unchanged();
            let (batch, state, twice) = {
                let world = self.world();
                let from = sent.min(world.events.len());
                (
                    world.events[from..].to_vec(),
                    world.line.clone(),
                    world.twice,
                )
            };
            if state == LineState::Live {
                sent += batch.len();
                let again = batch.iter().rev().filter(|_| twice);
                for event in batch.iter().chain(again) {
                    let entry = entry(event);
                    let arrived = Arrived {
                        item: entry.item,
                        raw: entry.raw,
                    };
                    if line.events.send(arrived).await.is_err() {
                        break;
                    }
                }
            }
            line.state
                .send_if_modified(|old| std::mem::replace(old, state.clone()) != state);
            tokio::select! {
                () = line.cancel.cancelled() => break,
                _ = changed.changed() => {}
                Some(order) = line.orders.recv() => {
                    let keeps = self.world().obedience == Obedience::Keeps;
                    let delivery = self.obeyed(order.command);
                    if keeps {
                        self.world().kept.push(order.done);
                    } else {
                        let _ = order.done.send(delivery);
                    }
                }
            }
        }
        self.change(|world| world.held -= 1);
    }
}

fn answer<'a, T: Send + 'a>(value: T) -> Answer<'a, T> {
    ready(Ok(value)).boxed()
}

fn cannot<'a, T: Send + 'a>() -> Answer<'a, T> {
    ready(Err(BackendError::Unsupported)).boxed()
}

impl Backend for Fake {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
    fn protocol(&self) -> Protocol {
        Protocol::SocketIo
    }
    fn probe(&self) -> Answer<'_, Probe> {
        answer(Probe {
            product: "Fake".to_owned(),
            version: None,
            millis: 1,
            lacking: None,
        })
    }
    fn conversations(&self, _page: Option<String>) -> Answer<'_, ConversationPage> {
        let world = self.world();
        if !world.reachable {
            return ready(Err(BackendError::Unreachable("refused".to_owned()))).boxed();
        }
        let results = world.conversations.values().cloned().collect();
        answer(ConversationPage {
            results,
            next: None,
        })
    }
    fn conversation(&self, id: &str) -> Answer<'_, Option<ConversationInfo>> {
        let world = self.world();
        if !world.reachable {
            return ready(Err(BackendError::Unreachable("refused".to_owned()))).boxed();
        }
        answer(world.conversations.get(id).cloned())
    }
    fn create(&self, _new: NewConversation) -> Answer<'_, String> {
        answer(ID.to_owned())
    }
    fn start(&self, _id: &str) -> Answer<'_, ()> {
        answer(())
    }
    fn stop(&self, _id: &str) -> Answer<'_, ()> {
        self.runtime_is(Runtime::Stopped);
        answer(())
    }
    fn rename(&self, _id: &str, title: &str) -> Answer<'_, ()> {
        self.change(|world| {
            world
                .conversations
                .values_mut()
                .for_each(|info| title.clone_into(&mut info.title))
        });
        answer(())
    }
    fn delete(&self, id: &str) -> Answer<'_, ()> {
        self.change(|world| drop(world.conversations.remove(id)));
        answer(())
    }
    fn history(&self, _id: &str, past: Past) -> Answer<'_, HistoryPage> {
        let first = past
            .after
            .map_or(0, |pos| usize::try_from(pos + 1).unwrap_or(0));
        let world = self.world();
        let rest = &world.events[first.min(world.events.len())..];
        // Small pages, so that there are several.
        let events = rest.iter().take(7).map(entry).map(|entry| Arrived {
            item: entry.item,
            raw: entry.raw,
        });
        answer(HistoryPage {
            events: events.collect(),
            more: rest.len() > 7,
        })
    }
    fn hold(&self, _id: &str, line: Line) -> BoxFuture<'static, ()> {
        self.clone().run_line(line).boxed()
    }
    fn list_files(&self, _id: &str, _directory: &str) -> Answer<'_, Vec<String>> {
        answer(vec!["src/".to_owned(), "README.md".to_owned()])
    }
    fn read_file(&self, _id: &str, _path: &str) -> Answer<'_, FileText> {
        answer(FileText::Missing)
    }
    fn upload(&self, _id: &str, files: Vec<Upload>) -> Answer<'_, Vec<String>> {
        answer(files.into_iter().map(|file| file.name).collect())
    }
    fn archive(&self, _id: &str) -> Answer<'_, reqwest::Response> {
        cannot()
    }
    fn changes(&self, _id: &str) -> Answer<'_, Vec<ChangedFile>> {
        cannot()
    }
    fn change(&self, _id: &str, _path: &str) -> Answer<'_, ChangedText> {
        cannot()
    }
    fn trajectory(&self, _id: &str) -> Answer<'_, Value> {
        ready(Err(BackendError::NotRunning)).boxed()
    }
    fn microagents(&self, _id: &str) -> Answer<'_, Vec<Microagent>> {
        cannot()
    }
    fn settings(&self) -> Answer<'_, Settings> {
        cannot()
    }
    fn save_settings(&self, _settings: Settings) -> Answer<'_, ()> {
        cannot()
    }
    fn options(&self) -> Answer<'_, Options> {
        cannot()
    }
    fn secrets(&self) -> Answer<'_, Vec<SecretName>> {
        cannot()
    }
    fn save_secret(&self, _name: &str, _value: &str, _description: &str) -> Answer<'_, ()> {
        cannot()
    }
    fn delete_secret(&self, _name: &str) -> Answer<'_, ()> {
        cannot()
    }
}
