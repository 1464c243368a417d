//! Drafts: text that the model is writing, shown until the event with the full text arrives.
//!
//! Pieces are never stored and may be lost; nothing depends on them. A draft ends when its event arrives, when upstream
//! drops it, or when the run ends.

use super::{Actor, Body, LogItem, Status};
use std::collections::VecDeque;

/// Size limit of a draft, in bytes: an endless stream must not fill the memory.
const DRAFT_BYTES: usize = 256 << 10;

/// Maximum number of drafts, one per call that the model writes in parallel.
const DRAFTS: usize = 16;

/// Number of recent event keys kept: the last pieces of an event may arrive after it.
const LATELY: usize = 32;

/// A streamed update of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The model starts writing.
    Begun {
        /// Key of the future event; empty if the protocol does not provide it.
        item: String,
        /// A higher attempt replaces a lower one.
        attempt: u64,
    },
    /// The model has written text.
    Written {
        /// Key of the future event; empty if the protocol does not provide it.
        item: String,
        /// Number of the attempt.
        attempt: u64,
        /// Number of the piece, from 0 without gaps, if the protocol counts them.
        order: Option<u64>,
        /// Whether the text is reasoning.
        reasoning: bool,
        /// The text.
        text: String,
    },
    /// Upstream dropped the draft.
    Dropped {
        /// Key of the event that will not arrive.
        item: String,
    },
}

impl Piece {
    /// Its size in memory, in bytes, without the numbers.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Begun { item, .. } | Self::Dropped { item } => item.len(),
            Self::Written { item, text, .. } => item.len() + text.len(),
        }
    }
}

/// All drafts of a conversation.
#[derive(Debug, Clone, Default)]
pub struct Drafts {
    open: Vec<Draft>,
    lately: VecDeque<String>,
}

/// A draft.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// Reasoning so far.
    pub reasoning: String,
    /// Text so far.
    pub text: String,
    item: String,
    attempt: u64,
    /// Number of the next piece; `None` after a gap or at the size limit, when no further pieces are shown.
    next: Option<u64>,
}

impl Drafts {
    /// Applies a piece; returns whether anything changed.
    pub fn take(&mut self, piece: Piece) -> bool {
        match piece {
            Piece::Begun { item, attempt } => self.begin(item, attempt).is_some(),
            Piece::Written {
                item,
                attempt,
                order,
                reasoning,
                text,
            } => {
                let known = self.place(&item);
                let is_newer = known.is_some_and(|at| self.open[at].attempt < attempt);
                let at = if order.unwrap_or(0) == 0 || is_newer {
                    self.begin(item, attempt).or(known)
                } else {
                    // A later piece without a known draft: the beginning was missed.
                    known
                };
                at.is_some_and(|at| self.open[at].write(attempt, order, reasoning, &text))
            }
            Piece::Dropped { item } => {
                let at = self.place(&item);
                at.map(|at| self.open.remove(at)).is_some()
            }
        }
    }

    /// Applies an event of the log; returns whether it ended a draft.
    pub fn apply(&mut self, item: &LogItem) -> bool {
        let is_over =
            matches!(&item.body, Body::Status { status, .. } if *status != Status::Running);
        let is_the_agents =
            item.from == Actor::Agent && matches!(item.body, Body::Message(_) | Body::Call(_));
        if item.from == Actor::Agent
            && let Some(key) = &item.key
        {
            self.lately.truncate(LATELY - 1);
            self.lately.push_front(key.clone());
        }
        let before = self.open.len();
        self.open.retain(|draft| {
            let is_it = item.key.as_ref() == Some(&draft.item);
            !(is_over || is_it || (is_the_agents && draft.item.is_empty()))
        });
        self.open.len() < before
    }

    /// Removes all drafts; returns whether there were any.
    pub fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.open).is_empty()
    }

    /// All drafts, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Draft> {
        self.open.iter()
    }

    fn place(&self, item: &str) -> Option<usize> {
        self.open.iter().position(|draft| draft.item == item)
    }

    /// Starts or restarts a draft; `None` if the event has arrived already or the attempt is not newer.
    fn begin(&mut self, item: String, attempt: u64) -> Option<usize> {
        if self.lately.contains(&item) {
            return None;
        }
        let known = self.place(&item);
        if known.is_some_and(|at| self.open[at].attempt >= attempt) {
            return None;
        }
        let draft = Draft {
            item,
            attempt,
            next: Some(0),
            ..Draft::default()
        };
        if let Some(at) = known {
            self.open[at] = draft;
            return known;
        }
        if self.open.len() == DRAFTS {
            self.open.remove(0);
        }
        self.open.push(draft);
        Some(self.open.len() - 1)
    }
}

impl Draft {
    fn write(&mut self, attempt: u64, order: Option<u64>, reasoning: bool, text: &str) -> bool {
        let Some(next) = self.next.filter(|_| self.attempt == attempt) else {
            return false;
        };
        match order {
            Some(order) if order < next => return false,
            Some(order) if order > next => {
                self.next = None;
                return false;
            }
            _ => self.next = Some(next + 1),
        }
        if self.reasoning.len() + self.text.len() + text.len() > DRAFT_BYTES {
            self.next = None;
            return false;
        }
        let into = if reasoning {
            &mut self.reasoning
        } else {
            &mut self.text
        };
        into.push_str(text);
        true
    }
}
