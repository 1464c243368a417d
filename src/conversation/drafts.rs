//! What the model is writing right now, for the time until the event comes that holds it.
//!
//! Pieces are never stored and may be lost; nothing is built on them. A draft goes when its event comes,
//! when it is said to be void, or when the run rests.

use super::{Actor, Body, LogItem, Status};
use std::collections::VecDeque;

/// Bytes of one draft: a stream without end must not fill the memory.
const DRAFT_BYTES: usize = 256 << 10;

/// Drafts at once: one for each call that is written side by side.
const DRAFTS: usize = 16;

/// Events that are here already: their last pieces may come after them.
const LATELY: usize = 32;

/// Something that was said about a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The model begins to write.
    Begun {
        /// Key of the event that it will be; empty where the protocol does not say.
        item: String,
        /// A higher attempt replaces a lower one.
        attempt: u64,
    },
    /// The model has written something.
    Written {
        /// Key of the event that it will be; empty where the protocol does not say.
        item: String,
        /// Which attempt.
        attempt: u64,
        /// Counts from 0 without gaps, where it is counted.
        order: Option<u64>,
        /// It is reasoning.
        reasoning: bool,
        /// The text.
        text: String,
    },
    /// What was written is void.
    Dropped {
        /// Key of the event that will not be.
        item: String,
    },
}

/// What the model is writing in one conversation.
#[derive(Debug, Clone, Default)]
pub struct Drafts {
    open: Vec<Draft>,
    lately: VecDeque<String>,
}

/// One thing that it is writing.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// What it thinks.
    pub reasoning: String,
    /// What it says.
    pub text: String,
    item: String,
    attempt: u64,
    /// The next piece, in order; `None` when pieces were lost: what comes behind a gap is not shown.
    next: Option<u64>,
}

impl Drafts {
    /// Takes a piece in; answers whether anything changed.
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
                    // Whoever comes in the middle has missed the beginning.
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

    /// Takes note of an event of the log; answers whether it ends a draft.
    pub fn settle(&mut self, item: &LogItem) -> bool {
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

    /// Forgets everything that is being written; answers whether there was anything.
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

    /// Begins a draft, or begins it anew; `None` if this is no beginning.
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
