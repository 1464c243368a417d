//! Reads parts of responses that may be missing or of another type: nothing here fails.

use super::{Answer, BackendError};
use crate::conversation::Stamp;
use serde_json::Value;

/// Limit of a page, in entries: ten times as many as are ever requested.
const MOST_ENTRIES: usize = 1_000;

/// The text of a string; empty for anything else.
pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(super) fn filled(value: &Value) -> Option<String> {
    Some(text(value)).filter(|text| !text.is_empty())
}

pub(super) fn or_null(text: &str) -> Value {
    Some(text).filter(|text| !text.is_empty()).into()
}

/// The entries of an array; none for anything else.
pub(super) fn entries(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map_or(&[][..], Vec::as_slice).iter()
}

pub(super) fn texts(value: &Value) -> Vec<String> {
    let texts = entries(value).filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// A time in milliseconds since the Unix epoch; 0 if it is invalid.
pub(super) fn millis(value: &Value) -> i64 {
    Stamp::read(value.as_str().unwrap_or_default()).millis
}

/// Takes the list in this field out of a page. Errors: `Unexpected` if there is none, or one that is far longer than any
/// that was requested.
pub(super) fn take_list(page: &mut Value, field: &str) -> Answer<Vec<Value>> {
    match page.get_mut(field).map(Value::take) {
        Some(Value::Array(list)) if list.len() <= MOST_ENTRIES => Ok(list),
        Some(Value::Array(_)) => Err(BackendError::unexpected("a page with too many entries")),
        _ => Err(BackendError::unexpected("a page without its list")),
    }
}

/// The first two numbers of a version like "1.45.0".
pub(super) fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_with_far_more_entries_than_requested_is_refused() {
        let entries = |count: usize| take_list(&mut json!({ "items": vec![0; count] }), "items");
        assert_eq!(
            entries(MOST_ENTRIES).map(|list| list.len()).ok(),
            Some(MOST_ENTRIES)
        );
        assert!(matches!(
            entries(MOST_ENTRIES + 1),
            Err(BackendError::Unexpected(_))
        ));
        assert!(matches!(
            take_list(&mut json!({}), "items"),
            Err(BackendError::Unexpected(_))
        ));
    }
}
