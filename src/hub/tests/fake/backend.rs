//! The fake as a backend: its line, and what it answers.

use super::{Fake, ID, Obedience};
use crate::backend::*;
use crate::journal::sample::entry;
use futures_util::future::{BoxFuture, FutureExt, ready};
use serde_json::Value;

impl Fake {
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
            let (pieces, batch, state, twice, hole) = {
                let mut world = self.world();
                let from = sent.min(world.events.len());
                (
                    std::mem::take(&mut world.pieces),
                    world.events[from..].to_vec(),
                    world.line.clone(),
                    world.twice,
                    world.hole,
                )
            };
            for piece in pieces {
                let _ = line.pieces.try_send(piece);
            }
            if state == LineState::Live {
                sent += batch.len();
                let again = batch.iter().rev().filter(|_| twice);
                for event in batch.iter().chain(again) {
                    let event = arrived(event);
                    if event.item.pos == hole {
                        continue;
                    }
                    if line.events.send(event).await.is_err() {
                        break;
                    }
                }
                let newest = i64::try_from(sent).expect("tests are short") - 1;
                let solid = hole.map_or(newest, |hole| newest.min(hole - 1));
                line.solid.send_replace(solid);
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

fn arrived(event: &Value) -> Arrived {
    let entry = entry(event);
    Arrived {
        item: entry.item,
        raw: entry.raw,
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
        let events = rest.iter().take(7).map(arrived);
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
    fn changes(&self, _id: &str, _commit: Option<&str>) -> Answer<'_, Vec<ChangedFile>> {
        cannot()
    }
    fn change(&self, _id: &str, _commit: Option<&str>, _path: &str) -> Answer<'_, ChangedText> {
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
