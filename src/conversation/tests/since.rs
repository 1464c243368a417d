//! What happened since a person left.

use super::*;
use crate::conversation::{Few, Outcome, Since, since};
use std::collections::HashMap;

fn of(items: impl IntoIterator<Item = LogItem>) -> Since {
    since(&Timeline::of(items).rows(), &HashMap::new())
}

#[test]
fn nothing_says_nothing() {
    assert_eq!(of([]), Since::default());
    assert_eq!(
        of([asks(0, "Hello"), replies(1, "Well.")]),
        Since::default()
    );
}

#[test]
fn tests_are_named_once_with_the_result_of_their_last_run() {
    let items = [
        run(0, "cargo test"),
        output(1, 0, "FAILED", 101),
        run(2, "ls"),
        output(3, 2, "a", 0),
        run(4, "pytest -q"),
        output(5, 4, "1 failed", 1),
        run(6, "cargo test"),
        output(7, 6, "ok", 0),
        run(8, "npm test"),
    ];
    let found = of(items);
    let tests: Vec<_> = found
        .tests
        .named
        .iter()
        .map(|(event, outcome)| (event.text.as_str(), *outcome))
        .collect();
    let expected = [
        ("pytest -q", Outcome::Failed(1)),
        ("cargo test", Outcome::Passed),
        ("npm test", Outcome::Unknown),
    ];
    assert_eq!(tests, expected);
    assert_eq!(found.failures, Few::default(), "they are said already");
}

#[test]
fn failures_and_answers_lead_to_their_rows() {
    let items = vec![
        run(0, "make"),
        output(1, 0, "no", 2),
        run(2, "rm -rf build"),
        output(3, 2, "", 0),
    ];
    let rows = Timeline::of(items).rows();
    let by = HashMap::from([(rows[1].id, "ada".to_owned())]);
    let found = since(&rows, &by);
    assert_eq!(found.failures.named[0].text, "make");
    assert_eq!(
        (found.failures.named[0].pos, found.failures.named[0].row),
        (rows[0].pos, rows[0].id)
    );
    let answer = &found.answers.named[0];
    assert_eq!(
        (
            answer.event.text.as_str(),
            answer.by.as_str(),
            answer.approved
        ),
        ("rm -rf build", "ada", true)
    );
}

#[test]
fn much_is_counted_and_long_names_are_cut() {
    let long = format!("false {}", "ä".repeat(100_000));
    let items = (0..500).flat_map(|at| {
        [
            run(2 * at, &format!("{at} {long}")),
            output(2 * at + 1, 2 * at, "no", 1),
        ]
    });
    let found = of(items);
    assert_eq!((found.failures.count, found.failures.named.len()), (500, 5));
    assert!(found.failures.named.iter().all(|one| one.text.len() < 130));
    assert!(
        found.failures.named[4].text.starts_with("499"),
        "the newest"
    );
}
