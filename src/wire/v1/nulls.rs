//! Null and missing are the same for 1.x.

use serde_json::Value;

/// Removes the fields that are null, at any depth: for 1.x, null means missing.
pub fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(without_nulls),
        _ => {}
    }
}
