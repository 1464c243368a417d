//! Addresses of rows on the timeline.

use super::text;
use crate::store::RowKey;
use leptos::prelude::*;

/// The link to a row; a click copies its address (`copy_code`), and the style sheet says so.
#[component]
pub(super) fn RowLink(key: RowKey) -> impl IntoView {
    any_view! {
        <a class="button button--quiet button--small row__link" href=row_address(key.pos, key.id)>
            {text::link()}
        </a>
    }
}

/// The query and fragment of a conversation's address that show a row.
pub fn row_address(pos: i64, id: i64) -> String {
    format!("?before={}#row-{id}", behind(pos, id))
}

/// The cursor behind a row, in the URL. It is exclusive, so it is the next id at the same position.
pub fn behind(pos: i64, id: i64) -> String {
    key_in_address(RowKey { pos, id: id + 1 })
}

/// A cursor in the URL: `pos.id`.
pub(super) fn key_in_address(key: RowKey) -> String {
    format!("{}.{}", key.pos, key.id)
}

/// A part of the timeline other than the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Past {
    /// The rows before one.
    Before(RowKey),
    /// The rows after one; `None` from the beginning on.
    After(Option<RowKey>),
}

/// Reads a cursor of the URL.
pub(super) fn read_key(text: &str) -> Option<RowKey> {
    let (pos, id) = text.split_once('.')?;
    Some(RowKey {
        pos: pos.parse().ok()?,
        id: id.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_survives_the_address() {
        let key = RowKey { pos: -3, id: 12 };
        assert_eq!(read_key(&key_in_address(key)), Some(key));
        assert_eq!(read_key("12"), None);
        assert_eq!(read_key("x.1"), None);
    }
}
