//! What a real server sent, as rows: each is harmless, and small enough for a phone.

use super::{hostile_tests::assert_harmless, *};
use crate::{
    conversation::{Row, Timeline, from_v0},
    wire::v0::Incoming,
};
use serde_json::Value;
use std::path::Path;

/// The rows of every recording; `None` where the recordings are not at hand.
fn recorded_rows() -> Option<Vec<(String, Vec<Row>)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/recordings/v0");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: no recordings in {}", folder.display());
        return None;
    };
    let mut all = Vec::new();
    for path in entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
    {
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let events = lines.filter(|line| line["dir"] == "in" && line["ev"] == "oh_event");
        let items = events.map(|mut line| from_v0(&Incoming::read(line["data"].take())));
        all.push((
            path.file_stem().unwrap().to_string_lossy().into_owned(),
            Timeline::of(items).rows(),
        ));
    }
    Some(all)
}

/// All HTML of a view: every string of it that our functions made.
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
    let Some(recordings) = recorded_rows() else {
        return;
    };
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

#[test]
fn a_row_in_full_holds_all_that_a_short_one_left_out() {
    let Some(recordings) = recorded_rows() else {
        return;
    };
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
