//! Reads parts of responses that may be missing or of another type: nothing here fails.

use super::{Answer, BackendError};
use crate::conversation::Stamp;
use serde_json::Value;

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

/// Takes the list in this field out of a page. Errors: `Unexpected` if there is none.
pub(super) fn take_list(page: &mut Value, field: &str) -> Answer<Vec<Value>> {
    match page.get_mut(field).map(Value::take) {
        Some(Value::Array(list)) => Ok(list),
        _ => Err(BackendError::unexpected("a page without its list")),
    }
}

/// The first two numbers of a version like "1.45.0".
pub(super) fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}
