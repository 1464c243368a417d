//! Tests of the rules: what is understood, what is covered, and that tricks of the shell are neither.

mod actions;
mod bash;
mod commands;
mod hostile;
mod properties;

use super::{Conditions, Pattern, Reading, ReadingOf, Rest, Subject, Understood, command_line};
use crate::conversation::Risk;

/// The words of a command.
fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn pattern(text: &str, rest: Rest) -> Pattern {
    let words = words(text);
    Pattern { words, rest }
}

/// A rule about commands, up to medium risk and unrated.
fn commands(patterns: impl IntoIterator<Item = Pattern>) -> Conditions {
    about(Subject::Commands(patterns.into_iter().collect()))
}

fn about(subject: Subject) -> Conditions {
    Conditions {
        subject,
        highest: Risk::Medium,
        unrated: true,
    }
}

/// A reading of one action.
fn reading(risk: Risk, what: Understood) -> Reading {
    let what = Ok(what);
    let actions = vec![ReadingOf { risk, what }];
    Reading { actions }
}

/// What is read of a command line.
fn line(text: &str) -> Reading {
    let what = command_line(text).map(Understood::Commands);
    let risk = Risk::Low;
    let actions = vec![ReadingOf { risk, what }];
    Reading { actions }
}

/// Rules as people make them: 30, from exact ones to one by rating alone.
fn thirty() -> Vec<Conditions> {
    use Rest::{Anything, Names, Nothing};
    let one = |text: &str, rest| commands([pattern(text, rest)]);
    vec![
        one("pytest", Anything),
        one("pytest -q", Names),
        one("pytest -q tests/test_a.py", Nothing),
        one("ls", Anything),
        one("ls -la", Names),
        one("cat", Names),
        one("cat", Anything),
        one("echo", Anything),
        one("pwd", Nothing),
        one("git status", Nothing),
        one("git log", Names),
        one("git diff", Names),
        one("git add", Names),
        one("cargo test", Names),
        one("cargo check", Nothing),
        one("npm test", Nothing),
        one("make test", Nothing),
        one("head", Anything),
        one("wc -l", Names),
        one("grep -rn", Anything),
        one("mkdir -p", Names),
        one("true", Nothing),
        one("python -m pytest", Nothing),
        one("rm -rf build", Nothing),
        commands([
            pattern("cd /workspace/app", Nothing),
            pattern("pytest", Anything),
            pattern("tail", Anything),
        ]),
        commands([pattern("cat", Names), pattern("grep", Anything)]),
        about(Subject::Edits {
            below: "/workspace/app".to_owned(),
        }),
        about(Subject::Reads {
            below: "/workspace".to_owned(),
        }),
        about(Subject::Tool {
            name: "fetch".to_owned(),
        }),
        Conditions {
            subject: Subject::Rated,
            highest: Risk::Low,
            unrated: false,
        },
    ]
}
