//! The live line as pages see it: who wants to hear what, and how the line is.
//!
//! One WebSocket a tab serves all of them; [`super::line`] keeps it up.

use super::line;
use crate::api::{ConversationSummary, FromServer};
use leptos::prelude::*;

/// What happens to the list.
#[derive(Debug, Clone)]
pub enum ListChange {
    /// A line is new or changed.
    Summary(Box<ConversationSummary>),
    /// A conversation is gone.
    Gone(String),
    /// The line was down: something may have been missed, take a fresh list.
    Again,
}

/// How the line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Link {
    /// Not up yet, or lost a moment ago: not worth a word.
    #[default]
    Opening,
    /// Up.
    Up,
    /// Down for longer than a person would not notice.
    Down,
}

/// The live line.
#[derive(Clone, Copy)]
pub struct Live {
    link: RwSignal<Link>,
}

/// Makes the line known to everything below, and opens it in the browser.
pub fn provide_live(base: String) {
    let link = RwSignal::new(Link::Opening);
    provide_context(Live { link });
    Effect::new(move || line::open(&base, link));
}

/// The live line.
pub fn use_live() -> Live {
    expect_context()
}

impl Live {
    /// How the line is.
    pub fn link(self) -> Signal<Link> {
        self.link.into()
    }

    /// Tries again at once.
    pub fn retry(self) {
        line::retry();
    }

    /// Hears what happens in a conversation after `after()`, until the owner is gone.
    ///
    /// `after` is asked again at every reconnect. Call it in an effect: there is no line on the server.
    pub fn follow(
        self,
        conversation: &str,
        after: impl Fn() -> i64 + 'static,
        hear: impl Fn(FromServer) + 'static,
    ) {
        let follower = line::follow(conversation, after, hear);
        on_cleanup(move || line::unfollow(follower));
    }

    /// Hears what happens to the list, until the owner is gone. Call it in an effect.
    pub fn follow_list(self, hear: impl Fn(ListChange) + 'static) {
        let follower = line::follow_list(hear);
        on_cleanup(move || line::unfollow(follower));
    }
}
