//! The messages that people wrote, for an outline of a conversation.

use super::conversations::number_of;
use super::engine::params;
use super::folding::reread;
use super::{Journal, JournalError};
use crate::conversation::{Actor, Body, Kind};
use crate::render::first_line;

/// Messages of everybody that are checked for one page.
pub(super) const MOST_CHECKED: usize = 5_000;
/// Longest text of an entry, in characters.
const LONGEST: usize = 160;

/// A message of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Position of its row.
    pub pos: i64,
    /// Id of its row.
    pub row: i64,
    /// Upstream timestamp, milliseconds since the Unix epoch, or 0.
    pub at: i64,
    /// Its first line; empty if it has no text.
    pub text: String,
}

impl Journal {
    /// At most `limit` messages of people before a row, oldest first, and the row before which earlier ones may be.
    pub async fn outline(
        &self,
        conversation: &str,
        before: Option<(i64, i64)>,
        limit: usize,
    ) -> Result<(Vec<Asked>, Option<(i64, i64)>), JournalError> {
        let (id, reader) = (conversation.to_owned(), self.reader);
        self.database
            .read(move |transaction| {
                let (mut found, mut older) = (Vec::new(), None);
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok((found, older));
                };
                let (pos, row) = before.unwrap_or((i64::MAX, i64::MAX));
                let mut statement = transaction.prepare_cached(
                    "SELECT timeline_row.pos, timeline_row.id, event.source, event.pos, event.at, event.raw
                     FROM timeline_row CROSS JOIN event
                       ON event.conversation = timeline_row.conversation AND event.seq = timeline_row.id
                     WHERE timeline_row.conversation = ?1 AND timeline_row.kind = ?2
                       AND (timeline_row.pos, timeline_row.id) < (?3, ?4)
                     ORDER BY timeline_row.pos DESC, timeline_row.id DESC",
                )?;
                let kind = Kind::Message.as_str();
                let mut rows = statement.stream(params![number, kind, pos, row])?;
                let (mut checked, mut last) = (0, None);
                while let Some(row) = rows.next()? {
                    let is_asked = row.get_ref(2)?.as_str()? == Actor::Human.as_str();
                    if checked == MOST_CHECKED || (is_asked && found.len() == limit) {
                        older = last;
                        break;
                    }
                    checked += 1;
                    let (pos, id) = (row.get(0)?, row.get(1)?);
                    last = Some((pos, id));
                    if is_asked {
                        let place = (row.get(3)?, row.get(4)?);
                        let item = reread(reader, row.get_ref(5)?.as_str()?, place);
                        let text = match item.body {
                            Body::Message(message) => first_line(&message.text, LONGEST),
                            _ => String::new(),
                        };
                        let at = item.at.millis;
                        found.push(Asked { pos, row: id, at, text });
                    }
                }
                found.reverse();
                Ok((found, older))
            })
            .await
    }
}
