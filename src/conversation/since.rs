//! What happened in a conversation since a person left it, by rules and without a model.
//!
//! Only what rows say is told: a file that a command changed, or tests that are not recognisable, are left out.

use super::test_run::outcome;
use super::{Actor, CallRow, CallState, Card, Kind, Row, Tool, stuck};
use std::collections::HashMap;

pub use super::test_run::Outcome;

/// Entries of each kind that are named; the others are counted.
const NAMED: usize = 5;
/// Bytes of the name of a step.
const SUBJECT: usize = 120;

/// A step or message, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What it is about: a file, a command, an error.
    pub text: String,
    /// Position of its row.
    pub pos: i64,
    /// Id of its row.
    pub row: i64,
}

/// The newest entries of a kind, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Few<T> {
    /// The newest ones, oldest first.
    pub named: Vec<T>,
    /// The number of all.
    pub count: usize,
}

/// The answer to an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The action.
    pub event: Event,
    /// Whether it was approved.
    pub approved: bool,
    /// Name of the person; empty where it is not known.
    pub by: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Since {
    /// Files that were edited, each with its last edit.
    pub files: Few<Event>,
    /// Commands that ran tests, each with the result of its last run.
    pub tests: Few<(Event, Outcome)>,
    /// Steps that failed, except tests, and errors of the run.
    pub failures: Few<Event>,
    /// Approvals that were answered.
    pub answers: Few<Answered>,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self {
            named: Vec::new(),
            count: 0,
        }
    }
}

impl<T> Few<T> {
    fn add(&mut self, one: T) {
        self.count += 1;
        self.named.push(one);
        if self.named.len() > NAMED {
            self.named.remove(0);
        }
    }

    fn of(all: impl IntoIterator<Item = T>) -> Self {
        let mut few = Self::default();
        all.into_iter().for_each(|one| few.add(one));
        few
    }
}

/// What rows say, oldest first. `answered_by` has the person who answered the approval of a row, where that is known.
pub fn since(rows: &[Row], answered_by: &HashMap<i64, String>) -> Since {
    let mut since = Since::default();
    // By name, with the place of the last one.
    let mut files: HashMap<String, usize> = HashMap::new();
    let mut tests: HashMap<String, (usize, Outcome)> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        match &row.card {
            Card::Call(call) => {
                let subject = stuck::subject(&call.call.tool, &call.call.tool_name, SUBJECT);
                let event = event(row, subject.clone());
                let by = answered_by.get(&row.id);
                let is_rejected = matches!(call.state, CallState::Rejected(_));
                if by.is_some() || (is_rejected && row.from == Actor::Agent) {
                    since.answers.add(Answered {
                        event: event.clone(),
                        approved: !is_rejected,
                        by: by.cloned().unwrap_or_default(),
                    });
                }
                if row.kind() == Kind::Edit && call.state == CallState::Done {
                    files.insert(subject, at);
                } else if let Some(outcome) = tested(call) {
                    tests.insert(subject, (at, outcome));
                } else if matches!(call.state, CallState::Failed | CallState::CutOff(_)) {
                    since.failures.add(event);
                }
            }
            Card::RunError { code, text, .. } => {
                let text = match text.trim().is_empty() {
                    true => code,
                    false => text,
                };
                let text = stuck::first_line(text, SUBJECT);
                since.failures.add(event(row, text));
            }
            _ => {}
        }
    }
    let mut files: Vec<_> = files.into_iter().map(|(name, at)| (at, name)).collect();
    files.sort_unstable();
    since.files = Few::of(files.into_iter().map(|(at, name)| event(&rows[at], name)));
    let tests = tests.into_iter();
    let mut tests: Vec<_> = tests
        .map(|(name, (at, outcome))| (at, name, outcome))
        .collect();
    tests.sort_unstable_by_key(|(at, ..)| *at);
    let named = |(at, name, outcome): (usize, String, Outcome)| (event(&rows[at], name), outcome);
    since.tests = Few::of(tests.into_iter().map(named));
    since
}

fn event(row: &Row, text: String) -> Event {
    let (pos, row) = (row.pos, row.id);
    Event { text, pos, row }
}

/// The result of a call that ran tests; `None` for others, and for what did not run.
fn tested(call: &CallRow) -> Option<Outcome> {
    let Tool::Shell {
        command,
        input: false,
    } = &call.call.tool
    else {
        return None;
    };
    let code = match call.state {
        CallState::Done | CallState::Failed => {
            let last = call.executions.last();
            last.filter(|last| !last.result.unfinished)
                .and_then(|last| last.result.exit_code)
        }
        CallState::Running | CallState::CutOff(_) | CallState::Unknown(_) => None,
        CallState::Waiting
        | CallState::Approved
        | CallState::Rejected(_)
        | CallState::NotExecuted(_) => return None,
    };
    outcome(command, code)
}
