//! Presence: the users who watch each conversation now. Each follower counts while it is connected.

use super::follower::encode;
use super::lock;
use crate::live::{FromServer, HereView};
use crate::people::Caller;
use bytes::Bytes;
use futures_util::Stream;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// Who watches each conversation. All clones share one state.
#[derive(Clone, Default)]
pub struct Presence(Arc<Mutex<HashMap<String, Audience>>>);

#[derive(Default)]
struct Audience {
    /// Each of them once for each of their tabs.
    seats: Vec<Watcher>,
    shown: watch::Sender<HereView>,
}

/// A watcher, whatever the number of tabs: a user by name, a visitor by link and address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Watcher {
    Person(String),
    Visitor(i64, String),
}

/// A place in the audience, until it is dropped.
struct Seat {
    presence: Presence,
    conversation: String,
    watcher: Option<Watcher>,
}

impl Presence {
    /// Counts a watcher while the stream of [`FromServer::Here`] frames lives. The user without a login is alone.
    pub fn watch(&self, by: &Caller, id: &str) -> impl Stream<Item = Bytes> + Send + use<> {
        let watcher = match by.visit() {
            Some(visit) => Some(Watcher::Visitor(visit.link, by.address.clone())),
            None if by.signature().is_empty() => None,
            None => Some(Watcher::Person(by.signature().to_owned())),
        };
        let seat = Seat {
            presence: self.clone(),
            conversation: id.to_owned(),
            watcher,
        };
        let mut shown = {
            let mut audiences = lock(&self.0);
            let audience = audiences.entry(id.to_owned()).or_default();
            audience.seats.extend(seat.watcher.clone());
            audience.show();
            audience.shown.subscribe()
        };
        async_stream::stream! {
            let seat = seat;
            loop {
                let here = shown.borrow_and_update().clone();
                yield encode(&FromServer::Here { conversation: seat.conversation.clone(), here });
                if shown.changed().await.is_err() {
                    return;
                }
            }
        }
    }

    /// The watchers of a conversation.
    pub fn here(&self, id: &str) -> HereView {
        let audiences = lock(&self.0);
        let here = |audience: &Audience| audience.shown.borrow().clone();
        audiences.get(id).map(here).unwrap_or_default()
    }
}

impl Audience {
    /// Tells all watchers of a conversation if they have changed.
    fn show(&self) {
        let mut here = HereView::default();
        for watcher in self.seats.iter().collect::<BTreeSet<_>>() {
            match watcher {
                Watcher::Person(name) => here.names.push(name.clone()),
                Watcher::Visitor(..) => here.visitors += 1,
            }
        }
        self.shown.send_if_modified(|shown| {
            let differs = *shown != here;
            *shown = here;
            differs
        });
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let Some(own) = &self.watcher else { return };
        let mut audiences = lock(&self.presence.0);
        let Some(audience) = audiences.get_mut(&self.conversation) else {
            return;
        };
        if let Some(seat) = audience.seats.iter().position(|one| one == own) {
            audience.seats.swap_remove(seat);
        }
        audience.show();
        if audience.seats.is_empty() {
            audiences.remove(&self.conversation);
        }
    }
}
