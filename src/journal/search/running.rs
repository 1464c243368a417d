//! A query in progress: the words themselves, then longer ones, and what is shown of each hit.

use super::candidates::{Candidate, Candidates};
use super::index::{Filled, LONGEST, text_of};
use super::{Cursor, Found, Hit, Search};
use crate::clock::now;
use crate::conversation::{Body, Family, Tool};
use crate::journal::Reader;
use crate::journal::engine::{self, Transaction, params};
use crate::journal::folding::reread;
use crate::render::marked;
use std::ops::ControlFlow;
use std::time::Instant;

/// JSON read for the hits of one answer, in bytes; with larger events it has fewer hits, and at least one.
const MOST_READ: usize = 4 << 20;

/// A query in progress.
pub(super) struct Searching<'s> {
    pub(super) transaction: &'s Transaction<'s>,
    pub(super) reader: Reader,
    pub(super) search: &'s Search,
    pub(super) until: Instant,
}

impl Searching<'_> {
    /// Looks for the words, then for longer ones.
    pub(super) fn run(&self, sees: impl Fn(&str) -> bool) -> engine::Result<Found> {
        let mut found = Found::default();
        let Search {
            words,
            after,
            limit,
            ..
        } = self.search;
        let candidates = Candidates::new(self.transaction, self.reader, self.search, sees)?;
        let Some(candidates) = candidates else {
            return Ok(found);
        };
        let filled = Filled::read(self.transaction)?;
        found.indexed = filled.percent();
        if filled.is_behind() {
            found.behind_from = candidates.received_from(filled.until + 1)?;
        }
        let before = after.map_or(0, |after| after.found);
        let mut next = after.unwrap_or(Cursor {
            longer: false,
            event: candidates.newest()?,
            found: 0,
        });
        let mut seen: Vec<Candidate> = Vec::new();
        loop {
            let (wanted, is_cut) = candidates.wanted(next.longer, self.until)?;
            found.cut |= is_cut;
            let Some(wanted) = wanted else {
                break;
            };
            let mut full = None;
            let mut take = |one: Candidate| {
                if seen.iter().any(|known| known.is_of_row(&one)) {
                    return ControlFlow::Continue(());
                }
                if seen.len() == *limit {
                    full = Some(one.event);
                    return ControlFlow::Break(());
                }
                seen.push(Candidate {
                    longer: next.longer,
                    ..one
                });
                ControlFlow::Continue(())
            };
            let late = candidates.down(&wanted, next.event, self.until, &mut take)?;
            let found_now = before + seen.len();
            if let Some(event) = full.or(late) {
                found.next = Some(Cursor {
                    event,
                    found: found_now,
                    ..next
                });
                if full.is_none() {
                    found.back_to = Some(candidates.received_from(event)?.unwrap_or_else(now));
                }
                break;
            }
            let more = !next.longer && words.beginning().is_some() && found_now < *limit;
            if !more {
                break;
            }
            next = Cursor {
                longer: true,
                event: candidates.newest()?,
                found: found_now,
            };
            if candidates.sees_all && Instant::now() >= self.until {
                found.next = Some(next);
                found.back_to = Some(candidates.received_from(next.event)?.unwrap_or_else(now));
                break;
            }
        }
        let phrases = words.phrases();
        let mut read = 0;
        for (place, one) in seen.into_iter().enumerate() {
            if read >= MOST_READ {
                found.next = Some(Cursor {
                    longer: one.longer,
                    event: one.event,
                    found: before + place,
                });
                found.back_to = None;
                break;
            }
            let hit = self.hit(&one, phrases, &mut read)?;
            found.hits.extend(hit);
        }
        Ok(found)
    }

    /// Reads what is shown of a hit; `None` if its row has no place on the timeline.
    pub(super) fn hit(
        &self,
        one: &Candidate,
        phrases: &[Vec<String>],
        read: &mut usize,
    ) -> engine::Result<Option<Hit>> {
        self.transaction.find(
            "SELECT conversation.id, conversation.title, event.seq, timeline_row.pos, event.at, event.raw, event.pos,
               ifnull(row_author.name, ''), conversation.archived
             FROM event
             JOIN conversation ON conversation.number = event.conversation
             JOIN timeline_row ON timeline_row.conversation = event.conversation AND timeline_row.id = event.row
             LEFT JOIN row_author ON row_author.conversation = event.conversation AND row_author.row = event.row
             WHERE event.id = ?1",
            params![one.event],
            |row| {
                let raw = row.get_ref(5)?.as_str()?;
                *read += raw.len();
                let item = reread(self.reader, raw, (row.get(6)?, row.get(4)?));
                let text = text_of(&item.body);
                let text = &text[..text.floor_char_boundary(LONGEST)];
                let is_markdown = is_markdown(&item.body);
                Ok(Hit {
                    conversation: row.get(0)?,
                    title: row.get(1)?,
                    archived: row.get(8)?,
                    seq: row.get(2)?,
                    row: one.row,
                    pos: row.get(3)?,
                    at: row.get(4)?,
                    family: Family::of(&item.body),
                    from: item.from,
                    by: row.get(7)?,
                    text: marked(text, is_markdown, phrases, one.longer),
                    longer: one.longer,
                })
            },
        )
    }
}

/// Whether the text of an event is Markdown.
fn is_markdown(body: &Body) -> bool {
    match body {
        Body::Message(_) | Body::Condensed { .. } => true,
        Body::Call(call) => matches!(
            call.tool,
            Tool::Finish { .. } | Tool::Decline { .. } | Tool::Think { .. }
        ),
        _ => false,
    }
}
