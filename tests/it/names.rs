//! Names and headers: names that this project has given up do not come back, and files say what they contain.

use crate::layering::sources;
use std::fs;
use std::path::Path;

/// Everything that is written in Rust, except the tools.
const EVERYWHERE: [&str; 4] = ["src", "rehearsal", "tests", "benches"];
/// The backends' connections, and what stands in for them.
const BACKENDS: [&str; 4] = ["src/backend", "rehearsal", "tests/sim", "benches"];
const HUB: [&str; 2] = ["src/hub", "tests/sim"];
const UI: [&str; 1] = ["src/ui"];

/// Folders, names that were given up there, and the terms in their place. A name that is an ordinary word elsewhere is
/// looked for only where it meant something else.
const GIVEN_UP: [(&[&str], &[&str], &str); 42] = [
    (&EVERYWHERE, &["Keeper"], "ConversationActor"),
    (&EVERYWHERE, &["Room"], "ConversationHandle, Followers"),
    (&HUB, &["Input"], "ActorMessage"),
    (&["rehearsal"], &["Input"], "AgentMessage"),
    (&EVERYWHERE, &["hear"], "handle, take_message"),
    (&EVERYWHERE, &["look_at_the_clock"], "on_tick"),
    (
        &EVERYWHERE,
        &["Looking", "Looked", "looking_every"],
        "Link, poll",
    ),
    (
        &["src/hub"],
        &["look", "Look", "looked"],
        "refresh_info, Reconcile",
    ),
    (
        &["src/backend", "rehearsal", "benches"],
        &["look", "looked"],
        "poll",
    ),
    (&["src/people"], &["look"], "notify_if_changed"),
    (&EVERYWHERE, &["curious"], "remote_activity"),
    (&HUB, &["fill", "filled"], "backfill, on_backfilled"),
    (&BACKENDS, &["fill"], "backfill"),
    (&EVERYWHERE, &["tend_line"], "reconcile"),
    (&EVERYWHERE, &["Held"], "Connection"),
    (&EVERYWHERE, &["take_in"], "ingest"),
    (&EVERYWHERE, &["came_back"], "confirm_delivered"),
    (
        &["src/hub", "src/store"],
        &["Waiting"],
        "PendingApproval, PendingCount",
    ),
    (&EVERYWHERE, &["look_for_questions"], "sync_approval"),
    (
        &["src/hub", "src/journal", "src/notify", "src/api"],
        &["settle"],
        "resolve",
    ),
    (
        &["src/backend", "rehearsal", "tests", "benches"],
        &["settle"],
        "resolve, advance",
    ),
    (
        &EVERYWHERE,
        &["settle_answer", "settle_message"],
        "resolve_answer",
    ),
    (
        &EVERYWHERE,
        &["doubt_answer", "Doubt"],
        "expire_answer, Recheck",
    ),
    (&EVERYWHERE, &["Deed", "deeds"], "AuditAction, audit_action"),
    (&EVERYWHERE, &["noted", "Noted"], "audited, entry"),
    (&HUB, &["Ending"], "CloseReason"),
    (&["src/hub"], &["begin", "begun"], "create, start"),
    (&EVERYWHERE, &["seam"], "traits"),
    (&EVERYWHERE, &["rig"], "test_support"),
    (&["src/backend", "rehearsal"], &["Line"], "LiveStream"),
    (&EVERYWHERE, &["LineState"], "ConnectionState"),
    (&EVERYWHERE, &["solid", "say_solid"], "contiguous_through"),
    (&BACKENDS, &["Past"], "ResumePoint"),
    (&EVERYWHERE, &["Arrived"], "ReceivedEvent"),
    (
        &EVERYWHERE,
        &["Asker", "Orderly"],
        "ReplyGuard, CommandSender",
    ),
    (&EVERYWHERE, &["Shift"], "PositionOffset"),
    (
        &["src/backend"],
        &["Budget", "words"],
        "RateLimiter, error_text",
    ),
    (
        &EVERYWHERE,
        &["Patience", "PATIENCE", "wishes"],
        "TimeoutClass, control_input",
    ),
    (&EVERYWHERE, &["Described"], "ConversationMeta"),
    (&EVERYWHERE, &["doors", "Places"], "auth, KeyedSemaphore"),
    (&["src/server"], &["below"], "base_path"),
    (
        &UI,
        &["aside", "asking", "made"],
        "lazy, approval_policy, one_time_secret",
    ),
];

/// The code of a line: without its texts and its comment.
fn code(line: &str) -> String {
    let mut parts = line.split('"').step_by(2).collect::<Vec<_>>().join("\"");
    let end = parts.find("//").unwrap_or(parts.len());
    parts.truncate(end);
    parts
}

/// The names that a line of code declares: of types, functions, modules, constants, variants, fields, parameters and
/// variables. Names in the patterns of `match` and of closures are not among them.
fn declared(code: &str) -> Vec<&str> {
    let words: Vec<(usize, &str)> = code
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - code.as_ptr() as usize, word))
        .collect();
    let (mut names, mut is_pattern, mut end) = (Vec::new(), false, 0);
    for (index, (at, word)) in words.iter().enumerate() {
        let before = index.checked_sub(1).map_or("", |before| words[before].1);
        let (left, right) = (&code[..*at], code[at + word.len()..].trim_start());
        let is_path = left.ends_with("::") || right.starts_with("::");
        is_pattern = before == "let" || (is_pattern && !left[end..].contains('='));
        end = at + word.len();
        let is_item = matches!(
            before,
            "struct" | "enum" | "trait" | "type" | "fn" | "mod" | "const" | "static"
        );
        let is_field = right.starts_with(':') && !is_path;
        let is_variant = index == 0
            && word.starts_with(char::is_uppercase)
            && right.starts_with([',', '(', '{']);
        if is_item || is_field || is_variant || (is_pattern && !is_path && !left.ends_with('.')) {
            names.push(*word);
        }
    }
    names
}

#[test]
fn abandoned_names_do_not_come_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    let mut read = 0;
    for folder in EVERYWHERE {
        let mut paths = Vec::new();
        sources(&root.join(folder), &mut paths);
        for path in paths {
            read += 1;
            let text = fs::read_to_string(&path).expect("sources are text");
            let is_here = |folder: &&str| path.starts_with(root.join(folder));
            let given_up = GIVEN_UP
                .iter()
                .filter(|(folders, ..)| folders.iter().any(is_here));
            let given_up: Vec<_> = given_up.collect();
            for (number, line) in (1..).zip(text.lines()) {
                let code = code(line);
                for name in declared(&code) {
                    let of_name = given_up
                        .iter()
                        .filter(|(_, names, _)| names.contains(&name));
                    wrong.extend(of_name.map(|(.., term)| {
                        format!(
                            "{}:{number} declares {name}: the term is {term}",
                            path.display()
                        )
                    }));
                }
            }
        }
    }
    assert!(read > 800, "only {read} files were read");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn declarations_are_found() {
    for (line, names) in [
        ("pub(super) struct Held {", vec!["Held"]),
        (
            "    pub async fn fill(&self, room: usize) {",
            vec!["fill", "room"],
        ),
        (
            "    let (mut held, Some(one)) = (made, a::b);",
            vec!["mut", "held", "Some", "one"],
        ),
        ("    Waiting,", vec!["Waiting"]),
        ("    told.settle(x::solid); // let made = 1", vec![]),
        ("    made: view.secret,", vec!["made"]),
    ] {
        assert_eq!(declared(&code(line)), names, "{line}");
    }
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
