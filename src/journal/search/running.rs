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

/// JSON read for the hits of one answer, in bytes, and as much for those with longer words; with larger events it has fewer
/// hits, and at least one.
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
        // Those with longer words come last.
        let mut begin = 0;
        for alike in seen.chunk_by(|one, next| one.longer == next.longer) {
            if let Some(left) = self.hits(alike, &mut found)? {
                let one = alike[left.place];
                found.next = Some(Cursor {
                    longer: one.longer,
                    event: one.event,
                    found: before + begin + left.place,
                });
                found.back_to = None;
                break;
            }
            begin += alike.len();
        }
        Ok(found)
    }

    /// Reads what is shown of hits, newest first, except where a row has no place on the timeline. Returns the first one that
    /// is left, because [`MOST_READ`] was reached.
    pub(super) fn hits(
        &self,
        seen: &[Candidate],
        found: &mut Found,
    ) -> engine::Result<Option<Left>> {
        let ids: Vec<i64> = seen.iter().map(|one| one.event).collect();
        let ids = serde_json::to_string(&ids).expect("numbers are plain data");
        let mut statement = self.transaction.prepare_cached(
            "SELECT event.id, conversation.id, conversation.title, conversation.archived, event.seq, timeline_row.pos, event.at,
               CASE WHEN before < ?2 THEN event.raw END, event.pos, ifnull(row_author.name, '')
             FROM (SELECT id, sum(octet_length(raw)) OVER (ORDER BY id DESC) - octet_length(raw) AS before FROM event
                   WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?1))) AS wanted
             JOIN event ON event.id = wanted.id
             JOIN conversation ON conversation.number = event.conversation
             JOIN timeline_row ON timeline_row.conversation = event.conversation AND timeline_row.id = event.row
             LEFT JOIN row_author ON row_author.conversation = event.conversation AND row_author.row = event.row
             ORDER BY event.id DESC",
        )?;
        let mut rows = statement.query(params![ids, MOST_READ as i64])?;
        while let Some(row) = rows.next()? {
            let event: i64 = row.get(0)?;
            let place = seen.iter().position(|one| one.event == event);
            let Some((place, one)) = place.map(|place| (place, seen[place])) else {
                continue;
            };
            let Some(raw) = row.get::<_, Option<String>>(7)? else {
                let seq = row.get(4)?;
                return Ok(Some(Left { place, seq }));
            };
            let item = reread(self.reader, &raw, (row.get(8)?, row.get(6)?));
            let text = text_of(&item.body);
            let text = &text[..text.floor_char_boundary(LONGEST)];
            let is_markdown = is_markdown(&item.body);
            let phrases = self.search.words.phrases();
            found.hits.push(Hit {
                conversation: row.get(1)?,
                title: row.get(2)?,
                archived: row.get(3)?,
                seq: row.get(4)?,
                row: one.row,
                pos: row.get(5)?,
                at: row.get(6)?,
                family: Family::of(&item.body),
                from: item.from,
                by: row.get(9)?,
                text: marked(text, is_markdown, phrases, one.longer),
                longer: one.longer,
            });
        }
        Ok(None)
    }
}

/// The first hit that is left for the next answer.
pub(super) struct Left {
    /// Its place among those that were to be read.
    pub(super) place: usize,
    /// The `seq` of its event.
    pub(super) seq: i64,
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
