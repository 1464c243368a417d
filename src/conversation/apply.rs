//! Applying an item to the session.
//!
//! Items arrive out of order and late, so arrival order decides nothing: the status with the highest position counts,
//! and an answer counts if its position is after the request's. The session keeps no history, only the few positions
//! and open calls that these rules need.

use super::fingerprint::fingerprint;
use super::notice::{TOO_MANY_CONVERSATIONS, end_of_sandbox};
use super::session::SeenCall;
use super::{
    Actor, Body, Call, Confirmation, LogItem, PendingConfirmation, PositionOffset, Session,
    StateChange, Status, Tool, ToolResult,
};

/// Maximum number of open calls. 0.x runs one at a time; a log with more than this is broken or hostile, and the
/// session must stay small.
const OPEN_CALLS: usize = 64;

impl Session {
    /// Applies one item. `row` is the result of [`super::place`] (for a new row, the item's own `seq`).
    ///
    /// Returns the *other* rows whose state (see [`Session::context`]) has changed and that must be folded again: their
    /// approval request was answered or dropped, or the run ended while their call was open.
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
            Body::Rejected { .. }
            | Body::CallError { .. }
            | Body::Unknown {
                result: Some(_), ..
            } => self.answer(row),
            Body::Status { status, reason } => self.take_status(status, reason, pos),
            Body::RunError { code, .. } => {
                if code == TOO_MANY_CONVERSATIONS && self.status.is_at_rest() {
                    self.let_go = row;
                }
                if let Some(status) = end_of_sandbox(code) {
                    // Nothing that was under way there gets a result.
                    self.delegating = false;
                    self.take_status(&status, "", pos);
                }
            }
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
        if let Body::Rejected { .. } = item.body {
            self.over_pos = self.over_pos.max(pos);
        }
        if let Some(metrics) = &item.metrics {
            // Totals only grow, so the set with the highest count is the newest; it is taken as a whole.
            let counted = |m: &super::Metrics| m.prompt_tokens.saturating_add(m.completion_tokens);
            if (counted(metrics), metrics.cost) >= (counted(&self.metrics), self.metrics.cost) {
                self.metrics.clone_from(metrics);
            }
        }
        self.watch.take(item, row, pos, self.metrics.cost);
        self.before = match &item.body {
            Body::Call(call) if item.key.is_none() => row.map(|row| (row, call.tool_name.clone())),
            _ => None,
        };
        self.newest_pos = self.newest_pos.max(item.pos);
        self.last_at = self.last_at.max(item.at.millis);
        self.pending = self.question();
        self.keep_small();

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

    /// All rows with a pending or open call: row, pending, open.
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
            fingerprint: call.fingerprint(),
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

    /// Applies a change of state.
    fn change(&mut self, change: &StateChange, pos: i64) {
        if let Some(status) = &change.status {
            self.take_status(status, "", pos);
        }
        if let Some(title) = change.title.as_ref().filter(|title| !title.is_empty()) {
            self.title.clone_from(title);
        }
        if let Some(about) = &change.about {
            self.about.clone_from(about);
        }
        self.model.take(change.model.clone(), pos);
        self.policy.take(change.policy.clone().map(Some), pos);
        self.analyzer.take(change.analyzer.clone(), pos);
        self.asks_nobody.take(change.asks_nobody, pos);
        self.goal.take(change.goal.clone(), pos);
    }

    fn take_status(&mut self, status: &Status, reason: &str, pos: i64) {
        match status {
            Status::AwaitingConfirmation => self.asked_pos = self.asked_pos.max(pos),
            Status::Running | Status::Confirmed | Status::UserRejected => {
                self.over_pos = self.over_pos.max(pos);
            }
            _ => {}
        }
        // The end of a delegate's run is not the end of the agent's.
        if pos < self.status_pos || (self.delegating && status.is_at_rest()) {
            return;
        }
        // A sandbox that is stopped says so of its agent, too; what was finished stays so.
        if (&self.status, status) != (&Status::Finished, &Status::Stopped) {
            self.status.clone_from(status);
        }
        reason.clone_into(&mut self.reason);
        self.status_pos = pos;
        if status.is_at_rest() {
            self.rest_pos = pos;
            self.open.retain(|open| open.pos > pos);
        }
    }

    /// A person requests a status.
    fn steer(&mut self, status: &Status, pos: i64) {
        match status {
            Status::Confirmed | Status::UserRejected => {
                self.decided_pos = self.decided_pos.max(pos);
                self.over_pos = self.over_pos.max(pos);
                self.resolved_pos = self.resolved_pos.max(pos);
            }
            // From here on the end of a run is the agent's own, whether or not its delegate has reported.
            status if status.is_at_rest() => {
                self.delegating = false;
                self.open
                    .retain(|open| open.task.is_none() || open.pos > pos);
            }
            _ => {}
        }
    }

    /// A message instead of an answer: 0.62 silently drops the pending action.
    fn drop_question(&mut self, pos: i64) {
        self.over_pos = self.over_pos.max(pos);
        let waits: Vec<i64> = self
            .pending
            .iter()
            .flat_map(|pending| &pending.calls)
            .map(|call| call.row)
            .collect();
        let is_dropped = |call: &SeenCall| {
            !call.kept && call.pos < pos && (call.asked || waits.contains(&call.row))
        };
        // Actions that upstream keeps pending stay pending until the status changes.
        let keeps = |call: &SeenCall| call.kept && waits.contains(&call.row);
        if !self.open.iter().any(keeps) {
            self.resolved_pos = self.resolved_pos.max(pos);
        }
        self.open.retain(|open| !is_dropped(open));
        self.last_call.take_if(|last| is_dropped(last));
    }

    /// Upstream has lost events: open calls and pending requests are void.
    fn lose(&mut self, by: i64, pos: i64) {
        self.offset = PositionOffset {
            by,
            since: Some(pos),
        };
        self.open.clear();
        self.last_call = None;
        self.delegating = false;
        self.rest_pos = pos;
        self.resolved_pos = self.resolved_pos.max(pos);
    }

    /// The pending confirmation, computed from the newest status, the newest answer and the calls.
    fn question(&self) -> Option<PendingConfirmation> {
        if self.status != Status::AwaitingConfirmation || self.resolved_pos > self.status_pos {
            return None;
        }
        // 0.x sends the status before the action, 1.x after it.
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
