//! The log of a conversation: the only place that appends events and knows how far the history is complete.
//!
//! Invariant: a position counts as complete only when everything up to it is stored.

use crate::backend::{ConversationInfo, ReceivedEvent};
use crate::conversation::Session;
use crate::hub::view;
use crate::journal::{Appended, AppendedRows, ConversationMeta, Entry, Held, Known, Stored};

pub struct Log {
    known: Known,
}

pub struct Batch {
    pub entries: Vec<Entry>,
    /// Nothing is missing up to the newest of them.
    pub complete: bool,
}

impl Log {
    pub fn new(known: Known) -> Self {
        Self { known }
    }

    pub fn known(&self) -> &Known {
        &self.known
    }

    pub fn meta(&self) -> &ConversationMeta {
        &self.known.meta
    }

    pub fn meta_mut(&mut self) -> &mut ConversationMeta {
        &mut self.known.meta
    }

    /// The state that the log folds to.
    pub fn session(&self) -> &Session {
        &self.known.session
    }

    pub fn seq(&self) -> i64 {
        self.known.seq
    }

    /// What an append needs not read.
    pub fn held(&self) -> Held {
        Held {
            seq: self.known.seq,
            session: self.known.session.clone(),
        }
    }

    /// Prepares received events for storing. `contiguous_through` is the position up to which the connection has
    /// delivered every event, if it is live and none of its events is queued.
    pub fn batch(&self, received: Vec<ReceivedEvent>, contiguous_through: Option<i64>) -> Batch {
        let newest = received.iter().filter_map(|event| event.item.pos).max();
        let newest = newest.max(self.known.session.newest_pos);
        let is_whole = |through: i64| newest.is_none_or(|newest| newest <= through);
        let entry = |ReceivedEvent { item, raw }| Entry { item, raw };
        Batch {
            complete: contiguous_through.is_some_and(is_whole),
            entries: received.into_iter().map(entry).collect(),
        }
    }

    /// Takes over a stored batch. Returns the new events and the rows that they changed.
    pub fn appended(&mut self, appended: Appended, complete: bool) -> (Vec<Stored>, AppendedRows) {
        let known = &mut self.known;
        known.session = appended.session;
        known.seq = appended.seq;
        let news = appended.rows.rows.iter().map(|row| row.seq);
        let changed = news.filter(|seq| Some(*seq) != known.session.let_go).max();
        known.newest_row = known.newest_row.max(changed.unwrap_or(0));
        if complete {
            known.complete_to = known.session.newest_pos.or(known.complete_to);
        }
        if let Some(excerpt) = appended.excerpt {
            known.excerpt = excerpt;
        }
        (appended.new, appended.rows)
    }

    /// Takes over a history that was read and stored up to `pos`. Returns the position that is complete now.
    pub fn backfilled(&mut self, pos: Option<i64>) -> Option<i64> {
        self.known.complete_to = pos.max(self.known.complete_to);
        self.known.complete_to
    }

    /// Takes over the backend's information. Returns whether the backend has changed the conversation since.
    pub fn describe(&mut self, info: &ConversationInfo) -> bool {
        let before = &self.known.meta;
        let updated_at = before.updated_at;
        self.known.meta = ConversationMeta {
            updated_at: updated_at.max(info.updated_at),
            ..view::meta_of(info, &before.backend)
        };
        info.updated_at > updated_at
    }
}
