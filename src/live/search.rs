//! Search over the events of all conversations.

use crate::conversation::{Actor, Family};
use crate::render::Marked;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};

/// What is encoded in a value of a query.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// What is searched for, as it stands in the URL: empty where nothing is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchAsk {
    /// The words.
    pub q: String,
    /// Id of a conversation.
    pub conversation: String,
    /// Word of a [`Family`].
    pub kind: String,
    /// Word of an [`Actor`].
    pub source: String,
    /// Name of a person.
    pub person: String,
    /// First day, `2026-11-21`, UTC.
    pub from: String,
    /// Last day.
    pub to: String,
    /// Label of a backend.
    pub backend: String,
    /// A file, or a part of its path.
    pub path: String,
    /// Where to continue, from [`FoundView::next`].
    pub after: String,
}

impl SearchAsk {
    /// Its fields by their names in the URL.
    pub fn fields(&self) -> [(&'static str, &str); 10] {
        [
            ("q", &self.q),
            ("conversation", &self.conversation),
            ("kind", &self.kind),
            ("source", &self.source),
            ("person", &self.person),
            ("from", &self.from),
            ("to", &self.to),
            ("backend", &self.backend),
            ("path", &self.path),
            ("after", &self.after),
        ]
    }

    /// Takes its fields from a URL.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| get(name).unwrap_or_default();
        Self {
            q: get("q"),
            conversation: get("conversation"),
            kind: get("kind"),
            source: get("source"),
            person: get("person"),
            from: get("from"),
            to: get("to"),
            backend: get("backend"),
            path: get("path"),
            after: get("after"),
        }
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.fields()
            .iter()
            .all(|(_, value)| value.trim().is_empty())
    }

    /// Whether anything beside the words is asked.
    pub fn is_filtered(&self) -> bool {
        let fields = self.fields();
        let mut filters = fields
            .iter()
            .filter(|(name, _)| !matches!(*name, "q" | "after"));
        filters.any(|(_, value)| !value.is_empty())
    }

    /// The query string for a link, with its `?`.
    pub fn query(&self) -> String {
        query_of(self.fields())
    }
}

/// A query string with its `?` of these names and values. Empty values are left out, and so is the `?` without others.
pub fn query_of<'v>(fields: impl IntoIterator<Item = (&'static str, &'v str)>) -> String {
    let mut query = String::new();
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        query.push(if query.is_empty() { '?' } else { '&' });
        query.push_str(name);
        query.push('=');
        query.extend(utf8_percent_encode(value, ENCODED));
    }
    query
}

/// What can be chosen in the filters of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchChoices {
    /// Ids and titles of the conversations changed last.
    pub conversations: Vec<(String, String)>,
    /// Labels of the backends.
    pub backends: Vec<String>,
}

/// The answer to a search.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FoundView {
    /// The hits: those with the words themselves first, each group newest first.
    pub hits: Vec<HitView>,
    /// Where to continue; empty if there is no more.
    pub next: String,
    /// If the time was up: everything received since this time was looked at, in milliseconds since the Unix epoch.
    pub back_to: Option<i64>,
    /// Whether only some of the longer words were looked for, because there are too many.
    pub cut: bool,
    /// If older events are still being indexed: the share that is, in percent.
    pub indexed: Option<u8>,
    /// If the newest events are still being indexed: since when they were received, in milliseconds since the Unix epoch.
    #[serde(default)]
    pub behind_from: Option<i64>,
    /// Labels of the backends that were searched and are recorded only in part.
    #[serde(default)]
    pub in_part: Vec<String>,
}

/// A row that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HitView {
    /// Id of its conversation.
    pub conversation: String,
    /// Title of its conversation, or empty.
    pub title: String,
    /// Whether its conversation is archived.
    #[serde(default)]
    pub archived: bool,
    /// The event that was found, by its number in the conversation.
    pub seq: i64,
    /// The id of its row.
    pub row: i64,
    /// Timestamp, milliseconds since the Unix epoch.
    pub at: i64,
    /// Family of the event.
    pub family: Family,
    /// Source of the event.
    pub from: Actor,
    /// Name of the author of its row, or empty.
    pub by: String,
    /// The text around the first word that was found.
    pub text: Vec<Marked>,
    /// Whether only a longer word was found.
    pub longer: bool,
}

/// The hits around an event.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WalkView {
    /// The next newer hit: its conversation, event and row.
    pub newer: Option<(String, i64, i64)>,
    /// The next older hit.
    pub older: Option<(String, i64, i64)>,
    /// Whether the time was up before both were found.
    pub late: bool,
    /// Position and id of the row up to which the timeline is shown; `None` at its end.
    pub end: Option<(i64, i64)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_goes_into_the_address_and_cannot_leave_its_place() {
        let ask = SearchAsk {
            q: "a&b=c d".to_owned(),
            path: "src/x.rs".to_owned(),
            ..SearchAsk::default()
        };
        assert_eq!(ask.query(), "?q=a%26b%3Dc%20d&path=src%2Fx.rs");
        assert!(ask.is_filtered() && !ask.is_empty());
        assert!(SearchAsk::default().is_empty() && SearchAsk::default().query().is_empty());
        let fields = ask.fields().map(|(name, value)| (name, value.to_owned()));
        let read = SearchAsk::read(|wanted| {
            let found = fields.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| value.clone())
        });
        assert_eq!(read, ask);
    }
}
