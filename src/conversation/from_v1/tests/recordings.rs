//! Recordings of a real server: every line is an item, a state, a piece of a draft, or explicitly nothing.

use super::*;
use crate::conversation::{Drafts, Timeline};
use crate::wire::v1::{Frame, Observation, StateUpdate};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The lines of every recording: shortened copies with our own texts.
fn recordings() -> Vec<(String, Vec<Value>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/recordings/v1");
    let entries = std::fs::read_dir(&folder).expect("the recordings are there");
    let mut all = Vec::new();
    for path in entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
    {
        let lines = std::fs::read_to_string(&path).unwrap();
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        all.push((
            path.file_stem().unwrap().to_string_lossy().into_owned(),
            lines,
        ));
    }
    all.sort_by(|(a, _): &(String, _), (b, _)| a.cmp(b));
    assert!(all.len() > 15, "only {} recordings were found", all.len());
    all
}

/// The content of a line: a frame of the session socket, a bare event, or neither.
enum Told {
    Frame(Frame),
    Bare(Box<Event>),
    /// REST, notes, opened sockets: not part of the event protocol.
    Beside(String),
}

fn told(line: &Value) -> Told {
    let channel = line["ch"].as_str().unwrap().to_owned();
    match line.get("frame") {
        Some(frame) if channel.starts_with("session") => Told::Frame(Frame::read(frame.clone())),
        Some(frame) if channel.starts_with("events") => {
            Told::Bare(Box::new(Event::read(frame.clone())))
        }
        _ => Told::Beside(channel),
    }
}

/// Kind of an event with the kind of its content.
fn name(event: &Event) -> String {
    let inner = match &event.payload {
        Payload::Action(action) => match &action.action {
            Some(Action::Other(value)) => value["kind"].as_str().map(str::to_owned),
            Some(known) => format!("{known:?}")
                .split(['(', ' '])
                .next()
                .map(str::to_owned),
            None => Some("not executable".to_owned()),
        },
        Payload::Observation(result) => Some(result.observation.kind.clone()),
        Payload::ConversationStateUpdate(update) => {
            let word = format!("{update:?}");
            word.split(['(', ' ']).next().map(str::to_owned)
        }
        Payload::ACPToolCall(call) => Some(call.status.clone()),
        _ => None,
    };
    match inner {
        Some(inner) => format!("{} {inner}", event.kind),
        None => event.kind.clone(),
    }
}

fn card(item: &LogItem) -> String {
    match &item.body {
        Body::Call(call) => format!("call: {:?}", call.tool.kind()),
        Body::State(_) if item.metrics.is_some() => "state: cost and tokens".to_owned(),
        body => {
            let word = format!("{body:?}");
            word.split(['(', ' ', '{'])
                .next()
                .unwrap_or_default()
                .to_lowercase()
        }
    }
}

#[test]
fn every_line_of_the_recordings_means_something() {
    let recordings = recordings();
    let mut table: BTreeMap<String, (usize, BTreeSet<String>)> = BTreeMap::new();
    let mut count = |kind: String, means: String| {
        let entry = table.entry(kind).or_default();
        entry.0 += 1;
        entry.1.insert(means);
    };
    for (recording, lines) in &recordings {
        let mut drafts = Drafts::default();
        for line in lines {
            let (event, seq) = match told(line) {
                Told::Beside(channel) => {
                    count(format!("({channel})"), "beside the protocol".to_owned());
                    continue;
                }
                Told::Bare(event) => (*event, None),
                Told::Frame(Frame::Durable { seq, event }) => (Event::read(event), Some(seq)),
                Told::Frame(Frame::Transient { event }) => (Event::read(event), None),
                Told::Frame(frame) => {
                    let means = match (piece(&frame), &frame) {
                        (Some(piece), _) => {
                            drafts.take(piece);
                            "draft"
                        }
                        (None, Frame::Sync { .. } | Frame::Error { .. }) => "about the line",
                        (None, frame) => panic!("{recording}: {frame:?}"),
                    };
                    let word = format!("{frame:?}");
                    count(
                        format!("frame {}", word.split(['(', ' ']).next().unwrap()),
                        means.to_owned(),
                    );
                    continue;
                }
            };
            let item = item(&event, seq, None);
            assert!(
                !matches!(item.body, Body::Unknown { .. }),
                "{recording}: {} is not understood: {line}",
                name(&event)
            );
            assert!(
                !matches!(&event.payload, Payload::ConversationStateUpdate(update)
                    if matches!(**update, StateUpdate::Unknown(_))),
                "{recording}: {line}"
            );
            let is_draft = bare_piece(&event).is_some();
            count(
                name(&event),
                if is_draft {
                    "draft".to_owned()
                } else {
                    card(&item)
                },
            );
            if let Payload::Observation(result) = &event.payload
                && matches!(result.observation.observation, Observation::Other(_))
            {
                assert!(
                    ["MCPToolObservation", "ClientToolObservation"]
                        .contains(&result.observation.kind.as_str()),
                    "{recording}: {line}"
                );
            }
            drafts.apply(&item);
        }
        assert_eq!(
            drafts.iter().count(),
            0,
            "{recording} leaves a draft behind"
        );
    }
    for (kind, (number, means)) in &table {
        let means: Vec<&str> = means.iter().map(String::as_str).collect();
        eprintln!("{kind:<72} {number:>5}  {}", means.join(", "));
    }
}

/// The durable events of a recording, of all its session sockets.
fn durable(lines: &[Value]) -> Vec<LogItem> {
    lines
        .iter()
        .filter_map(|line| match told(line) {
            Told::Frame(Frame::Durable { seq, event }) => {
                Some(item(&Event::read(event), Some(seq), None))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn both_sockets_read_the_same() {
    for (recording, lines) in &recordings() {
        let session = durable(lines);
        let places: BTreeMap<String, i64> = session
            .iter()
            .filter_map(|item| Some((item.key.clone()?, item.pos?)))
            .collect();
        // The older socket interleaves history with new events, and repeats it.
        let older: Vec<LogItem> = lines
            .iter()
            .filter(|line| line["ch"] == "events")
            .filter_map(|line| match told(line) {
                Told::Bare(event) => {
                    let place = places.get(event.id.as_deref()?)?;
                    Some(item(&event, Some(*place), None))
                }
                _ => None,
            })
            .collect();
        let keys: BTreeSet<_> = older.iter().filter_map(|item| item.key.clone()).collect();
        let seen = session
            .into_iter()
            .filter(|item| item.key.as_ref().is_some_and(|key| keys.contains(key)));
        let say = |timeline: &Timeline| {
            let rows = timeline.rows();
            let lines = rows
                .iter()
                .map(|row| format!("{} {:?}", row.pos, row.kind()));
            (lines.collect::<Vec<_>>(), timeline.session().status.clone())
        };
        assert_eq!(
            say(&Timeline::of(older)),
            say(&Timeline::of(seen)),
            "{recording}"
        );
    }
}

#[test]
fn no_call_of_the_recordings_is_left_open_and_no_answer_without_a_call() {
    for (recording, lines) in &recordings() {
        let timeline = Timeline::of(durable(lines));
        for row in timeline.rows() {
            match &row.card {
                crate::conversation::Card::Orphan(execution) => {
                    panic!("{recording}: {execution:?}")
                }
                crate::conversation::Card::Call(call) => {
                    let is_open = matches!(
                        call.state,
                        crate::conversation::CallState::Running
                            | crate::conversation::CallState::Waiting
                    );
                    assert!(!is_open, "{recording}: {row:?}");
                }
                _ => {}
            }
        }
    }
}

#[test]
fn no_sample_of_a_known_kind_is_unknown() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/recordings/v1_kinds.json");
    let text = std::fs::read_to_string(path).expect("the samples are there");
    let samples: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
    for (name, sample) in samples {
        if name.starts_with("session:") {
            let frame = Frame::read(sample);
            assert!(!matches!(frame, Frame::Unknown(_)), "{name}: {frame:?}");
        } else if !name.starts_with("bash:") {
            let event = Event::read(sample);
            let odd_state = matches!(&event.payload, Payload::ConversationStateUpdate(update)
                if matches!(**update, StateUpdate::Unknown(_)));
            assert!(!odd_state, "{name}");
            let body = item(&event, None, None).body;
            assert!(!matches!(body, Body::Unknown { .. }), "{name}: {body:?}");
        }
    }
}
