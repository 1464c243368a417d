//! Recorded streams of real OpenHands servers: every event is mapped, none is unknown, and a live stream gives the same
//! timeline as its replay.
//!
//! `tests/recordings/v0` has shortened copies of the recordings, with rewritten texts. This file exceeds the usual
//! length, because reader, table and comparisons share all of it.

use handrail::conversation::{Body, Card, LogItem, Row, Session, Taken, Timeline, from_v0};
use handrail::wire::v0::{Action, ActionType, Incoming, Observation, ObservationType, Payload};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A recorded line that a server sent.
struct Sent {
    file: String,
    client: String,
    value: Value,
}

/// All `oh_event` payloads from servers, in order.
fn sent() -> Vec<Sent> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/v0");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the recordings exist")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
        .collect();
    assert!(
        files.len() > 15,
        "only {} recordings were found",
        files.len()
    );
    files.sort();
    let mut sent = Vec::new();
    for path in files {
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let mut line: Value = serde_json::from_str(line).unwrap();
            if line["dir"] != "in" {
                continue;
            }
            let (client, value) = if line["ev"] == "oh_event" {
                (
                    line["c"].as_str().unwrap_or_default().to_owned(),
                    line["data"].take(),
                )
            } else if let Some(packet) = line["packet"]
                .as_str()
                .and_then(|packet| packet.strip_prefix("42"))
            {
                // Raw packets of the handshake: event name and payload.
                let mut packet: Value = serde_json::from_str(packet).unwrap();
                (
                    line["case"].as_str().unwrap_or_default().to_owned(),
                    packet[1].take(),
                )
            } else {
                continue;
            };
            sent.push(Sent {
                file: file.clone(),
                client,
                value,
            });
        }
    }
    sent
}

fn tag(value: &Value) -> String {
    match (&value["action"], &value["observation"]) {
        (Value::String(tag), _) => format!("action {tag}"),
        (_, Value::String(tag)) => format!("observation {tag}"),
        _ if value["conversation_title"].is_string() => "status_update title".to_owned(),
        _ if value["status_update"] == true => {
            format!("status_update {}", value["type"].as_str().unwrap_or("?"))
        }
        _ if value["error"] == true => "error frame".to_owned(),
        _ => "?".to_owned(),
    }
}

/// The name of an enum variant, from its debug text.
fn variant(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}")
        .chars()
        .take_while(|c| c.is_alphanumeric())
        .collect()
}

/// Panics if the wire types do not know a part of the event.
fn assert_known(file: &str, value: &Value, incoming: &Incoming) {
    match incoming {
        Incoming::Unknown(_) => panic!("{file}: not understood: {value}"),
        Incoming::Event(event) => match &event.payload {
            Payload::Action { kind, action } => {
                assert!(
                    !matches!(kind, ActionType::Unknown(_)),
                    "{file}: new tag: {value}"
                );
                assert!(
                    !matches!(action, Action::Unknown(_)),
                    "{file}: drifted: {value}"
                );
            }
            Payload::Observation {
                kind, observation, ..
            } => {
                assert!(
                    !matches!(kind, ObservationType::Unknown(_)),
                    "{file}: new tag: {value}"
                );
                assert!(
                    !matches!(observation, Observation::Unknown(_)),
                    "{file}: drifted: {value}"
                );
            }
            Payload::Unknown(_) => panic!("{file}: neither action nor observation: {value}"),
        },
        Incoming::StatusUpdate(_) | Incoming::ErrorFrame(_) => {}
    }
}

/// How the events with one tag were mapped.
#[derive(Default)]
struct Fate {
    count: usize,
    bodies: BTreeSet<String>,
    cards: BTreeSet<String>,
}

/// One client's stream, and the rows that its events went into.
#[derive(Default)]
struct Stream {
    timeline: Timeline,
    rows: Vec<(String, i64)>,
}

#[test]
fn every_recorded_event_is_understood() {
    let mut fates: BTreeMap<String, Fate> = BTreeMap::new();
    let mut streams: BTreeMap<(String, String), Stream> = BTreeMap::new();
    for Sent {
        file,
        client,
        value,
    } in sent()
    {
        let tag = tag(&value);
        let incoming = Incoming::read(value.clone());
        assert_known(&file, &value, &incoming);
        let item = from_v0(&incoming);
        assert!(
            !matches!(item.body, Body::Unknown { .. }),
            "{file}: {value}"
        );
        if matches!(incoming, Incoming::Event(_)) {
            assert_eq!(item.key, Some(value["id"].to_string()));
            assert_eq!(item.pos, value["id"].as_i64());
            assert!(
                item.at.millis > 1_700_000_000_000,
                "{file}: no time: {value}"
            );
        }
        let fate = fates.entry(tag.clone()).or_default();
        fate.count += 1;
        fate.bodies.insert(variant(&item.body));

        let stream = streams.entry((file, client)).or_default();
        match stream.timeline.push(item) {
            Some(Taken { row: Some(row), .. }) => stream.rows.push((tag, row)),
            Some(_) => drop(fate.cards.insert("–".to_owned())),
            None => {}
        }
    }
    for Stream { timeline, rows } in streams.into_values() {
        for (tag, row) in rows {
            let row = timeline.row(row).expect("the row of an event exists");
            assert!(
                !matches!(row.card, Card::Unknown { .. } | Card::Orphan(_)),
                "{tag}: {row:?}"
            );
            let card = match &row.card {
                Card::Call(call) => format!("Call: {}", variant(&call.call.tool)),
                card => variant(card),
            };
            fates.entry(tag).or_default().cards.insert(card);
        }
    }
    let mut table = String::from("\n| tag | count | body | card |\n|---|---|---|---|\n");
    for (
        tag,
        Fate {
            count,
            bodies,
            cards,
        },
    ) in fates
    {
        let join = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(", ");
        writeln!(
            table,
            "| {tag} | {count} | {} | {} |",
            join(bodies),
            join(cards)
        )
        .unwrap();
    }
    eprintln!("{table}");
}

/// The content of each row without Handrail's own numbers. Errors are left out: they arrive as frames that a replay
/// does not contain.
fn read(timeline: &Timeline) -> Vec<String> {
    let plain = |row: Row| {
        let mut row = Row {
            id: 0,
            seq: 0,
            ..row
        };
        match &mut row.card {
            Card::Message { seq, .. } => *seq = 0,
            Card::Call(call) => call
                .executions
                .iter_mut()
                .for_each(|execution| execution.seq = 0),
            Card::Orphan(execution) => execution.seq = 0,
            _ => {}
        }
        row
    };
    timeline
        .rows()
        .into_iter()
        .filter(|row| !matches!(row.card, Card::RunError { .. }))
        .map(|row| format!("{:?}", plain(row)))
        .collect()
}

fn stream(sent: &[Sent], file: &str, clients: &[&str]) -> Vec<LogItem> {
    sent.iter()
        .filter(|sent| sent.file == file && clients.contains(&sent.client.as_str()))
        .map(|sent| from_v0(&Incoming::read(sent.value.clone())))
        .collect()
}

#[test]
fn a_live_stream_reads_like_its_replay() {
    let sent = sent();
    // File, clients with the live stream, clients with the replay.
    let cases: [(&str, &[&str], &[&str]); 4] = [
        ("long150", &["A"], &["B"]),
        ("first_message_late_join", &["A"], &["B"]),
        ("reconnect", &["A", "B", "C"], &["E"]),
        ("reconnect", &["A", "B", "C"], &["G"]),
    ];
    for (file, live, replayed) in cases {
        let live = Timeline::of(stream(&sent, file, live));
        let replayed = Timeline::of(stream(&sent, file, replayed));
        let (live_rows, replayed_rows) = (read(&live), read(&replayed));
        assert!(!live_rows.is_empty(), "{file} is empty");
        for (live, replayed) in live_rows.iter().zip(&replayed_rows) {
            assert_eq!(live, replayed, "{file}");
        }
        assert_eq!(live_rows.len(), replayed_rows.len(), "{file}");
        let (live, replayed) = (live.session(), replayed.session());
        assert_eq!(state(live), state(replayed), "{file}");
    }
}

/// The part of the state that both kinds of stream contain.
fn state(session: &Session) -> impl PartialEq + std::fmt::Debug {
    (
        session.status.clone(),
        session.reason.clone(),
        session.metrics.clone(),
        session.tasks.clone(),
        session.pending.clone(),
        session.newest_pos,
        session.about.clone(),
    )
}

#[test]
fn no_recorded_stream_depends_on_the_order_of_arrival() {
    let sent = sent();
    let streams: BTreeSet<(&str, &str)> = sent
        .iter()
        .map(|sent| (sent.file.as_str(), sent.client.as_str()))
        .collect();
    for (file, client) in streams {
        // Frames without a key have no defined order.
        let items: Vec<LogItem> = stream(&sent, file, &[client])
            .into_iter()
            .filter(|item| item.key.is_some())
            .collect();
        let mut sorted = items.clone();
        sorted.sort_by_key(|item| item.pos);
        assert_eq!(
            read(&Timeline::of(items)),
            read(&Timeline::of(sorted)),
            "{file} {client}"
        );
    }
}
