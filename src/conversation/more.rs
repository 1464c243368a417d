//! Further arguments of a call, such as a working directory or a terminal restart.
//!
//! A person who approves sees these as well. Arguments with empty values or shown elsewhere are left out.

use serde_json::{Map, Value};

/// Arguments that are shown elsewhere or are internal to the servers.
const ELSEWHERE: [&str; 10] = [
    "kind",
    "thought",
    "summary",
    "security_risk",
    "confirmation_state",
    "impl_source",
    "include_extra",
    "return_axtree",
    "translated_ipython_code",
    "wait_for_response",
];

/// The arguments worth showing, from `rest` (arguments without a field of their own) and `named`.
pub(super) fn more<const N: usize>(
    rest: &Map<String, Value>,
    named: [(&str, Value); N],
) -> Map<String, Value> {
    let named = named
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let rest = rest
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()));
    let says = |(name, value): &(String, Value)| {
        !ELSEWHERE.contains(&name.as_str()) && !says_nothing(value)
    };
    rest.chain(named).filter(says).collect()
}

/// All arguments of a call that is not understood, also those with empty values.
pub(super) fn all(mut arguments: Map<String, Value>) -> Map<String, Value> {
    arguments.retain(|name, value| !ELSEWHERE.contains(&name.as_str()) && !value.is_null());
    arguments
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(yes) => !yes,
        Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}
