//! Recordings of a real server as rows: each is harmless, and small enough for a phone.

use super::{hostile_tests::assert_harmless, *};
use crate::{
    conversation::{LogItem, Row, Timeline, from_v0, from_v1},
    wire::{read_event_json, v0::Incoming, v1},
};
use serde_json::Value;
use std::path::Path;

/// Parses a line of a recording: an event of the 0.x Socket.IO connection or of the 1.x session socket.
fn item(mut line: Value) -> Option<LogItem> {
    if line["dir"] == "in" && line["ev"] == "oh_event" {
        return Some(from_v0(&Incoming::read(line["data"].take())));
    }
    match v1::Frame::read(line["frame"].take()) {
        v1::Frame::Durable { seq, event } => {
            Some(from_v1::item(&v1::Event::read(event), Some(seq), None))
        }
        _ => None,
    }
}

/// The rows of every recording of both protocols.
fn recorded_rows() -> Vec<(String, Vec<Row>)> {
    let mut all = recorded_rows_of("v0");
    all.extend(recorded_rows_of("v1"));
    all
}

fn recorded_rows_of(protocol: &str) -> Vec<(String, Vec<Row>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/recordings");
    let entries = std::fs::read_dir(folder.join(protocol)).expect("the recordings are there");
    let mut all = Vec::new();
    for path in entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
    {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.push((
            format!("{protocol}/{}", path.file_stem().unwrap().to_string_lossy()),
            Timeline::of(lines.filter_map(item)).rows(),
        ));
    }
    assert!(all.len() > 15, "only {} recordings were found", all.len());
    all
}

/// Checks all HTML in a view: every string that our functions produced.
fn check_html(value: &Value, name: &str) {
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| check_html(value, key)),
        Value::Array(list) => list.iter().for_each(|value| check_html(value, name)),
        Value::String(html)
            if ["html", "thought", "reasoning", "lines", "prose"].contains(&name) =>
        {
            assert_harmless(html)
        }
        _ => {}
    }
}

#[test]
fn rows_of_the_recordings_are_harmless_and_small() {
    let recordings = recorded_rows();
    let mut sizes = Vec::new();
    for (name, rows) in &recordings {
        for row in rows {
            let json = serde_json::to_value(render_row(row, "c", &Limits::short("/"))).unwrap();
            check_html(&json, "");
            let size = json.to_string().len();
            assert!(
                size < 100_000,
                "row {} of {name} takes {size} bytes",
                row.id
            );
            sizes.push(size);
        }
    }
    sizes.sort_unstable();
    let middle = sizes[sizes.len() / 2];
    eprintln!(
        "{} rows: half of them under {middle} bytes, the largest {}",
        sizes.len(),
        sizes[sizes.len() - 1]
    );
    assert!(middle < 3000, "{middle}");
}

/// Some events of the recordings of both protocols.
fn some_events() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/recordings");
    let files = [
        "v0/full",
        "v0/confirm",
        "v0/error500",
        "v1/chat",
        "v1/browser",
        "v1/condense",
    ];
    let texts =
        files.map(|file| std::fs::read_to_string(folder.join(format!("{file}.jsonl"))).unwrap());
    let lines = texts
        .iter()
        .flat_map(|text| text.lines())
        .map(|line| serde_json::from_str(line).unwrap());
    let events = lines.filter_map(|line: Value| {
        let event = if line["frame"].is_null() {
            &line["data"]
        } else {
            &line["frame"]
        };
        let event = if event["event"].is_null() {
            event
        } else {
            &event["event"]
        };
        Some(event.to_string().into_bytes()).filter(|event| event.len() < 8000)
    });
    events.step_by(3).collect()
}

#[test]
fn any_event_is_folded_and_rendered_in_little_memory_for_its_length() {
    let most = |length| (8 << 20) + 400 * length;
    handrail_sim_os::fuzz("events", &some_events(), most, |input| {
        let Some(value) = read_event_json(input) else {
            return;
        };
        let events = match value {
            Value::Array(events) => events,
            event => vec![event],
        };
        let items = events.into_iter().flat_map(|event| {
            let of_v1 = from_v1::item(&v1::Event::read(event.clone()), None, None);
            [from_v0(&Incoming::read(event)), of_v1]
        });
        for row in Timeline::of(items).rows() {
            render_row(&row, "c", &Limits::short("/"));
        }
    });
}

#[test]
fn a_row_in_full_holds_all_that_a_short_one_left_out() {
    let recordings = recorded_rows();
    for row in recordings.iter().flat_map(|(_, rows)| rows) {
        let cut = |view: &RowView| {
            serde_json::to_string(view)
                .unwrap()
                .matches("\"cut\":true")
                .count()
        };
        let (short, full) = (
            render_row(row, "c", &Limits::short("/")),
            render_step_in_full(row, "c", "/"),
        );
        assert!(cut(&full) <= cut(&short));
        assert_eq!(cut(&full), 0, "row {}", row.id);
    }
}
