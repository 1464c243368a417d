//! Names and headers: names that this project has given up do not come back, and files say what they contain.

use crate::layering::sources;
use std::fs;
use std::path::Path;

/// Folder below `src`, a name that was given up, and the term in its place.
const GIVEN_UP: [(&str, &str, &str); 51] = [
    ("hub", "Keeper", "ConversationActor"),
    ("hub", "Room", "ConversationHandle"),
    ("hub", "Input", "ActorMessage"),
    ("hub", "hear", "handle"),
    ("hub", "look_at_the_clock", "on_tick"),
    ("hub", "Looking", "Link"),
    ("hub", "look", "refresh_info"),
    ("hub", "curious", "remote_activity"),
    ("hub", "fill", "backfill"),
    ("hub", "filled", "on_backfilled"),
    ("hub", "tend_line", "reconcile"),
    ("hub", "Held", "Connection"),
    ("hub", "take_in", "ingest"),
    ("hub", "came_back", "confirm_delivered"),
    ("hub", "Waiting", "PendingApproval"),
    ("hub", "look_for_questions", "sync_approval"),
    ("hub", "doubt_answer", "expire_answer"),
    ("hub", "Deed", "AuditAction"),
    ("hub", "noted", "audited"),
    ("hub", "Ending", "CloseReason"),
    ("backend", "seam", "traits"),
    ("backend", "rig", "test_support"),
    ("backend", "Line", "LiveStream"),
    ("backend", "solid", "contiguous_through"),
    ("backend", "Past", "ResumePoint"),
    ("backend", "Arrived", "ReceivedEvent"),
    ("backend", "Asker", "ReplyGuard"),
    ("backend", "Orderly", "CommandSender"),
    ("conversation", "Shift", "PositionOffset"),
    ("backend", "Shift", "PositionOffset"),
    ("backend", "Budget", "RateLimiter"),
    ("backend", "Patience", "TimeoutClass"),
    ("backend", "wishes", "control_input"),
    ("journal", "Described", "ConversationMeta"),
    ("hub", "Described", "ConversationMeta"),
    ("server", "doors", "auth"),
    ("server", "below", "base_path"),
    ("server", "Places", "ConcurrencyLimit"),
    ("people", "Places", "ConcurrencyLimit"),
    ("people", "Deed", "AuditAction"),
    ("people", "deeds", "audit_action"),
    ("people", "noted", "audited"),
    ("server", "Deed", "AuditAction"),
    ("server", "noted", "audited"),
    ("api", "Deed", "AuditAction"),
    ("ui", "aside", "lazy"),
    ("ui", "asking", "approval_policy"),
    ("ui", "made", "one_time_secret"),
    ("ui", "doors", "auth"),
    ("ui", "Deed", "AuditAction"),
    ("live", "Described", "ConversationMeta"),
];

/// The names that a line declares: of types, functions, modules and constants.
fn declared(line: &str) -> Option<&str> {
    let mut words = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty());
    words.find(|word| matches!(*word, "struct" | "enum" | "trait" | "type" | "fn" | "mod"))?;
    words.next()
}

#[test]
fn abandoned_names_do_not_come_back() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut read = 0;
    for (layer, name, term) in GIVEN_UP {
        let mut paths = Vec::new();
        sources(&src.join(layer), &mut paths);
        for path in paths {
            read += 1;
            let text = fs::read_to_string(&path).expect("sources are text");
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            if code.filter_map(declared).any(|declared| declared == name) {
                wrong.push(format!(
                    "{} declares {name}: the term is {term}",
                    path.display()
                ));
            }
        }
    }
    assert!(read > 500, "only {read} files were read");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn declarations_are_found() {
    assert_eq!(declared("pub(super) struct Held {"), Some("Held"));
    assert_eq!(declared("    pub async fn fill(&self) {"), Some("fill"));
    assert_eq!(declared("let held = 1;"), None);
}

#[test]
fn files_begin_with_their_contents_and_long_ones_give_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for folder in ["src", "rehearsal", "tests", "benches", "xtask/src"] {
        let mut paths = Vec::new();
        sources(&root.join(folder), &mut paths);
        for path in paths {
            let text = fs::read_to_string(&path).expect("sources are text");
            let header = text.lines().map_while(|line| line.strip_prefix("//!"));
            let header = header.collect::<String>();
            let is_crate = path == root.join("src/lib.rs");
            let reasons = ["Long because", "is long", "usual length", "is one file"];
            let has_reason = reasons.iter().any(|reason| header.contains(reason));
            if header.is_empty() && !is_crate {
                wrong.push(format!("{} has no header", path.display()));
            } else if text.lines().count() > 300 && !has_reason {
                wrong.push(format!("{} is long without a reason", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Errors that the header of a layer tells for all of its methods.
const COMMON: [&str; 9] = [
    "NotFound",
    "Imported",
    "Elsewhere",
    "Backend",
    "Journal",
    "Closed",
    "TooMuch",
    "Broken",
    "Closing",
];

/// Whether a function returns an error that the header of its layer does not tell.
fn has_further_errors(function: &str) -> bool {
    let mut named = function.split("Error::").skip(1);
    let is_further = |rest: &str| !COMMON.iter().any(|common| rest.starts_with(common));
    function.contains("return invalid(")
        || function.contains("=> invalid(")
        || named.any(|rest| rest.starts_with(char::is_uppercase) && is_further(rest))
}

#[test]
fn public_functions_tell_their_errors() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for layer in ["hub", "journal", "people", "api", "notify", "server"] {
        let root = fs::read_to_string(src.join(layer).join("mod.rs")).expect("layers have a root");
        let is_told = root.lines().any(|line| line == "//! # Errors");
        let mut paths = Vec::new();
        sources(&src.join(layer), &mut paths);
        for path in paths {
            let text = fs::read_to_string(&path).expect("sources are text");
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let start = line.trim_start();
                if !start.starts_with("pub fn ") && !start.starts_with("pub async fn ") {
                    continue;
                }
                let end = format!("{}}}", &line[..line.len() - start.len()]);
                let rest = lines[at..].iter().take_while(|line| **line != end);
                let function = rest.copied().collect::<Vec<_>>().join("\n");
                let signature = function.split('{').next().unwrap_or_default();
                let result = signature.split("->").nth(1).unwrap_or_default();
                let above = lines[..at].iter().rev().map(|line| line.trim_start());
                let mut doc =
                    above.take_while(|line| line.starts_with("///") || line.starts_with('#'));
                if result.contains("Result")
                    && (!is_told || has_further_errors(&function))
                    && !doc.any(|line| line.contains("Errors"))
                {
                    wrong.push(format!("{}:{}", path.display(), at + 1));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "these do not tell their errors: {wrong:#?}"
    );
}
