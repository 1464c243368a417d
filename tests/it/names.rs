//! Names and headers: names that this project has given up do not come back, and files say what they contain.
//! Long because of the lists of names.

use crate::layering::{files, sources};
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

/// Everything, with the browser tests.
const ALL: [&str; 5] = ["src", "rehearsal", "tests", "benches", "end2end"];

/// Like [`GIVEN_UP`], for words: they are no part of a name either.
const WORDS: [(&[&str], &[&str], &str); 11] = [
    (&ALL, &["hear", "heard", "hears"], "receive, on_message"),
    (
        &ALL,
        &["look", "looks", "looked", "looking"],
        "check, poll, refresh, view, Appearance",
    ),
    (
        &ALL,
        &["doubt", "doubted", "doubtful"],
        "indeterminate, unknown",
    ),
    (&ALL, &["deed", "deeds"], "action"),
    (&ALL, &["door", "doors"], "auth"),
    (&ALL, &["patience", "curious"], "timeout, remote_activity"),
    (&ALL, &["whom", "somebody"], "Subject, watcher, caller"),
    (&EVERYWHERE, &["starter", "shift"], "creator, offset"),
    (
        &["src/store", "src/live", "src/api"],
        &["line", "lines"],
        "connection",
    ),
    (
        &["src/backend", "src/server"],
        &["held", "settled"],
        "connection, stable_after",
    ),
    (
        &["end2end"],
        &["begin", "begun", "settled"],
        "createConversation, start",
    ),
];

/// Names with such a word that mean something else, with their meaning.
const ALLOWED: [(&str, &str); 6] = [
    ("look_up", "to find by a key"),
    ("looked_up", "found by a key"),
    ("LookUp", "finds by a key"),
    ("LOOK_ALIKE", "an agent's imitation of a control"),
    ("starter", "a program that starts another one"),
    ("front_door", "tests from outside, before a login"),
];

/// Names of so many words are sentences: those of tests.
const SENTENCE: usize = 5;

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let (mut words, mut before) = (Vec::<String>::new(), '_');
    for letter in name.chars() {
        if before == '_' || (letter.is_uppercase() && !before.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The term for a name that was given up, or that has a word that was.
fn term_for(name: &str, is_here: impl Fn(&&str) -> bool) -> Option<&'static str> {
    let words = words(name);
    let is_free = words.len() >= SENTENCE || ALLOWED.iter().any(|(allowed, _)| *allowed == name);
    let whole = GIVEN_UP.iter().map(|entry| (entry, true));
    let parts = WORDS.iter().map(|entry| (entry, false));
    let mut wrong = whole
        .chain(parts)
        .filter(|((folders, given_up, _), whole)| {
            let is_given_up = match whole {
                true => given_up.contains(&name),
                false => !is_free && words.iter().any(|word| given_up.contains(&&**word)),
            };
            is_given_up && folders.iter().any(&is_here)
        });
    wrong.next().map(|((.., term), _)| *term)
}

/// The code of a line: without its texts, between these quotation marks, and its comment.
fn code(line: &str, quotes: &[char]) -> String {
    let mut parts = line.split(quotes).step_by(2).collect::<Vec<_>>().join("\"");
    let end = parts.find("//").unwrap_or(parts.len());
    parts.truncate(end);
    parts
}

/// The names that a line of Rust or TypeScript declares: of types, functions, modules, constants, variants, fields,
/// parameters and variables. Names in the patterns of `match` and of closures are not among them.
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
            "struct"
                | "enum"
                | "trait"
                | "type"
                | "fn"
                | "mod"
                | "const"
                | "static"
                | "interface"
                | "function"
                | "async"
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
    let mut paths = Vec::new();
    for folder in EVERYWHERE {
        sources(&root.join(folder), &mut paths);
    }
    let end2end = root.join("end2end");
    for folder in ["specs", "live", "pictures"] {
        files(&end2end.join(folder), "ts", &mut paths);
    }
    let entries = fs::read_dir(&end2end).expect("the folder is readable");
    let beside = entries.map(|entry| entry.expect("the folder is readable").path());
    paths.extend(beside.filter(|path| path.extension().is_some_and(|found| found == "ts")));
    let mut wrong = Vec::new();
    for path in &paths {
        let text = fs::read_to_string(path).expect("sources are text");
        let is_here = |folder: &&str| path.starts_with(root.join(folder));
        let name = path.file_name().expect("it is a file").to_string_lossy();
        let stem = name.split('.').next().unwrap_or_default();
        let mut check = |number: usize, name: &str| {
            if let Some(term) = term_for(name, is_here) {
                let path = path.display();
                wrong.push(format!(
                    "{path}:{number} declares {name}: the term is {term}"
                ));
            }
        };
        check(0, stem);
        let quotes: &[char] = match path.extension().is_some_and(|found| found == "ts") {
            true => &['"', '\'', '`'],
            false => &['"'],
        };
        for (number, line) in (1..).zip(text.lines()) {
            for name in declared(&code(line, quotes)) {
                check(number, name);
            }
        }
    }
    assert!(paths.len() > 800, "only {} files were read", paths.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn words_of_names_are_found() {
    for (name, is_wrong) in [
        ("heard_at", true),
        ("LEAST_LOOK", true),
        ("AtTheDoor", true),
        ("agentHears", true),
        ("look_up", false),
        ("shoulder", false),
        ("a_person_who_looks_at_handrail", false),
    ] {
        assert_eq!(term_for(name, |_| true).is_some(), is_wrong, "{name}");
    }
}

#[test]
fn declarations_are_found() {
    for (line, names) in [
        ("pub(super) struct Held {", vec!["Held"]),
        (
            "    pub async fn fill(&self, room: usize) {",
            vec!["fn", "fill", "room"],
        ),
        (
            "    let (mut held, Some(one)) = (made, a::b);",
            vec!["mut", "held", "Some", "one"],
        ),
        ("    Waiting,", vec!["Waiting"]),
        ("    told.settle(x::solid); // let made = 1", vec![]),
        ("    made: view.secret,", vec!["made"]),
        ("  async begin(text: string) {", vec!["begin", "text"]),
    ] {
        assert_eq!(declared(&code(line, &['"'])), names, "{line}");
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
