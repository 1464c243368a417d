//! Field-by-field comparison of responses with recordings of real servers.
//!
//! `tests/recordings/shapes.json` was generated from recordings: for each kind of event and each route, the paths of
//! all fields with their types. `?` before the types means that the field is sometimes missing; `*` stands for a key
//! that is data.

use super::call;
use crate::Rehearsal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

type Fields = BTreeMap<String, String>;

static SHAPES: LazyLock<BTreeMap<String, BTreeMap<String, Fields>>> = LazyLock::new(|| {
    let text = include_str!("../../../tests/recordings/shapes.json");
    serde_json::from_str(text).expect("the shapes are JSON")
});

/// Fields whose keys are data.
const KEYED: [&str; 14] = [
    "usage_to_metrics",
    "tags",
    "secrets",
    "metrics",
    "profiles",
    "providers",
    "verified_models",
    "headers",
    "env",
    "secret_sources",
    "properties",
    "agent_final_state",
    "risks",
    "data",
];

/// How a value differs from all recordings under a name. Paths that begin with one of `ignored` are not compared.
pub fn differences(section: &str, name: &str, value: &Value, ignored: &[&str]) -> Vec<String> {
    let Some(recorded) = SHAPES[section].get(name) else {
        return vec![format!("{section}: {name} was never recorded")];
    };
    let mut ours = Vec::new();
    flatten(value, String::new(), &mut ours);
    let is_ignored = |path: &str| ignored.iter().any(|prefix| path.starts_with(prefix));
    let mut wrong = Vec::new();
    for (path, kind) in ours.iter().filter(|(path, _)| !is_ignored(path)) {
        match recorded.get(path) {
            // The children of a list or object that was always empty are unknown.
            None if !has_children(recorded, parent(path)) => {}
            None => wrong.push(format!("{name} has {path}, which nobody recorded")),
            Some(kinds) => {
                let mut kinds = kinds.trim_start_matches('?').split(' ');
                if !kinds.any(|known| is_like(kind, known)) {
                    wrong.push(format!("{name} has {path} of type {kind}"));
                }
            }
        }
    }
    let has = |path: &str| path.is_empty() || ours.iter().any(|(known, _)| known == path);
    let is_object = |path: &str| {
        path.is_empty()
            || ours
                .iter()
                .any(|(known, kind)| known == path && *kind == "dict")
    };
    for (path, kinds) in recorded {
        if !kinds.starts_with('?') && !is_ignored(path) && is_object(parent(path)) && !has(path) {
            wrong.push(format!("{name} lacks {path}"));
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

/// Sends a request, and returns how its response differs from those that were recorded for its route, such as
/// `GET /api/conversations/{id}`. Its path is that of the route with this conversation's id, or `path` if there is one.
pub async fn compared(
    server: &Rehearsal,
    (section, id): (&str, &str),
    (route, path): (&str, &str),
    body: Option<Value>,
    ignored: &[&str],
) -> Vec<String> {
    let (method, of_route) = route.split_once(' ').expect("a method and a route");
    let of_route = of_route.replace("{id}", id);
    let path = if path.is_empty() { &of_route } else { path };
    let (status, answer) = call(server, method, path, body).await;
    assert!(
        (200..300).contains(&status),
        "{method} {path}: {status} {answer}"
    );
    differences(section, route, &answer, ignored)
}

/// A value recorded only as null may have any type; integers count as numbers.
fn is_like(kind: &str, recorded: &str) -> bool {
    kind == recorded
        || kind == "null"
        || recorded == "null"
        || (kind == "int" && recorded == "float")
}

fn parent(path: &str) -> &str {
    match path.strip_suffix("[]") {
        Some(list) => list,
        None => path.rsplit_once('.').map_or("", |(parent, _)| parent),
    }
}

fn has_children(recorded: &Fields, path: &str) -> bool {
    let dotted = format!("{path}.");
    let list = format!("{path}[]");
    path.is_empty()
        || recorded
            .keys()
            .any(|known| known.starts_with(&dotted) || known.starts_with(&list))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}

fn flatten(value: &Value, path: String, found: &mut Vec<(String, &'static str)>) {
    match value {
        Value::Object(fields) => {
            let last = path
                .rsplit('.')
                .next()
                .unwrap_or_default()
                .trim_end_matches("[]");
            let keyed = KEYED.contains(&last);
            for (key, value) in fields {
                let key = if keyed { "*" } else { key };
                let path = if path.is_empty() {
                    key.to_owned()
                } else {
                    format!("{path}.{key}")
                };
                found.push((path.clone(), kind_of(value)));
                flatten(value, path, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                let path = format!("{path}[]");
                found.push((path.clone(), kind_of(item)));
                flatten(item, path, found);
            }
        }
        _ => {}
    }
}

#[test]
fn a_field_more_a_field_less_and_another_type_are_told() {
    let event = serde_json::json!({
        "id": "1", "timestamp": "2026-01-01T00:00:00", "source": "user", "kind": "PauseEvent", "more": 1,
    });
    let wrong = differences("v1_events", "PauseEvent", &event, &[]);
    assert!(
        wrong.contains(&"PauseEvent has more, which nobody recorded".to_owned()),
        "{wrong:?}"
    );
    let event = serde_json::json!({ "id": 1, "kind": "PauseEvent" });
    let wrong = differences("v1_events", "PauseEvent", &event, &[]);
    assert!(
        wrong.contains(&"PauseEvent has id of type int".to_owned()),
        "{wrong:?}"
    );
    assert!(
        wrong.contains(&"PauseEvent lacks source".to_owned()),
        "{wrong:?}"
    );
}
