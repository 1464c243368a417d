//! Where the time and the money of a conversation went.
//!
//! [`Insight`] takes the log item by item and keeps sums, the newest steps and a bounded number of names, so that its
//! size does not depend on the length of the log. Costs and tokens are differences of the running totals that the
//! backend reports; what is reported between steps (a title, a condensation) is counted outside of them, so the sum is
//! always the backend's own total.

mod calls;
mod overall;
mod report;
mod step;
mod tally;

pub use calls::ModelCall;
pub use overall::{Measure, Overall, OverallReport};
pub use report::Report;
pub use step::{Spent, Step};
pub use tally::{Change, Command};

use super::stuck::subject;
use super::{Actor, Answer, Body, Call, Kind, LogItem, Metrics, Status, ToolResult};
use std::collections::VecDeque;
use tally::Tally;

/// The newest steps that are kept one by one: as many bars as a screen can show.
const STEPS: usize = 240;
/// Bytes of the text that names a step.
const SUBJECT: usize = 160;

/// The sums of a conversation, its newest steps, and what is needed to continue.
#[derive(Debug, Clone, Default)]
pub struct Insight {
    steps: VecDeque<Step>,
    /// The steps that are not kept any more.
    earlier: Spent,
    /// Cost and tokens that belong to no step.
    outside: Spent,
    /// The totals as last reported.
    total: Metrics,
    /// Reported, and not yet assigned to a step: 1.x reports before it sends the call.
    reported: Spent,
    /// When the model could begin to work on its next response, milliseconds since the Unix epoch.
    ready_at: Option<i64>,
    /// Since when an approval has been pending.
    asked_at: Option<i64>,
    /// Fingerprint of the newest call.
    newest: Option<String>,
    slowest: Option<Step>,
    dearest: Option<Step>,
    longest_wait: Option<Step>,
    failed: u64,
    repeated: u64,
    files: Tally,
    commands: Tally,
}

impl Insight {
    /// Takes the next item of the log; `row` is its row.
    pub fn take(&mut self, item: &LogItem, row: Option<i64>) {
        let at = Some(item.at.millis).filter(|at| *at > 0);
        let reported = item.metrics.as_ref().map(|total| self.reported(total));
        match (&item.body, row) {
            (Body::Message(_), _) if item.from == Actor::Human => self.ready_at = at,
            (Body::Message(message), Some(row)) if item.from == Actor::Agent => {
                let subject = super::stuck::first_line(&message.text, SUBJECT);
                self.step(Kind::Message, subject, None, row, at);
                self.newest = None;
                self.ready_at = at;
            }
            (Body::Call(call), Some(row)) if item.from == Actor::Agent => {
                let is_update = matches!(item.answers, Some(Answer::Call(_)));
                if !is_update && self.steps.iter().rev().all(|step| step.row != row) {
                    self.call(call, row, at);
                }
            }
            (Body::Result(result), Some(row)) => self.result(result, row, at),
            (Body::CallError { .. }, Some(row)) => {
                // 0.x says so of what never started, 1.x also of what was cut off; what waits has not started.
                let is_waiting = self.asked_at.is_some();
                self.ended(row, at, true);
                self.never_ran(row, |step| is_waiting || step.response.is_none());
            }
            (Body::Rejected { .. }, Some(row)) => {
                self.ended(row, at, false);
                self.never_ran(row, |_| true);
            }
            (Body::Condensed { .. } | Body::Recall(_), _) => self.ready_at = at,
            (Body::Status { status, .. } | Body::Steered { status }, _) => self.status(status, at),
            _ => {}
        }
        match reported {
            // 0.x reports with the call or the message itself.
            Some(spent)
                if row.is_some() && self.steps.back().is_some_and(|s| Some(s.row) == row) =>
            {
                if let Some(step) = self.steps.back_mut() {
                    step.spent.add(&spent);
                }
            }
            Some(spent) => self.reported.add(&spent),
            None => {}
        }
    }

    /// The rise of the totals. They only grow; lower ones are late.
    fn reported(&mut self, total: &Metrics) -> Spent {
        let counted = |m: &Metrics| m.prompt_tokens.saturating_add(m.completion_tokens);
        let before = &self.total;
        if (counted(total), total.cost) < (counted(before), before.cost) {
            return Spent::default();
        }
        let spent = Spent::between(before, total);
        let fallen = Spent::between(total, before);
        if fallen != Spent::default() {
            self.take_back(fallen);
        }
        self.total = Metrics {
            usages: Vec::new(),
            ..total.clone()
        };
        spent
    }

    /// A restarted server may have lost a part of its totals: the sums follow it, and what was reported last goes first.
    fn take_back(&mut self, mut fallen: Spent) {
        let steps = self.steps.iter_mut().rev().map(|step| &mut step.spent);
        let all = [&mut self.reported, &mut self.outside].into_iter();
        for spent in all.chain(steps).chain([&mut self.earlier]) {
            spent.give(&mut fallen);
        }
    }

    fn call(&mut self, call: &Call, row: i64, at: Option<i64>) {
        let subject = subject(&call.tool, &call.tool_name, SUBJECT);
        let print = call.fingerprint();
        let is_repeated = self.newest.as_ref() == Some(&print);
        self.newest = Some(print);
        let kind = call.tool.kind();
        let is_edit = kind == Kind::Edit;
        if is_edit {
            self.files.count(&subject);
        }
        let beside = self
            .steps
            .back()
            .is_some_and(|last| last.response.is_some() && last.response == call.group);
        let ready_at = self.ready_at;
        if beside {
            // Calls of one response: the model worked once.
            self.ready_at = None;
        }
        let step = self.step(kind, subject, call.group.clone(), row, at);
        step.repeated = is_repeated;
        if beside {
            self.ready_at = ready_at;
        }
        self.repeated += u64::from(is_repeated);
        if call.tool.answers_itself() {
            self.ready_at = at;
        }
    }

    fn step(
        &mut self,
        kind: Kind,
        subject: String,
        response: Option<String>,
        row: i64,
        at: Option<i64>,
    ) -> &mut Step {
        if self.steps.len() == STEPS
            && let Some(old) = self.steps.pop_front()
        {
            self.earlier.add(&old.spent);
            self.note(&old);
        }
        let number = self.earlier.steps + self.steps.len() as u64 + 1;
        let spent = Spent {
            steps: 1,
            model: elapsed(self.ready_at, at),
            ..std::mem::take(&mut self.reported)
        };
        let at = at.unwrap_or_default();
        self.steps.push_back(Step {
            number,
            row,
            at,
            kind,
            subject,
            response,
            spent,
            ran: None,
            idle: 0,
            failed: false,
            repeated: false,
        });
        let last = self.steps.len() - 1;
        &mut self.steps[last]
    }

    fn step_of(&mut self, row: i64) -> Option<&mut Step> {
        self.steps.iter_mut().rev().find(|step| step.row == row)
    }

    fn result(&mut self, result: &ToolResult, row: i64, at: Option<i64>) {
        let has_failed = result.failed || result.exit_code.is_some_and(|code| code != 0);
        self.ended(row, at, has_failed);
        let shell = self.step_of(row).filter(|step| step.kind == Kind::Shell);
        if let Some(command) = shell.map(|step| step.subject.clone()) {
            self.commands.end(&command, has_failed);
        }
    }

    /// A call has an outcome. If there are several, the last one counts.
    fn ended(&mut self, row: i64, at: Option<i64>, has_failed: bool) {
        self.ready_at = at;
        let Some(step) = self.step_of(row) else {
            return;
        };
        let since = Some(step.at).filter(|at| *at > 0);
        step.ran = Some(elapsed(since, at));
        step.split();
        let is_new = has_failed && !step.failed;
        step.failed |= has_failed;
        self.failed += u64::from(is_new);
    }

    fn never_ran(&mut self, row: i64, is_so: impl Fn(&Step) -> bool) {
        if let Some(step) = self.step_of(row).filter(|step| is_so(step)) {
            step.ran = None;
            step.split();
        }
    }

    fn status(&mut self, status: &Status, at: Option<i64>) {
        if *status == Status::AwaitingConfirmation {
            self.asked_at = self.asked_at.or(at);
            return;
        }
        if let Some(asked_at) = self.asked_at.take() {
            let waited = elapsed(Some(asked_at), at);
            for (number, step) in self.pending().enumerate() {
                let person = if number == 0 { waited } else { 0 };
                step.waited(step.idle + waited, step.spent.person + person);
            }
        }
        if status.is_at_rest() {
            self.ready_at = None;
        } else if *status == Status::Running && self.ready_at.is_none() {
            self.ready_at = at;
        }
    }

    /// The calls of the newest response: several calls that need approval wait at the same time.
    fn pending(&mut self) -> impl Iterator<Item = &mut Step> {
        let response = self.steps.back().and_then(|last| last.response.clone());
        let mut others = self.steps.iter().rev();
        let first = match response {
            Some(_) => others
                .position(|step| step.response != response)
                .map_or(0, |calls| self.steps.len() - calls),
            None => self.steps.len().saturating_sub(1),
        };
        self.steps.iter_mut().skip(first)
    }

    /// The oldest row that is still kept as a step, if any.
    pub fn oldest_row(&self) -> Option<i64> {
        self.steps.iter().map(|step| step.row).min()
    }
}

/// Milliseconds between two times; 0 if one is unknown, or if the clock went back.
fn elapsed(since: Option<i64>, until: Option<i64>) -> u64 {
    let (Some(since), Some(until)) = (since, until) else {
        return 0;
    };
    u64::try_from(until.saturating_sub(since)).unwrap_or(0)
}
