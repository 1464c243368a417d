//! How an item changes the session.
//!
//! Items arrive out of order and long after the fact, so nothing here follows the last arrival: a status
//! counts if its position is the highest, an answer if it stands behind its question. The session keeps no
//! history, only the few positions and open calls that this takes.

use super::session::{SeenCall, fingerprint};
use super::{
    Actor, Body, Call, Confirmation, LogItem, PendingConfirmation, Session, Shift, Status, Tool,
    ToolResult,
};

/// Calls that can be open at once. 0.x works on one at a time; more than this is a broken or hostile log,
/// and the session must stay small.
const OPEN_CALLS: usize = 64;

impl Session {
    /// Takes one item in. `row` is where [`super::place`] put it (for a new row: the item's own `seq`).
    ///
    /// Answers the *other* rows that now stand differently (see [`Session::context`]) and have to be folded
    /// again: a question was answered or dropped, a run ended under an open call.
    pub fn apply(&mut self, item: &LogItem, row: Option<i64>) -> Vec<i64> {
        let before = self.standing();
        let pos = self.pos_of(item);
        let is_newest = item
            .pos
            .is_some_and(|pos| self.newest_pos.is_none_or(|newest| pos > newest));

        self.take_notice(item, row, is_newest);
        match &item.body {
            Body::Call(call) => self.call(item, call, pos, row),
            Body::Result(result) => {
                self.answer(row);
                self.keep_tasks(result, pos);
            }
            Body::Rejected { .. } | Body::CallError { .. } => self.answer(row),
            Body::Status { status, reason } => self.take_status(status, reason, pos),
            Body::Steered { status } => self.steer(status, pos),
            Body::Message(message)
                if item.from == Actor::Human
                    && self.task_of_delegate(item.from, &message.text).is_none() =>
            {
                self.drop_question(pos);
            }
            Body::Lost { by } => self.lose(*by, pos),
            Body::Title(title) => self.title.clone_from(title),
            Body::State(change) => self.change(change, pos),
            Body::System(system) if !system.about.is_empty() => {
                self.about.clone_from(&system.about);
            }
            _ => {}
        }
        if let Some(metrics) = &item.metrics {
            // Totals only grow: the set that has counted most is the newest, and is taken as a whole.
            let counted = |m: &super::Metrics| m.prompt_tokens.saturating_add(m.completion_tokens);
            if (counted(metrics), metrics.cost) >= (counted(&self.metrics), self.metrics.cost) {
                self.metrics.clone_from(metrics);
            }
        }
        self.newest_pos = self.newest_pos.max(item.pos);
        self.last_at = self.last_at.max(item.at.millis);
        self.pending = self.question();

        let after = self.standing();
        let mut changed: Vec<i64> = before
            .iter()
            .filter(|standing| !after.contains(standing))
            .chain(after.iter().filter(|standing| !before.contains(standing)))
            .map(|(other, ..)| *other)
            .filter(|other| Some(*other) != row)
            .collect();
        changed.sort_unstable();
        changed.dedup();
        changed
    }

    /// All rows that are not simply done: row, waiting, open.
    fn standing(&self) -> Vec<(i64, bool, bool)> {
        let waiting = self
            .pending
            .iter()
            .flat_map(|pending| &pending.calls)
            .map(|call| call.row);
        let open = self.open.iter().map(|call| call.row);
        let one = |row| {
            let context = self.context(row);
            (row, context.waiting, context.open)
        };
        waiting.chain(open).map(one).collect()
    }

    fn call(&mut self, item: &LogItem, call: &Call, pos: i64, row: Option<i64>) {
        let Some(row) = row else { return };
        let seen = SeenCall {
            key: item.key.clone(),
            pos,
            row,
            fingerprint: fingerprint(&call.tool),
            risk: call.risk,
            held: call.held,
            kept: call.group.is_some(),
            asked: call.confirmation == Confirmation::Awaiting,
            task: match &call.tool {
                Tool::SubAgent {
                    task, apart: false, ..
                } => Some(fingerprint(task)),
                _ => None,
            },
        };
        self.open.retain(|open| open.row != row);
        let is_over = call.tool.answers_itself() || call.confirmation == Confirmation::Rejected;
        if !is_over && pos >= self.rest_pos {
            self.delegating |= seen.task.is_some();
            self.open.push(seen.clone());
            if self.open.len() > OPEN_CALLS {
                self.open.remove(0);
            }
        }
        if self.last_call.as_ref().is_none_or(|last| pos >= last.pos) {
            self.last_call = Some(seen);
        }
    }

    fn answer(&mut self, row: Option<i64>) {
        self.open.retain(|open| Some(open.row) != row);
        self.delegating &= self.delegate().is_some();
    }

    pub(super) fn take_status(&mut self, status: &Status, reason: &str, pos: i64) {
        // Its delegate's ending is not the agent's.
        if pos < self.status_pos || (self.delegating && status.is_at_rest()) {
            return;
        }
        self.status.clone_from(status);
        reason.clone_into(&mut self.reason);
        self.status_pos = pos;
        if status.is_at_rest() {
            self.rest_pos = pos;
            self.open.retain(|open| open.pos > pos);
        }
    }

    /// A person asks for a status.
    fn steer(&mut self, status: &Status, pos: i64) {
        match status {
            Status::Confirmed | Status::UserRejected => {
                self.decided_pos = self.decided_pos.max(pos);
                self.settled_pos = self.settled_pos.max(pos);
            }
            // From here on an ending is the agent's own, whether its delegate has reported or not.
            status if status.is_at_rest() => {
                self.delegating = false;
                self.open
                    .retain(|open| open.task.is_none() || open.pos > pos);
            }
            _ => {}
        }
    }

    /// A message instead of an answer: 0.62 drops what waits, without a word about it.
    fn drop_question(&mut self, pos: i64) {
        let waits: Vec<i64> = self
            .pending
            .iter()
            .flat_map(|pending| &pending.calls)
            .map(|call| call.row)
            .collect();
        let is_dropped = |call: &SeenCall| {
            !call.kept && call.pos < pos && (call.asked || waits.contains(&call.row))
        };
        // What upstream keeps waiting goes on waiting for its answer, until its status says otherwise.
        let keeps = |call: &SeenCall| call.kept && waits.contains(&call.row);
        if !self.open.iter().any(keeps) {
            self.settled_pos = self.settled_pos.max(pos);
        }
        self.open.retain(|open| !is_dropped(open));
        self.last_call.take_if(|last| is_dropped(last));
    }

    /// Upstream is not where it was: nothing that was open or asked before is so any more.
    fn lose(&mut self, by: i64, pos: i64) {
        self.shift = Shift {
            by,
            since: Some(pos),
        };
        self.open.clear();
        self.last_call = None;
        self.delegating = false;
        self.rest_pos = pos;
        self.settled_pos = self.settled_pos.max(pos);
    }

    /// What waits now: a function of the newest status, the newest answer and the calls.
    fn question(&self) -> Option<PendingConfirmation> {
        if self.status != Status::AwaitingConfirmation || self.settled_pos > self.status_pos {
            return None;
        }
        // 0.x says that it waits and then for what; 1.x the other way round.
        let calls = match self
            .last_call
            .as_ref()
            .filter(|last| last.pos > self.status_pos)
        {
            Some(last) => vec![last.pending()],
            None => self
                .open
                .iter()
                .filter(|open| open.held)
                .map(SeenCall::pending)
                .collect(),
        };
        Some(PendingConfirmation { calls })
    }

    fn keep_tasks(&mut self, result: &ToolResult, pos: i64) {
        if let Some(tasks) = &result.tasks
            && pos >= self.tasks_pos
        {
            self.tasks.clone_from(tasks);
            self.tasks_pos = pos;
        }
    }
}
