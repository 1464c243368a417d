//! What the model is writing right now: rows for the time until the event comes that holds it.
//!
//! Pieces are never stored and may be lost; nothing is built on them. A draft goes when its event comes,
//! when it is said to be void, or when the run rests.

use super::{Actor, Body, Card, LogItem, Message, Row, Status};

/// Bytes of one draft: a stream without end must not fill the memory.
const DRAFT_BYTES: usize = 256 << 10;

/// Drafts at once: one for each call that is written side by side.
const DRAFTS: usize = 16;

/// Something that was said about a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The model begins to write.
    Begun {
        /// Key of the event that it will be; empty where the protocol does not say.
        item: String,
        /// A higher attempt replaces a lower one.
        attempt: u64,
        /// Position of the newest event when it began.
        after: Option<i64>,
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
    /// Drafts so far: the next one's id is behind the last one's.
    begun: i64,
    /// Changes so far: the version of the newest.
    changes: i64,
}

#[derive(Debug, Clone)]
struct Draft {
    item: String,
    attempt: u64,
    /// The next piece, in order; `None` when pieces were lost: what comes behind a gap is not shown.
    next: Option<u64>,
    row: Row,
}

impl Drafts {
    /// Takes a piece in; answers the id of the row that is new, changed or gone.
    ///
    /// `newest` is the newest position in the log, `now` milliseconds since the Unix epoch.
    pub fn take(&mut self, piece: Piece, newest: i64, now: i64) -> Option<i64> {
        match piece {
            Piece::Begun {
                item,
                attempt,
                after,
            } => {
                let known = self.place(&item);
                if known.is_some_and(|at| self.open[at].attempt >= attempt) {
                    return None;
                }
                Some(match known {
                    Some(at) => self.begin_again(at, attempt),
                    None => self.begin(item, attempt, after.unwrap_or(newest), now),
                })
            }
            Piece::Written {
                item,
                attempt,
                order,
                reasoning,
                text,
            } => {
                let at = match self.place(&item) {
                    Some(at) => at,
                    // Whoever comes in the middle has missed the beginning.
                    None if order.unwrap_or(0) == 0 => {
                        self.begin(item, attempt, newest, now);
                        self.open.len() - 1
                    }
                    None => return None,
                };
                self.write(at, attempt, order, reasoning, &text)
            }
            Piece::Dropped { item } => {
                let at = self.place(&item)?;
                Some(self.open.remove(at).row.id)
            }
        }
    }

    /// Takes note of an event of the log; answers the ids of the rows that it replaces.
    pub fn settle(&mut self, item: &LogItem) -> Vec<i64> {
        let is_over =
            matches!(&item.body, Body::Status { status, .. } if *status != Status::Running);
        let is_the_agents =
            item.from == Actor::Agent && matches!(item.body, Body::Message(_) | Body::Call(_));
        let is_settled = |draft: &Draft| {
            is_over
                || item.key.as_ref() == Some(&draft.item)
                || (is_the_agents && draft.item.is_empty())
        };
        let gone = self.open.iter().filter(|draft| is_settled(draft));
        let gone = gone.map(|draft| draft.row.id).collect();
        self.open.retain(|draft| !is_settled(draft));
        gone
    }

    /// All drafts, oldest first. Their ids are negative: [`Row::is_draft`].
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.open.iter().map(|draft| &draft.row)
    }

    /// One draft.
    pub fn row(&self, id: i64) -> Option<&Row> {
        self.rows().find(|row| row.id == id)
    }

    fn place(&self, item: &str) -> Option<usize> {
        self.open.iter().position(|draft| draft.item == item)
    }

    fn begin(&mut self, item: String, attempt: u64, after: i64, now: i64) -> i64 {
        if self.open.len() == DRAFTS {
            self.open.remove(0);
        }
        self.begun += 1;
        self.changes += 1;
        self.open.push(Draft {
            item,
            attempt,
            next: Some(0),
            row: Row {
                id: -self.begun,
                pos: after.saturating_add(1),
                seq: self.changes,
                at: now,
                from: Actor::Agent,
                card: Card::Message {
                    seq: 0,
                    message: Message::default(),
                },
            },
        });
        -self.begun
    }

    fn begin_again(&mut self, at: usize, attempt: u64) -> i64 {
        self.changes += 1;
        let draft = &mut self.open[at];
        (draft.attempt, draft.next) = (attempt, Some(0));
        draft.row.seq = self.changes;
        if let Some(message) = draft.message() {
            *message = Message::default();
        }
        draft.row.id
    }

    fn write(
        &mut self,
        at: usize,
        attempt: u64,
        order: Option<u64>,
        reasoning: bool,
        text: &str,
    ) -> Option<i64> {
        if self.open[at].attempt < attempt {
            self.begin_again(at, attempt);
        }
        let draft = &mut self.open[at];
        let next = draft.next?;
        match order {
            _ if draft.attempt > attempt => return None,
            Some(order) if order < next => return None,
            Some(order) if order > next => {
                draft.next = None;
                return None;
            }
            _ => draft.next = Some(next + 1),
        }
        let message = draft.message()?;
        let into = if reasoning {
            &mut message.reasoning
        } else {
            &mut message.text
        };
        if into.len() + text.len() > DRAFT_BYTES {
            draft.next = None;
            return None;
        }
        into.push_str(text);
        self.changes += 1;
        self.open[at].row.seq = self.changes;
        Some(self.open[at].row.id)
    }
}

impl Draft {
    fn message(&mut self) -> Option<&mut Message> {
        match &mut self.row.card {
            Card::Message { message, .. } => Some(message),
            _ => None,
        }
    }
}
