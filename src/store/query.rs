//! The query of the page's address.
//!
//! The router's own map decodes each value twice, so that a file `a%41.txt` or a shared link with `%20` became another
//! one. This map is read from the address itself, and decodes once.

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, utf8_percent_encode};

/// What is encoded in a name or value.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// The parameters of an address, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

/// The query of the current address.
pub fn use_query() -> Memo<Query> {
    let search = use_location().search;
    Memo::new(move |_| search.with(|search| Query::read(search)))
}

impl Query {
    /// Reads the part of an address after its `?`.
    pub fn read(search: &str) -> Self {
        let search = search.strip_prefix('?').unwrap_or(search);
        let pairs = search.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        Self(pairs.collect())
    }

    /// The last value with this name.
    pub fn get(&self, name: &str) -> Option<String> {
        self.get_str(name).map(str::to_owned)
    }

    /// As [`Self::get`], borrowed.
    pub fn get_str(&self, name: &str) -> Option<&str> {
        let mut pairs = self.0.iter().rev();
        pairs.find_map(|(known, value)| (known == name).then_some(value.as_str()))
    }

    /// All values with this name.
    pub fn get_all(&self, name: &str) -> Vec<String> {
        let pairs = self.0.iter().filter(|(known, _)| known == name);
        pairs.map(|(_, value)| value.clone()).collect()
    }

    /// Sets the value of a name, in place of those that it has.
    pub fn replace(&mut self, name: impl Into<String>, value: String) {
        let name = name.into();
        let place = self.0.iter().position(|(known, _)| *known == name);
        self.remove(&name);
        let place = place.unwrap_or(self.0.len());
        self.0.insert(place, (name, value));
    }

    /// Removes a name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    /// The query with its `?`; empty without parameters.
    pub fn to_query_string(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.0 {
            text.push(if text.is_empty() { '?' } else { '&' });
            text.extend(utf8_percent_encode(name, ENCODED));
            text.push('=');
            text.extend(utf8_percent_encode(value, ENCODED));
        }
        text
    }
}

fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_decode(text.as_bytes())
        .decode_utf8_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_decoded_once() {
        let query = Query::read(
            "?url=https%3A%2F%2Fexample.com%2Fa%2520b&q=a%2541b&file=a%23b%3Fc%2541.txt&x=100%",
        );
        assert_eq!(
            query.get("url").as_deref(),
            Some("https://example.com/a%20b")
        );
        assert_eq!(query.get("q").as_deref(), Some("a%41b"));
        assert_eq!(query.get("file").as_deref(), Some("a#b?c%41.txt"));
        assert_eq!(query.get("x").as_deref(), Some("100%"));
        assert_eq!(query.get("y"), None);
    }

    #[test]
    fn a_query_survives_being_written() {
        let mut query = Query::default();
        for value in ["dir with space/a#b?c%41&d=e.txt", "1+1", "ä\u{2028}%", ""] {
            query.replace("a b", "other".to_owned());
            query.replace("a b", value.to_owned());
            assert_eq!(Query::read(&query.to_query_string()), query);
            assert_eq!(query.get_str("a b"), Some(value));
        }
        query.remove("a b");
        assert_eq!(query.to_query_string(), "");
    }

    #[test]
    fn the_last_value_counts_and_a_replaced_one_keeps_its_place() {
        let mut query = Query::read("a=1&b=2&a=3&c");
        assert_eq!(
            (query.get_str("a"), query.get_str("c")),
            (Some("3"), Some(""))
        );
        query.replace("a", "4".to_owned());
        assert_eq!(query.to_query_string(), "?a=4&b=2&c=");
    }
}
