//! The fake as a backend: its connection, and what it answers.

use super::{Fake, ID, Obedience};
use crate::backend::*;
use crate::conversation::Tags;
use crate::journal::tests::sample::entry;
use async_trait::async_trait;
use futures_util::future::{BoxFuture, FutureExt};
use serde_json::Value;

impl Fake {
    /// Does something once a gate is open.
    async fn behind<T>(&self, gate: &'static str, done: impl FnOnce() -> T + Send) -> Answer<T> {
        self.pass(gate).await;
        Ok(done())
    }

    fn check_reachable(&self) -> Answer<()> {
        if self.world().reachable {
            Ok(())
        } else {
            Err(BackendError::Unreachable("refused".to_owned()))
        }
    }

    async fn run_stream(self, mut stream: LiveStream) {
        self.world().holds += 1;
        self.world().open += 1;
        let mut changed = self.changed.subscribe();
        let mut sent = stream
            .resume
            .after
            .map_or(0, |pos| usize::try_from(pos - 10).unwrap_or(0));
        loop {
            let why = self
                .world()
                .unreadable
                .then(|| "an internal error".to_owned());
            stream.unread.send_replace(why);
            changed.mark_unchanged();
            let (pieces, batch, state, twice, hole) = {
                let mut world = self.world();
                let from = sent.min(world.events.len());
                (
                    std::mem::take(&mut world.pieces),
                    world.events[from..].to_vec(),
                    world.connection.clone(),
                    world.twice,
                    world.hole,
                )
            };
            for piece in pieces {
                let _ = stream.pieces.try_send(piece);
            }
            if state == ConnectionState::Live {
                sent += batch.len();
                let again = batch.iter().rev().filter(|_| twice);
                for event in batch.iter().chain(again) {
                    let event = parse_event(event);
                    if event.item.pos == hole {
                        continue;
                    }
                    if stream.events.send(event).await.is_err() {
                        break;
                    }
                }
                let newest = i64::try_from(sent).expect("tests are short") - 1;
                let contiguous_through = hole.map_or(newest, |hole| newest.min(hole - 1));
                stream.contiguous_through.send_replace(contiguous_through);
            }
            stream
                .state
                .send_if_modified(|old| std::mem::replace(old, state.clone()) != state);
            tokio::select! {
                () = stream.cancel.cancelled() => break,
                _ = changed.changed() => {}
                Some(order) = stream.orders.recv() => {
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
        self.change(|world| world.open -= 1);
    }
}

fn parse_event(event: &Value) -> ReceivedEvent {
    let entry = entry(event);
    ReceivedEvent {
        item: entry.item,
        raw: entry.raw,
    }
}

#[async_trait]
impl Backend for Fake {
    fn capabilities(&self) -> Capabilities {
        let world = self.world();
        Capabilities {
            separate_runs: world.separate_runs,
            runtimes: world.sandboxes,
            ..Capabilities::default()
        }
    }
    fn protocol(&self) -> Protocol {
        Protocol::SocketIo
    }
    async fn probe(&self) -> Answer<Probe> {
        Ok(Probe {
            product: "Fake".to_owned(),
            version: None,
            millis: 1,
            lacking: self.world().lacking.clone(),
        })
    }
}

#[async_trait]
impl ConversationApi for Fake {
    async fn conversations(&self, page: Option<String>) -> Answer<ConversationPage> {
        self.check_reachable()?;
        let listed = {
            let mut world = self.world();
            world.pages_asked += 1;
            let mut all: Vec<_> = world.conversations.values().cloned().collect();
            all.sort_by(|a, b| a.id.cmp(&b.id));
            let changed = page
                .as_deref()
                .map_or(Some("0"), |page| page.strip_prefix('~'));
            if let Some(changed) = changed.filter(|_| world.is_by_change) {
                all.sort_by_key(|info| std::cmp::Reverse(info.updated_at));
                let from: usize = changed.parse().expect("it is our own");
                let is_more = from + world.page_size < all.len();
                let is_first = page.is_none();
                return Ok(ConversationPage {
                    count: is_first.then_some(all.len()),
                    next: (is_first && is_more).then(|| "0".to_owned()),
                    changed_before: is_more.then(|| format!("~{}", from + world.page_size)),
                    results: all.into_iter().skip(from).take(world.page_size).collect(),
                    left_out: 0,
                });
            }
            let page = page.map_or(0, |page| page.parse().expect("it is our own"));
            let size = match world.page_size {
                0 => all.len(),
                size => size,
            };
            let pages = all.len().div_ceil(size.max(1));
            let next = match page + 1 {
                next if next < pages => Some(next.to_string()),
                _ if world.is_endless => Some("0".to_owned()),
                _ => None,
            };
            ConversationPage {
                results: all.into_iter().skip(page * size).take(size).collect(),
                left_out: world.unnamed,
                next,
                ..ConversationPage::default()
            }
        };
        self.behind("conversations", move || listed).await
    }
    async fn conversation(&self, id: &str) -> Answer<Option<ConversationInfo>> {
        if let Err(error) = self.check_reachable() {
            self.world().tried += 1;
            return Err(error);
        }
        let found = {
            let mut world = self.world();
            world.asked += 1;
            world.asked_first = goes_first();
            world.conversations.get(id).cloned()
        };
        self.behind("conversation", move || found).await
    }
    async fn create(&self, _new: NewConversation) -> Answer<String> {
        self.world().created += 1;
        self.behind("create", || ID.to_owned()).await
    }
    async fn start(&self, _id: &str) -> Answer<()> {
        self.behind("start", || ()).await?;
        self.check_reachable()?;
        if self.world().sandboxes {
            self.runtime_is(Runtime::Running);
        }
        Ok(())
    }
    async fn stop(&self, _id: &str) -> Answer<()> {
        self.runtime_is(Runtime::Stopped);
        Ok(())
    }
    async fn rename(&self, _id: &str, title: &str) -> Answer<()> {
        self.behind("rename", || {
            self.change(|world| {
                world
                    .conversations
                    .values_mut()
                    .for_each(|info| title.clone_into(&mut info.title))
            });
        })
        .await
    }
    async fn delete(&self, id: &str) -> Answer<()> {
        if self.world().keeps_all {
            return Err(BackendError::Unexpected("an internal error".to_owned()));
        }
        self.behind("delete", || {
            self.change(|world| drop(world.conversations.remove(id)));
        })
        .await
    }
    async fn set_tags(&self, _id: &str, _tags: Tags) -> Answer<()> {
        self.behind("set_tags", || ()).await
    }
    async fn history(&self, _id: &str, resume: ResumePoint) -> Answer<HistoryPage> {
        let first = resume
            .after
            .map_or(0, |pos| usize::try_from(pos + 1).unwrap_or(0));
        let world = self.world();
        if world.unreadable {
            return Err(BackendError::Unexpected("an internal error".to_owned()));
        }
        let rest = &world.events[first.min(world.events.len())..];
        // Small pages, so that there are several.
        let events = rest.iter().take(7).map(parse_event);
        Ok(HistoryPage {
            is_copy: false,
            events: events.collect(),
            more: rest.len() > 7,
        })
    }
    fn hold(&self, _id: &str, stream: LiveStream) -> BoxFuture<'static, ()> {
        self.clone().run_stream(stream).boxed()
    }
}

#[async_trait]
impl WorkspaceApi for Fake {
    async fn list_files(&self, _id: &str, _directory: &str) -> Answer<Vec<String>> {
        Ok(vec!["src/".to_owned(), "README.md".to_owned()])
    }
    async fn read_file(&self, _id: &str, _path: &str) -> Answer<FileText> {
        Ok(FileText::Missing)
    }
    async fn upload(&self, _id: &str, files: Vec<Upload>) -> Answer<Vec<String>> {
        Ok(files.into_iter().map(|file| file.name).collect())
    }
}

#[async_trait]
impl SettingsApi for Fake {
    async fn settings(&self) -> Answer<Settings> {
        self.stored_settings().ok_or(BackendError::Unsupported)
    }
    async fn save_settings(&self, mut settings: Settings) -> Answer<()> {
        let alters = self.world().alters;
        alters(&mut settings);
        self.behind("save_settings", || self.set_settings(settings))
            .await
    }
}
