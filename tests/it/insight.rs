//! Time, cost and stuck agents in recorded streams of real OpenHands servers of both dialects: the sums are the backend's
//! own totals, and only the recording of a stuck agent counts as one.
//!
//! `tests/recordings` has shortened copies; `HANDRAIL_RECORDINGS=DIRECTORY` takes the recordings from elsewhere.

use crate::stage::reader;
use handrail::conversation::{
    Insight, LogItem, Measure, Spent, Status, StuckRule, Timeline, from_v1,
};
use handrail::journal::{ConversationMeta, Entry, Journal, SharingRecord};
use handrail::wire::v1::{Event, UsageCalls};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// What one client of a recording received: its events, and the highest totals that the backend reported in them.
#[derive(Default)]
struct Stream {
    entries: Vec<Entry>,
    cost: f64,
    prompt: u64,
    completion: u64,
    cached: u64,
}

impl Stream {
    fn item(&mut self, item: LogItem, event: &Value) {
        let raw = event.to_string();
        self.entries.push(Entry { item, raw });
    }

    /// Takes over reported totals: those of all purposes together.
    fn totals<'v>(&mut self, purposes: impl Iterator<Item = &'v Value>) {
        let (mut cost, mut tokens) = (0.0, [0; 3]);
        let names = ["prompt_tokens", "completion_tokens", "cache_read_tokens"];
        for purpose in purposes {
            cost += purpose["accumulated_cost"].as_f64().unwrap_or(0.0);
            for (sum, name) in tokens.iter_mut().zip(names) {
                *sum += purpose["accumulated_token_usage"][name]
                    .as_u64()
                    .unwrap_or(0);
            }
        }
        if tokens[0] + tokens[1] >= self.prompt + self.completion {
            self.cost = cost;
            [self.prompt, self.completion, self.cached] = tokens;
        }
    }

    /// That sums are the totals.
    fn assert_sums(&self, name: &str, spent: &Spent) {
        assert!(
            (spent.cost - self.cost).abs() < 1e-9,
            "{name}: {spent:?}, not {}",
            self.cost
        );
        let sums = (
            spent.prompt_tokens,
            spent.completion_tokens,
            spent.cache_read_tokens,
        );
        assert_eq!(sums, (self.prompt, self.completion, self.cached), "{name}");
    }
}

/// All streams of a dialect, by file and client.
fn streams(dialect: &str) -> BTreeMap<String, Stream> {
    let ours = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings");
    let folder = std::env::var_os("HANDRAIL_RECORDINGS").unwrap_or_else(|| ours.into());
    let folder = PathBuf::from(folder).join(dialect);
    let mut streams: BTreeMap<String, Stream> = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).expect("the recordings are there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|ending| ending != "jsonl") {
            continue;
        }
        let file = path
            .file_stem()
            .expect("it has a name")
            .to_string_lossy()
            .into_owned();
        for line in std::fs::read_to_string(&path).expect("text").lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let (client, event) = match dialect {
                "v0" if line["dir"] == "in" && line["ev"] == "oh_event" => {
                    (&line["c"], &line["data"])
                }
                "v1" if line["frame"]["seq"].is_i64() => (&line["ch"], &line["frame"]["event"]),
                _ => continue,
            };
            // The older socket of 1.x repeats the events of the newer one.
            let client = client.as_str().unwrap_or_default();
            let client = client.split('_').next().unwrap_or_default();
            let stream = streams.entry(format!("{file} {client}")).or_default();
            if dialect == "v0" {
                stream.item(reader(&event.to_string()), event);
                let metrics = &event["llm_metrics"];
                if metrics.is_object() {
                    stream.totals([metrics].into_iter());
                }
            } else {
                let seq = line["frame"]["seq"].as_i64();
                stream.item(from_v1::item(&Event::read(event.clone()), seq, None), event);
                if let ("stats", Some(purposes)) = (
                    event["key"].as_str().unwrap_or_default(),
                    event["value"]["usage_to_metrics"].as_object(),
                ) {
                    stream.totals(purposes.values());
                }
            }
        }
    }
    assert!(
        streams.len() > 15,
        "only {} streams of {dialect}",
        streams.len()
    );
    streams
}

#[test]
fn the_sums_of_every_recording_are_the_totals_of_its_backend() {
    for dialect in ["v0", "v1"] {
        let mut paid = 0;
        for (name, stream) in streams(dialect) {
            let (mut timeline, mut insight) = (Timeline::default(), Insight::default());
            for Entry { item, .. } in &stream.entries {
                if let Some(taken) = timeline.push(item.clone()) {
                    insight.take(item, taken.row);
                }
            }
            let report = insight.report(&HashMap::new(), &[]);
            let mut sum = report.earlier.clone();
            report.steps.iter().for_each(|step| sum.add(&step.spent));
            sum.add(&report.outside);
            stream.assert_sums(&name, &sum);
            stream.assert_sums(&name, &report.total);
            paid += usize::from(stream.cost > 0.0);
        }
        eprintln!("{dialect}: {paid} streams with costs");
        assert!(paid > 10, "{dialect}: {paid}");
    }
}

#[tokio::test]
async fn the_journal_sums_up_the_same_by_day_and_model() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let journal = Journal::open(folder.path(), reader)
        .await
        .expect("it is healthy");
    for dialect in ["v0", "v1"] {
        for (name, stream) in streams(dialect) {
            let id = format!("{dialect}-{}", name.replace([' ', '_'], "-"));
            let meta = ConversationMeta {
                id: id.clone(),
                ..ConversationMeta::default()
            };
            journal.describe(vec![meta]).await.expect("it is healthy");
            for part in stream.entries.chunks(7) {
                let appended = journal.append(&id, part.to_vec(), true, 0).await;
                appended.expect("it is healthy");
            }
            // Everybody has created one, so that the sums of each are known.
            let record = SharingRecord {
                conversation: id.clone(),
                creator: id.clone(),
                ..SharingRecord::default()
            };
            journal.keep_sharing(record).await.expect("it is healthy");
            let report = journal.spending(i64::MIN, Some(id.clone()), Measure::Cost);
            let report = report.await.expect("it is healthy");
            assert!(report.is_whole && report.is_highest);
            stream.assert_sums(&name, &report.total);
            let mut listed = report.conversations.into_iter().map(|(_, spent)| spent);
            stream.assert_sums(&name, &listed.next_back().unwrap_or_default());
            // The page reads the log in another way.
            let (mut insight, mut seq) = (Insight::default(), 0);
            loop {
                let further = journal.accumulate(&id, insight, seq).await;
                let reached;
                (insight, reached) = further.expect("it is healthy");
                if reached == seq {
                    break;
                }
                seq = reached;
            }
            stream.assert_sums(&name, &insight.report(&HashMap::new(), &[]).total);
        }
    }
}

#[test]
fn only_the_recording_of_a_stuck_agent_counts_as_one() {
    for dialect in ["v0", "v1"] {
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, stream) in streams(dialect) {
            let mut timeline = Timeline::default();
            for Entry { item, .. } in stream.entries {
                timeline.push(item);
                let session = timeline.session();
                let works = matches!(
                    session.status,
                    Status::Running | Status::Stuck | Status::Error
                );
                if let Some(stuck) = session.stuck().filter(|_| works) {
                    let file = name.split(' ').next().unwrap_or_default().to_owned();
                    found
                        .entry(file)
                        .or_default()
                        .insert(format!("{:?}", stuck.rule));
                }
            }
        }
        let expected: &[&str] = if dialect == "v1" { &["stuck"] } else { &[] };
        let files: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(files, expected, "{found:?}");
        for rules in found.values() {
            assert_eq!(
                *rules,
                BTreeSet::from([format!("{:?}", StuckRule::Repetition)])
            );
        }
    }
}

#[test]
fn the_single_calls_of_a_model_give_each_step_its_own_cost_and_latency() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/recordings/v1_calls.json"
    );
    let usages = std::fs::read_to_string(path).expect("it is there");
    let usages: BTreeMap<String, UsageCalls> = serde_json::from_str(&usages).expect("JSON");
    let streams = streams("v1");
    for (file, usage) in usages {
        let calls = from_v1::model_calls(&usage);
        let stream = &streams[&format!("{file} session")];
        let (mut timeline, mut insight) = (Timeline::default(), Insight::default());
        for Entry { item, .. } in &stream.entries {
            if let Some(taken) = timeline.push(item.clone()) {
                insight.take(item, taken.row);
            }
        }
        let report = insight.report(&HashMap::new(), &calls);
        stream.assert_sums(&file, &report.total);
        let mut seen = BTreeSet::new();
        for step in &report.steps {
            let Some(call) = calls
                .iter()
                .find(|call| Some(&call.response) == step.response.as_ref())
            else {
                continue;
            };
            if seen.insert(&call.response) {
                let spent = (step.spent.cost, step.spent.prompt_tokens, step.spent.model);
                let told = (call.spent.cost, call.spent.prompt_tokens, call.spent.model);
                assert_eq!(spent, told, "{file}: step {}", step.number);
            }
        }
        assert!(seen.len() > 1, "{file}: {} responses", seen.len());
    }
}
