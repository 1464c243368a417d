//! Actions other than commands, ratings, and what can be suggested.
//!
//! Long because each kind of action has examples of its own.

use super::{about, commands, line, pattern, reading, words};
use crate::conversation::{Call, Confirmation, FileOp, Risk, Tool};
use crate::rules::{
    Conditions, Reading, Reason, Rest, Scope, Subject, Understood, read, suggestions,
};
use serde_json::{Value, json};

fn call(tool: Tool) -> Call {
    Call {
        risk: Risk::Low,
        confirmation: Confirmation::Awaiting,
        held: true,
        ..Call::of(tool)
    }
}

fn shell(command: &str) -> Call {
    call(Tool::Shell {
        command: command.to_owned(),
        input: false,
    })
}

fn create(path: &str, text: &str) -> Call {
    call(Tool::File(FileOp::Create {
        path: path.to_owned(),
        text: text.to_owned(),
    }))
}

fn replace(old: &str, new: &str) -> Call {
    call(Tool::File(FileOp::Replace {
        path: "/w/a".to_owned(),
        old: old.to_owned(),
        new: new.to_owned(),
    }))
}

fn what(call: &Call) -> Result<Understood, Reason> {
    read(call).what
}

fn reading_of(call: &Call) -> Reading {
    let actions = vec![read(call)];
    Reading { actions }
}

#[test]
fn a_change_that_cannot_be_seen_is_never_covered() {
    for (old, new) in [
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("last", "last\n"),
        ("\techo a", "    echo a  "),
        ("a", "b "),
        ("a", "b\u{200b}"),
        ("a", "b\u{202e}c"),
        ("a\u{feff}", "b"),
        ("a", "b\r\nc"),
        ("a b", "a  b"),
        ("", ""),
    ] {
        assert_eq!(
            what(&replace(old, new)),
            Err(Reason::Hidden),
            "{old:?} {new:?}"
        );
    }
    assert_eq!(
        what(&create("/w/run.sh", "#!/bin/sh\r\necho hi\r\n")),
        Err(Reason::Hidden)
    );
    assert_eq!(
        what(&shell("printf \"a\" > x\r\nsh x\r")),
        Err(Reason::Shell)
    );
    assert_eq!(what(&shell("ls\r")), Err(Reason::Hidden));
    assert_eq!(
        what(&replace("a\n", "b\n")),
        Ok(Understood::Edit("/w/a".to_owned()))
    );
    // What the card marks counts, whatever else is seen here.
    let plain = reading_of(&shell("ls"));
    assert_eq!(plain.clone().as_shown("<span>", true).reason(), None);
    let marked = plain.clone().as_shown("<span class=\"hidden-char\">", true);
    assert_eq!(marked.reason(), Some(Reason::Hidden));
    assert_eq!(
        plain.as_shown("<span>", false).reason(),
        Some(Reason::TooLong)
    );
}

#[test]
fn only_what_is_held_back_and_judged_whole_is_understood() {
    assert_eq!(
        what(&Call {
            held: false,
            ..shell("ls")
        }),
        Err(Reason::NotHeld)
    );
    let not_held = Call {
        held: false,
        ..create("/w/a", "x\n")
    };
    assert_eq!(what(&not_held), Err(Reason::NotHeld));
    let input = call(Tool::Shell {
        command: "y".to_owned(),
        input: true,
    });
    assert_eq!(what(&input), Err(Reason::Input));
    for (name, value, wanted) in [
        ("timeout", json!(30), Ok(())),
        ("timeout", json!("30"), Err(Reason::Argument)),
        ("reset", json!(true), Err(Reason::Argument)),
        ("cwd", json!("/"), Err(Reason::Argument)),
    ] {
        let mut asked = shell("ls");
        asked.more.insert(name.to_owned(), value);
        assert_eq!(what(&asked).map(drop), wanted, "{name}");
    }
    let mut edit = create("/w/a", "x\n");
    edit.more.insert("timeout".to_owned(), json!(1));
    assert_eq!(what(&edit), Err(Reason::Argument));
    assert_eq!(
        what(&create("/w/a", &"x\n".repeat(20_000))),
        Err(Reason::TooLong)
    );
    let cell = call(Tool::Cell {
        code: "1".to_owned(),
    });
    assert_eq!(what(&cell), Err(Reason::Kind));
    for tool in [
        Tool::File(FileOp::Undo {
            path: "/w/a".to_owned(),
        }),
        Tool::Finish {
            text: String::new(),
        },
        Tool::Other {
            name: "x".to_owned(),
            arguments: Value::Null,
        },
    ] {
        assert_eq!(what(&call(tool)), Err(Reason::Kind));
    }
}

#[test]
fn a_folder_covers_the_visible_files_below_it() {
    let edits = about(Subject::Edits {
        below: "/w/app".to_owned(),
    });
    for (path, may) in [
        ("/w/app/a.py", true),
        ("/w/app/src/ü/a b.py", true),
        ("/w/app", false),
        ("/w/application/a", false),
        ("/w/app/../b", false),
        ("/w/app/./b", false),
        ("/w/app//b", false),
        ("/w/app/b/", false),
        ("/w/app/.git/hooks/x", false),
        ("/w/app/.envrc", false),
        ("/w/app/a\nb", false),
        ("/w/app/a\u{200b}b", false),
        ("/w/app/$HOME", false),
        ("w/app/a", false),
        ("", false),
        ("/w/APP/a", false),
    ] {
        let edit = reading(Risk::Low, Understood::Edit(path.to_owned()));
        assert_eq!(edits.covers(&edit, false), may, "{path:?}");
        let view = reading(Risk::Low, Understood::View(path.to_owned()));
        assert!(!edits.covers(&view, true), "reading is another thing");
    }
    for (folder, may) in [
        ("/", false),
        ("w", false),
        ("/w/", false),
        ("/w/..", false),
        ("/w/.git/x", false),
        ("/w", true),
    ] {
        let rule = about(Subject::Reads {
            below: folder.to_owned(),
        });
        assert_eq!(rule.check(true).is_ok(), may, "{folder}");
    }
}

#[test]
fn high_risk_needs_an_owner_and_exact_words() {
    let rule = |rest, highest| Conditions {
        highest,
        ..commands([pattern("ls -l", rest)])
    };
    let high = |text: &str| {
        let mut high = line(text);
        high.actions[0].risk = Risk::High;
        high
    };
    assert!(rule(Rest::Nothing, Risk::High).covers(&high("ls -l"), true));
    assert!(
        !rule(Rest::Nothing, Risk::High).covers(&high("ls -l"), false),
        "the maker is no owner any more"
    );
    assert!(!rule(Rest::Anything, Risk::High).covers(&high("ls -l"), true));
    assert!(
        !rule(Rest::Anything, Risk::High).covers(&line("ls -l"), true),
        "it may not be made"
    );
    assert!(!rule(Rest::Nothing, Risk::Medium).covers(&high("ls -l"), true));
    let low = rule(Rest::Nothing, Risk::Low);
    let mut medium = line("ls -l");
    medium.actions[0].risk = Risk::Medium;
    assert!(!low.covers(&medium, true));
    let mut unrated = line("ls -l");
    unrated.actions[0].risk = Risk::Unknown;
    assert!(low.covers(&unrated, false));
    assert!(
        !Conditions {
            unrated: false,
            ..low
        }
        .covers(&unrated, true)
    );
}

#[test]
fn all_actions_of_an_answer_must_be_covered() {
    let rule = commands([pattern("ls", Rest::Anything)]);
    let mut two = line("ls -l");
    two.actions.extend(line("ls -a").actions);
    assert!(rule.covers(&two, false));
    two.actions.extend(line("rm x").actions);
    assert!(!rule.covers(&two, false));
    two.actions.clear();
    assert!(!rule.covers(&two, false), "nothing is not allowed");
}

#[test]
fn a_tool_is_allowed_by_its_name_unless_something_hides_in_its_arguments() {
    let mcp = |name: &str, arguments| {
        call(Tool::Mcp {
            name: name.to_owned(),
            arguments,
        })
    };
    let rule = about(Subject::Tool {
        name: "fetch".to_owned(),
    });
    let covers = |call: &Call| rule.covers(&reading_of(call), false);
    assert!(covers(&mcp("fetch", json!({"url": "https://x.org"}))));
    assert!(!covers(&mcp("fetch_all", json!({}))));
    assert!(!covers(&mcp("Fetch", json!({}))));
    assert!(!covers(&mcp("fetch", json!({"url": "a\u{200b}b"}))));
    assert!(!covers(&mcp("fetch", json!({"a": ["x\u{202e}"]}))));
    assert!(!covers(&mcp("fetch", json!({"a\u{200b}": 1}))));
    assert!(!covers(&mcp("fetch", json!({"a": "x".repeat(40_000)}))));
}

#[test]
fn suggestions_cover_what_they_were_made_from_and_may_be_made() {
    for call in [
        shell("pytest -q tests"),
        shell("cd /workspace/app && pytest -q 2>&1 | tail -20"),
        shell("git log -5 --oneline"),
        shell("python -c 'print(1)'"),
        shell("rg foo src"),
        create("/workspace/app/src/a.py", "x\n"),
        call(Tool::File(FileOp::View {
            path: "/workspace/app/a".to_owned(),
            range: None,
        })),
        call(Tool::Mcp {
            name: "fetch".to_owned(),
            arguments: json!({}),
        }),
    ] {
        let reading = reading_of(&call);
        let found = suggestions(&reading);
        assert!(found.len() > 1, "{call:?}");
        for subject in found {
            let unrated = subject != Subject::Rated;
            let rule = Conditions {
                unrated,
                ..about(subject)
            };
            assert_eq!(rule.check(false), Ok(()), "{rule:?}");
            assert!(rule.covers(&reading, false), "{rule:?}");
            assert!(!rule.subject.in_words().is_empty() && !rule.ratings_in_words().is_empty());
        }
    }
    let mut unrated = reading_of(&shell("ls"));
    unrated.actions[0].risk = Risk::Unknown;
    assert!(!suggestions(&unrated).contains(&Subject::Rated));
    assert!(about(Subject::Rated).check(true).is_err());
    assert!(suggestions(&reading_of(&shell("sudo ls"))).is_empty());
    assert!(suggestions(&Reading::default()).is_empty());
}

#[test]
fn rules_and_readings_survive_being_stored() {
    for rule in super::thirty() {
        let text = serde_json::to_string(&rule).expect("plain data");
        assert_eq!(serde_json::from_str::<Conditions>(&text).ok(), Some(rule));
    }
    for scope in [
        Scope::All,
        Scope::Own,
        Scope::Repository("a/b".to_owned()),
        Scope::Conversation("c".to_owned()),
    ] {
        let text = serde_json::to_string(&scope).expect("plain data");
        assert_eq!(serde_json::from_str::<Scope>(&text).ok(), Some(scope));
    }
    let read = line("ls -l");
    let text = serde_json::to_string(&read).expect("plain data");
    assert_eq!(serde_json::from_str(&text).ok(), Some(read));
    assert_eq!(words("a b").len(), 2);
}
