//! Whether the agent repeats itself without getting further.
//!
//! The thresholds are those at which OpenHands 0.62 and 1.x end a run themselves. Handrail applies them to its journal
//! while the run goes on, so that a person sees it at once. As there, what repeats must repeat exactly: a command whose
//! output changes is getting further. A message of a person starts the count again.

use super::fingerprint::fingerprint;
use super::{Actor, Answer, Body, Call, LogItem, Tool, text};
use serde::{Deserialize, Serialize};

/// Equal calls with equal results.
const PAIRS: usize = 4;
/// Equal calls that could not be executed.
const ERRORS: usize = 3;
/// Messages of the agent with nothing between them.
const MESSAGES: u32 = 3;
/// Calls that alternate between two.
const ALTERNATIONS: usize = 6;
/// Calls in sequence, all with results that were there before, while the cost rises.
const WITHOUT_CHANGE: u32 = 12;
/// Pairs of call and result that count as "there before".
const REMEMBERED: usize = 24;
/// Bytes of the text that names the repeated call.
const SUBJECT: usize = 120;

/// How an agent is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StuckRule {
    /// The same call with the same result.
    Repetition,
    /// The same call, which cannot be executed.
    Errors,
    /// Messages to itself.
    Monologue,
    /// Two calls in turn.
    Alternation,
    /// The cost rises, and nothing new happens.
    NoChange,
}

/// That the agent may be stuck.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stuck {
    /// By which rule.
    pub rule: StuckRule,
    /// How often it has repeated itself.
    pub times: u32,
    /// The newest call: the beginning of its command, its file or its tool; empty for a monologue.
    pub subject: String,
}

/// What the rules need of the log since the last message of a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Watch {
    /// Fingerprints of the newest calls, oldest first.
    calls: Vec<u64>,
    /// Fingerprints of the newest results, oldest first, each with whether the call could not be executed.
    results: Vec<(u64, bool)>,
    /// Fingerprints of the newest pairs of call and result.
    pairs: Vec<u64>,
    /// How many calls in sequence equal the newest one, including it.
    equal: u32,
    /// Messages of the agent in sequence.
    messages: u32,
    /// Results in sequence that were there before, for the same call.
    old: u32,
    /// The cost when the last new result came, in US dollars.
    cost: f64,
    /// The row of the newest call: its second copy is no second call.
    row: i64,
    /// The newest position: what arrives late does not count.
    pos: i64,
    /// See [`Stuck::subject`].
    subject: String,
}

impl Watch {
    /// The newest call: its row and its subject.
    pub(super) fn newest(&self) -> (i64, &str) {
        (self.row, &self.subject)
    }

    /// Takes an item at `pos`; `cost` is the cost so far.
    pub(super) fn take(&mut self, item: &LogItem, row: Option<i64>, pos: i64, cost: f64) {
        let is_update = matches!(item.answers, Some(Answer::Call(_)));
        let Some(row) = row.filter(|_| pos >= self.pos) else {
            return;
        };
        match &item.body {
            Body::Message(_) if item.from == Actor::Human => {
                *self = Self {
                    cost,
                    ..Self::default()
                };
            }
            Body::Message(_) if item.from == Actor::Agent => self.messages += 1,
            Body::Call(call) if item.from == Actor::Agent && !is_update && row != self.row => {
                self.call(call, row);
            }
            Body::Result(result) => {
                let outcome = (&result.text, result.exit_code, result.failed, &result.diff);
                self.result(short(&outcome), false, cost);
            }
            Body::CallError { text, .. } => self.result(short(text), true, cost),
            Body::Rejected { reason } => self.result(short(reason), false, cost),
            _ => return,
        }
        self.pos = pos;
    }

    fn call(&mut self, call: &Call, row: i64) {
        let print = short(&(call.fingerprint(), &call.thought));
        let is_same = self.calls.last() == Some(&print);
        self.equal = if is_same { self.equal + 1 } else { 1 };
        push(&mut self.calls, print, ALTERNATIONS);
        self.messages = 0;
        self.row = row;
        self.subject = subject(&call.tool, &call.tool_name, SUBJECT);
    }

    fn result(&mut self, print: u64, is_error: bool, cost: f64) {
        push(&mut self.results, (print, is_error), ALTERNATIONS);
        self.messages = 0;
        let Some(call) = self.calls.last() else {
            return;
        };
        let pair = short(&(call, print));
        if self.pairs.contains(&pair) {
            self.old += 1;
        } else {
            (self.old, self.cost) = (0, cost);
        }
        push(&mut self.pairs, pair, REMEMBERED);
    }

    /// Whether the agent may be stuck; `cost` is the cost so far.
    pub(super) fn stuck(&self, cost: f64) -> Option<Stuck> {
        let (rule, times) = self.rule(cost)?;
        let subject = match rule {
            StuckRule::Monologue => String::new(),
            _ => self.subject.clone(),
        };
        Some(Stuck {
            rule,
            times,
            subject,
        })
    }

    /// Which rule applies, and how often the agent has repeated itself.
    fn rule(&self, cost: f64) -> Option<(StuckRule, u32)> {
        let (calls, results) = (&self.calls, &self.results);
        let errors = newest(results, ERRORS).is_some_and(|all| all.iter().all(|(_, bad)| *bad));
        if newest(calls, PAIRS).is_some_and(is_equal)
            && newest(results, PAIRS).is_some_and(is_equal)
        {
            Some((StuckRule::Repetition, self.equal))
        } else if errors && newest(calls, ERRORS).is_some_and(is_equal) {
            Some((StuckRule::Errors, self.equal))
        } else if self.messages >= MESSAGES {
            Some((StuckRule::Monologue, self.messages))
        } else if newest(calls, ALTERNATIONS).is_some_and(alternates)
            && newest(results, ALTERNATIONS).is_some_and(alternates)
        {
            Some((StuckRule::Alternation, self.old.max(6)))
        } else if self.old >= WITHOUT_CHANGE && cost > self.cost {
            Some((StuckRule::NoChange, self.old))
        } else {
            None
        }
    }
}

/// What a tool is applied to, on one line of at most `most` bytes: a command, a file, an address; else its name.
pub(super) fn subject(tool: &Tool, name: &str, most: usize) -> String {
    let text = match tool {
        Tool::Shell { command, .. } => command,
        Tool::Cell { code } => code,
        Tool::File(op) => op.path(),
        Tool::Browser { action, url } => url.as_ref().unwrap_or(action),
        Tool::Mcp { name, .. } | Tool::Skill { name } | Tool::Other { name, .. } => name,
        Tool::SubAgent { task, .. } => task,
        Tool::Search { pattern, .. } => pattern,
        Tool::Think { text } | Tool::Finish { text } | Tool::Decline { text } => text,
        Tool::Tasks { .. } | Tool::Condense => name,
    };
    first_line(text, most)
}

/// The first line with content, of at most `most` bytes.
pub(super) fn first_line(text: &str, most: usize) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default();
    match line.floor_char_boundary(most) {
        end if end < line.len() => text::cut(&line[..end]),
        _ => line.trim_end().to_owned(),
    }
}

fn push<T>(ring: &mut Vec<T>, new: T, most: usize) {
    ring.push(new);
    if ring.len() > most {
        ring.remove(0);
    }
}

fn newest<T>(ring: &[T], count: usize) -> Option<&[T]> {
    Some(&ring[ring.len().checked_sub(count)?..])
}

fn is_equal<T: PartialEq>(all: &[T]) -> bool {
    all.windows(2).all(|two| two[0] == two[1])
}

fn alternates<T: PartialEq>(all: &[T]) -> bool {
    all.windows(3).all(|three| three[0] == three[2])
}

/// The first half of a fingerprint: enough to compare a few, and half as long to store.
fn short(value: &impl std::fmt::Debug) -> u64 {
    u64::from_str_radix(&fingerprint(value)[..16], 16).unwrap_or_default()
}
