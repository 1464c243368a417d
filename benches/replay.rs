//! The time to jump to random places of a long log: reading, folding and rendering what the page of a replay shows.

use crate::talk;
use handrail::conversation::{Kind, LogItem, from_v1};
use handrail::journal::{ConversationMeta, Entry, Journal, Reader};
use handrail::render::{Limits, render_row};
use handrail::wire::v1;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ID: &str = "c0ffee";
/// Rows of a place, as requested by the hub.
const ROWS: u32 = 60;
/// Events that the hub stores in one transaction.
const BATCH: usize = 256;
/// Places per measurement.
const JUMPS: usize = 20;
const EVENTS: i64 = 100_000;

/// Measures, and prints a table.
pub async fn run() {
    println!("| dialect | events | panel | p50 | p95 | slowest |");
    println!("|---|---|---|---|---|---|");
    jumps("0.62", talk::reader, talk::talk(EVENTS)).await;
    jumps("1.x", reader_v1, talk_v1(EVENTS)).await;
}

async fn jumps(dialect: &str, reader: Reader, entries: Vec<Entry>) {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = Journal::open(folder.path(), reader)
        .await
        .expect("it can be made");
    let described = ConversationMeta {
        id: ID.to_owned(),
        ..ConversationMeta::default()
    };
    let described = journal.describe(vec![described]).await;
    described.expect("it can be written");
    let mut entries = entries.into_iter().peekable();
    while entries.peek().is_some() {
        let next = entries.by_ref().take(BATCH).collect();
        let appended = journal.append(ID, next, true, 1).await;
        appended.expect("it can be written");
    }
    for (panel, kind) in [("none", None), ("terminal", Some(Kind::Shell))] {
        let mut seqs = RandomSeqs(17);
        let mut times = Vec::new();
        for _ in 0..JUMPS {
            times.push(jump(&journal, seqs.next(), kind).await);
        }
        report(dialect, panel, times);
    }
    let started = Instant::now();
    let track = journal.track(ID, 100).await.expect("it is healthy");
    println!(
        "\n{dialect}: {} marks of the slider in {:?}\n",
        track.marks.len(),
        started.elapsed()
    );
}

async fn jump(journal: &Journal, at: i64, kind: Option<Kind>) -> Duration {
    let started = Instant::now();
    let moment = journal.moment(ID, Some(at), kind, ROWS).await;
    let moment = moment.expect("it is healthy").expect("it is there");
    assert_eq!(moment.at, at);
    let limits = Limits::short("/");
    let rows = moment.page.rows.iter().chain(&moment.family.rows);
    let views: Vec<_> = rows.map(|row| render_row(row, ID, &limits)).collect();
    assert!(!views.is_empty());
    started.elapsed()
}

fn report(dialect: &str, panel: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let millis = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let at = |percent: usize| millis(times[(times.len() * percent).div_ceil(100) - 1]);
    println!(
        "| {dialect} | {EVENTS} | {panel} | {} | {} | {} |",
        at(50),
        at(95),
        at(100)
    );
}

/// Random places, the same ones in every run.
struct RandomSeqs(u64);

impl RandomSeqs {
    fn next(&mut self) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        1 + (self.0 >> 33) as i64 % EVENTS
    }
}

/// Parses raw events like the product does.
fn reader_v1(raw: &str) -> LogItem {
    let event = serde_json::from_str(raw).expect("it was written here");
    from_v1::item(&v1::Event::read(event), None, None)
}

/// As [`talk::talk`], in the format of an agent-server.
fn talk_v1(count: i64) -> Vec<Entry> {
    let entry = |seq: i64| {
        let event = event_v1(seq);
        Entry {
            raw: event.to_string(),
            item: from_v1::item(&v1::Event::read(event), Some(seq), None),
        }
    };
    (0..count).map(entry).collect()
}

fn event_v1(seq: i64) -> Value {
    let said = |text: String| json!([{ "type": "text", "text": text }]);
    let mut event = match seq % 4 {
        0 => json!({ "kind": "MessageEvent", "source": "user",
            "llm_message": { "role": "user", "content": said(format!("Please look at number {seq}")) } }),
        1 => json!({ "kind": "ActionEvent", "source": "agent", "tool_call_id": format!("c{seq}"),
            "tool_name": "terminal", "llm_response_id": format!("r{seq}"), "thought": said("I shall run this.".to_owned()),
            "action": { "kind": "TerminalAction", "command": format!("cat notes/{seq}.txt | head -n 20") } }),
        2 => {
            json!({ "kind": "ObservationEvent", "source": "environment", "tool_call_id": format!("c{}", seq - 1),
            "tool_name": "terminal", "action_id": format!("e{}", seq - 1),
            "observation": { "kind": "TerminalObservation", "exit_code": 0,
                "content": said(format!("line one of {seq}\nline two\nline three")) } })
        }
        _ => {
            json!({ "kind": "MessageEvent", "source": "agent", "llm_message": { "role": "assistant",
            "content": said(format!("Number **{seq}** is fine, as `notes` says.")) } })
        }
    };
    event["id"] = json!(format!("e{seq}"));
    event["timestamp"] = json!("2026-11-21T10:00:00");
    event
}
