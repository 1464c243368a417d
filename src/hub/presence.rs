//! Who watches which conversation now. Whoever follows one has a seat there for as long as they do.

use super::follower::encode;
use super::{Hub, lock};
use crate::live::{FromServer, HereView};
use crate::people::Caller;
use bytes::Bytes;
use futures_util::Stream;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use tokio::sync::watch;

/// Who watches what.
#[derive(Default)]
pub(super) struct Presence(Mutex<HashMap<String, Audience>>);

/// Those who watch one conversation.
#[derive(Default)]
struct Audience {
    /// How often each of them watches it: in so many tabs.
    seats: BTreeMap<Somebody, u32>,
    shown: watch::Sender<HereView>,
}

/// Somebody, however many tabs they have: a person by their name, a visitor by their link and address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Somebody {
    Person(String),
    Visitor(i64, String),
}

/// A place in the audience, until it is dropped.
struct Seat {
    hub: Hub,
    conversation: String,
    somebody: Option<Somebody>,
}

impl Hub {
    /// Counts somebody among those who watch a conversation, for as long as the stream lives, which says who
    /// they are whenever it changes: encoded [`FromServer::Here`] frames. Who sits at the machine is alone.
    pub fn watch(&self, by: &Caller, id: &str) -> impl Stream<Item = Bytes> + Send + use<> {
        let somebody = match by.visit() {
            Some(visit) => Some(Somebody::Visitor(visit.link, by.address.clone())),
            None if by.signature().is_empty() => None,
            None => Some(Somebody::Person(by.signature().to_owned())),
        };
        let seat = Seat {
            hub: self.clone(),
            conversation: id.to_owned(),
            somebody,
        };
        let mut shown = {
            let mut audiences = lock(&self.0.presence.0);
            let audience = audiences.entry(id.to_owned()).or_default();
            if let Some(somebody) = &seat.somebody {
                *audience.seats.entry(somebody.clone()).or_default() += 1;
            }
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

    /// Who watches a conversation.
    pub fn here(&self, id: &str) -> HereView {
        let audiences = lock(&self.0.presence.0);
        audiences
            .get(id)
            .map(|audience| audience.shown.borrow().clone())
            .unwrap_or_default()
    }
}

impl Audience {
    /// Tells everybody who is there, if it is not who was.
    fn show(&self) {
        let mut here = HereView::default();
        for somebody in self.seats.keys() {
            match somebody {
                Somebody::Person(name) => here.names.push(name.clone()),
                Somebody::Visitor(..) => here.visitors += 1,
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
        let Some(somebody) = &self.somebody else {
            return;
        };
        let mut audiences = lock(&self.hub.0.presence.0);
        let Some(audience) = audiences.get_mut(&self.conversation) else {
            return;
        };
        if let Some(count) = audience.seats.get_mut(somebody) {
            *count -= 1;
            if *count == 0 {
                audience.seats.remove(somebody);
            }
        }
        audience.show();
        if audience.seats.is_empty() {
            audiences.remove(&self.conversation);
        }
    }
}
