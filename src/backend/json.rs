//! Reads parts of responses that may be missing or of another type: nothing here fails.

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

/// Takes the list in this field out of a response; `None` if there is none.
pub(super) fn take_list(response: &mut Value, field: &str) -> Option<Vec<Value>> {
    match response.get_mut(field)?.take() {
        Value::Array(list) => Some(list),
        _ => None,
    }
}

/// The first two numbers of a version like "1.45.0".
pub(super) fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}
