//! An exact text in one conversation: its events are read, because the index knows words only.

use super::candidates::Candidate;
use super::index::{LONGEST, text_of};
use super::running::Searching;
use super::windows::Windows;
use super::{Cursor, Found};
use crate::conversation::{Family, path_of};
use crate::journal::conversations::number_of;
use crate::journal::engine::{self, params};
use crate::journal::folding::reread;

/// Events in the first window of a scan.
const FIRST_WINDOW: i64 = 64;

impl Searching<'_> {
    /// The rows of a conversation whose text contains `text`, newest first.
    pub(super) fn exact(
        &self,
        text: &str,
        conversation: &str,
        sees: impl Fn(&str) -> bool,
    ) -> engine::Result<Found> {
        let mut found = Found::default();
        let number = number_of(self.transaction, conversation)?;
        let Some(number) = number.filter(|_| sees(conversation)) else {
            return Ok(found);
        };
        let newest: i64 = self
            .transaction
            .one("SELECT seq FROM conversation WHERE number = ?1", [number])?;
        // Here the cursor counts the events of the conversation.
        let from = self.search.after.map_or(newest, |after| after.event);
        let mut statement = self.transaction.prepare_cached(
            "SELECT seq, id, row, pos, raw, at FROM event WHERE conversation = ?1 AND seq BETWEEN ?2 AND ?3
               AND row IS NOT NULL AND instr(raw, ?4) > 0 ORDER BY seq DESC",
        )?;
        let literal = literal_part(text);
        let mut seen: Vec<Candidate> = Vec::new();
        let mut windows = Windows::down(from, FIRST_WINDOW, self.until);
        let (mut rest, mut full) = (None, false);
        'windows: while let Some((low, high)) = windows.next() {
            let mut events = statement.stream(params![number, low, high, literal])?;
            while let Some(event) = events.next()? {
                let seq: i64 = event.get(0)?;
                full = seen.len() == self.search.limit;
                if full || windows.is_late() {
                    rest = Some(seq);
                    break 'windows;
                }
                let one = Candidate {
                    event: event.get(1)?,
                    conversation: number,
                    row: event.get(2)?,
                    longer: false,
                };
                let raw = event.get_ref(4)?.as_str()?;
                if !seen.iter().any(|known| known.is_of_row(&one))
                    && self.holds(raw, (event.get(3)?, event.get(5)?), text, &one)?
                {
                    seen.push(one);
                }
            }
        }
        if let Some(seq) = rest.or_else(|| windows.rest()) {
            found.next = Some(Cursor {
                longer: false,
                event: seq,
                found: 0,
            });
            if !full {
                found.back_to = self.received_in(number, seq)?;
            }
        }
        if let Some(left) = self.hits(&seen, &mut found)? {
            found.next = Some(Cursor {
                longer: false,
                event: left.seq,
                found: 0,
            });
            found.back_to = None;
        }
        Ok(found)
    }

    /// Whether an event contains the text and fits the filter.
    fn holds(
        &self,
        raw: &str,
        place: (i64, i64),
        text: &str,
        one: &Candidate,
    ) -> engine::Result<bool> {
        let filter = &self.search.filter;
        let item = reread(self.reader, raw, place);
        let all = text_of(&item.body);
        let path = path_of(&item.body).unwrap_or_default();
        let fits = all[..all.floor_char_boundary(LONGEST)].contains(text)
            && filter
                .family
                .is_none_or(|family| family == Family::of(&item.body))
            && filter.source.is_none_or(|source| source == item.from)
            && filter
                .path
                .as_ref()
                .is_none_or(|wanted| path.contains(wanted.as_str()))
            && filter.takes_day(item.at.millis);
        Ok(fits
            && match &filter.person {
                None => true,
                Some(name) => self.transaction.exists(
                    "SELECT 1 FROM row_author WHERE conversation = ?1 AND row = ?2
                           AND (name = ?3 COLLATE NOCASE OR first_name = ?3 COLLATE NOCASE)",
                    params![one.conversation, one.row, name],
                )?,
            })
    }

    fn received_in(&self, number: i64, seq: i64) -> engine::Result<Option<i64>> {
        self.transaction.one(
            "SELECT max(received_at) FROM event WHERE conversation = ?1 AND seq = ?2",
            [number, seq],
        )
    }
}

/// The longest part of a text that JSON contains unchanged, however its writer escapes other characters.
fn literal_part(text: &str) -> &str {
    let is_escaped =
        |letter: char| !(letter.is_ascii_alphanumeric() || " _-.,:;()[]{}=+*".contains(letter));
    let parts = text.split(is_escaped);
    parts.max_by_key(|part| part.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::literal_part;

    #[test]
    fn only_what_json_leaves_unchanged_is_looked_for_in_it() {
        assert_eq!(literal_part("say \"hello world\"\n"), "hello world");
        assert_eq!(literal_part("a/bcd"), "bcd");
        assert_eq!(literal_part("\u{fc}\"<"), "");
    }
}
