//! The live connection as pages see it: subscriptions, and its state.
//!
//! One WebSocket per tab serves all subscriptions; [`super::connection`] keeps it open.

use super::connection::{self, Link, ListChange};
use super::me::drawn_at;
use crate::api::FromServer;
use leptos::prelude::*;

/// The live connection.
#[derive(Clone, Copy)]
pub struct Live {
    link: RwSignal<Link>,
}

/// Provides the connection to all components below, and opens it in the browser.
pub fn provide_live(base: String) {
    let link = RwSignal::new(Link::Opening);
    provide_context(Live { link });
    let drawn_at = drawn_at();
    Effect::new(move || connection::open(&base, drawn_at, link));
}

/// The live connection.
pub fn use_live() -> Live {
    expect_context()
}

/// Whether the page is out of date because the connection is lost. `false` on pages without one.
pub fn use_offline() -> Memo<bool> {
    let live = use_context::<Live>();
    Memo::new(move |_| live.is_some_and(|live| live.link.get() == Link::Down))
}

impl Live {
    /// Time of the last frame from the server, in milliseconds since the Unix epoch. Browser only.
    pub fn last_frame_at(self) -> i64 {
        connection::last_frame_at()
    }

    /// State of the connection.
    pub fn link(self) -> Signal<Link> {
        self.link.into()
    }

    /// Reconnects at once.
    pub fn retry(self) {
        connection::retry();
    }

    /// Subscribes to the changes of a conversation after `after()`, until the owner is disposed.
    ///
    /// `after` is called again at every reconnect. Call this in an effect: there is no connection on the server.
    pub fn follow(
        self,
        conversation: &str,
        after: impl Fn() -> i64 + 'static,
        on_change: impl Fn(FromServer) + 'static,
    ) {
        let follower = connection::follow(conversation, after, on_change);
        on_cleanup(move || connection::unfollow(follower));
    }

    /// Subscribes to the changes of the list, until the owner is disposed. Call it in an effect.
    pub fn follow_list(self, on_change: impl Fn(ListChange) + 'static) {
        let follower = connection::follow_list(on_change);
        on_cleanup(move || connection::unfollow(follower));
    }
}
