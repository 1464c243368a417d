//! The comparison with OpenHands' own code, over recordings of real servers: every step and every kind of model.
//!
//! Both tests run with `--ignored` only, because they need a Python: `HANDRAIL_ORACLE` names that of an installation of
//! openhands-ai 0.62, `HANDRAIL_ORACLE_1X` that of an agent-server 1.58. A test without its variable fails.
//! `HANDRAIL_RECORDINGS` names the directory with `v0` and `v1` (default: the shortened recordings of the tests).
//! `HANDRAIL_SHOW=1` prints both texts of the first differences.

use handrail::conversation::messages::{ModelLog, Shape};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Limits of `max_message_chars` beside none.
const LIMITS: &str = "0,1,60,501";

/// A case as the judge prints it.
#[derive(Deserialize)]
struct Case {
    file: String,
    until: i64,
    plain: bool,
    string: bool,
    vision: bool,
    max: Option<i64>,
    unread: usize,
    sha: Option<String>,
    refused: Option<String>,
    text: Option<String>,
}

/// The events of a recording that have a place in the log, each with its place.
pub fn events(path: &Path) -> Vec<(i64, String)> {
    let text = std::fs::read_to_string(path).expect("the recording is readable");
    let mut events = BTreeMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        let is_received = line.get("dir").is_none_or(|direction| direction == "in");
        let is_session = line["ch"]
            .as_str()
            .is_some_and(|name| name.starts_with("session"));
        let (place, event) = if line["ev"] == "oh_event" && is_received {
            (line["data"]["id"].as_i64(), &line["data"])
        } else if is_session {
            (line["frame"]["seq"].as_i64(), &line["frame"]["event"])
        } else {
            continue;
        };
        if let Some(place) = place.filter(|_| event.is_object()) {
            events.entry(place).or_insert_with(|| event.to_string());
        }
    }
    events.into_iter().collect()
}

/// The texts from shortly before their first difference on.
fn difference(ours: &str, theirs: &str) -> String {
    let same = ours
        .chars()
        .zip(theirs.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let around = |text: &str| {
        text.chars()
            .skip(same.saturating_sub(100))
            .take(400)
            .collect::<String>()
    };
    format!("ours:   {}\ntheirs: {}", around(ours), around(theirs))
}

#[derive(Default)]
struct Tally {
    compared: usize,
    refused: usize,
    files: usize,
    different: Vec<String>,
}

fn compare(python: &str, dialect: &str) -> Tally {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var_os("HANDRAIL_RECORDINGS")
        .map_or_else(|| root.join("tests/recordings"), PathBuf::from)
        .join(dialect);
    let entries = std::fs::read_dir(&folder).expect("the recordings are there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it is readable").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    let mut judge = Command::new(python)
        .arg(root.join("tests/messages/judge.py"))
        .args([dialect, LIMITS])
        .args(&files)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the judge starts");
    let mut tally = Tally::default();
    let mut logs: HashMap<String, Vec<(i64, String)>> = HashMap::new();
    let told = BufReader::new(judge.stdout.take().expect("it is piped"));
    for line in told.lines() {
        let line = line.expect("the judge prints text");
        let case: Case = serde_json::from_str(&line).expect("the judge prints JSON");
        let log = logs.entry(case.file.clone()).or_insert_with(|| {
            tally.files += 1;
            events(Path::new(&case.file))
        });
        judge_case(&case, log, &mut tally);
    }
    assert!(judge.wait().expect("the judge ends").success());
    tally
}

fn judge_case(case: &Case, log: &[(i64, String)], tally: &mut Tally) {
    let shape = Shape {
        plain: case.plain,
        string: case.string,
        vision: case.vision,
        max_chars: case.max,
    };
    let mut ours = ModelLog::new(sha256);
    // The judge of 1.x counts events; that of 0.x has their ids.
    let is_v1 = log
        .first()
        .is_some_and(|(_, raw)| raw.contains("\"kind\":\""));
    for (at, (place, raw)) in log.iter().enumerate() {
        let step = if is_v1 { at as i64 } else { *place };
        if step <= case.until {
            ours.push(step + 1, step, raw);
        }
    }
    let request = ours.request(shape);
    let sent = serde_json::to_string(&request.to_json(shape)).expect("it is JSON");
    let sha = sha256(&sent);
    tally.compared += 1;
    let name = format!(
        "{} until {} plain {} string {} vision {} max {:?}",
        case.file, case.until, case.plain, case.string, case.vision, case.max
    );
    let unread = request
        .left_out
        .iter()
        .filter(|(_, why)| why.is_not_read_back())
        .count();
    let same = match (&case.sha, &case.refused) {
        (Some(theirs), _) => !request.refused && *theirs == sha && unread == case.unread,
        (None, why) => {
            tally.refused += 1;
            request.refused || why.is_none()
        }
    };
    if !same {
        if let Some(theirs) = &case.text
            && tally.different.len() < 3
        {
            eprintln!("{name}\n{}", difference(&sent, theirs));
        }
        tally.different.push(name);
    }
}

pub fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn run(variable: &str, dialect: &str) {
    let python = std::env::var(variable);
    let python = python.unwrap_or_else(|_| panic!("{variable} does not name a Python"));
    let Tally {
        compared,
        refused,
        files,
        different,
    } = compare(&python, dialect);
    eprintln!(
        "{dialect}: {files} recordings, {compared} comparisons, {refused} refused by both, {} differences",
        different.len()
    );
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &different {
        *files
            .entry(name.split(' ').next().unwrap_or_default())
            .or_default() += 1;
    }
    assert!(compared > 0 && different.is_empty(), "{files:#?}");
}

#[test]
#[ignore = "needs HANDRAIL_ORACLE, the Python of an OpenHands 0.62"]
fn the_messages_of_0x_are_those_that_openhands_makes() {
    run("HANDRAIL_ORACLE", "v0");
}

#[test]
#[ignore = "needs HANDRAIL_ORACLE_1X, the Python of an agent-server 1.58"]
fn the_messages_of_1x_are_those_that_the_agent_server_makes() {
    run("HANDRAIL_ORACLE_1X", "v1");
}
