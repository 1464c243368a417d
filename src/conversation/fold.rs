//! Folding the items of a row into what a person reads as one thing.
//!
//! A row is computed anew from all its items each time, in upstream's order rather than in order of arrival, so the
//! order of arrival does not matter.

use super::notice::trouble;
use super::{
    Answer, Body, Call, CallRow, CallState, Card, Confirmation, Execution, LogItem, Remedy,
    ResultShape, Row, RowContext, Status, ToolResult, text,
};

/// Begins what 0.x says of an action without a result when its agent or sandbox is stopped.
pub const STOP: &str = "Stop button pressed.";

/// An item with its `seq`.
type Entry = (i64, LogItem);

impl Row {
    /// Folds the items of one row, each with its `seq`, in any order. `context` is [`super::Session::context`] of the
    /// row.
    ///
    /// `None` if there is nothing to read. Deterministic: the same items and context always give the same row.
    pub fn fold(items: &[(i64, LogItem)], context: RowContext) -> Option<Row> {
        let mut sorted: Vec<&Entry> = items.iter().collect();
        sorted.sort_by_key(|(seq, item)| (item.pos.unwrap_or(0), *seq));

        let (lead, card) = match calls(&sorted).next() {
            Some((lead, _)) => (lead, Card::Call(Box::new(call_row(&sorted, context)?))),
            None => other_card(&sorted)?,
        };
        let seqs = || items.iter().map(|(seq, _)| *seq);
        Some(Row {
            id: seqs().min()?,
            pos: lead.1.pos.unwrap_or(0),
            seq: seqs().max()?.max(context.seq),
            at: lead.1.at.millis,
            from: lead.1.from,
            card,
        })
    }
}

fn calls<'i>(items: &[&'i Entry]) -> impl Iterator<Item = (&'i Entry, &'i Call)> {
    items.iter().filter_map(|entry| match &entry.1.body {
        Body::Call(call) => Some((*entry, call)),
        _ => None,
    })
}

fn call_row(items: &[&Entry], context: RowContext) -> Option<CallRow> {
    // Updates of a call (ACP) are not repetitions of it.
    let copies = calls(items)
        .filter(|(entry, _)| !matches!(entry.1.answers, Some(Answer::Call(_))))
        .count()
        .max(1);
    let (_, newest) = calls(items).last()?;
    let (_, first) = calls(items).next()?;
    let mut call = first.clone();
    // 0.x marks every call without an approval request as "confirmed": that mark means something only on a second copy
    // of the call.
    call.confirmation = match (copies, newest.confirmation) {
        (1, Confirmation::Confirmed) => Confirmation::NotAsked,
        (1, said) => said,
        (_, Confirmation::Rejected) => Confirmation::Rejected,
        (_, _) => Confirmation::Confirmed,
    };
    if call.thought.is_empty() {
        // The first copy has the thought, unless it has not arrived (yet).
        call.thought.clone_from(&newest.thought);
    }
    let has_result = items.iter().any(|(_, item)| is_result(&item.body));
    // A failure to execute is the state of the call, unless the call still reported a result: then both are shown.
    let executions: Vec<Execution> = items
        .iter()
        .filter(|_| has_result)
        .filter_map(|entry| execution(entry))
        .collect();
    let state = state(items, &call, copies, &executions, context);
    let hooks = items.iter().filter_map(|(_, item)| match &item.body {
        Body::Hook(hook) => Some(hook.clone()),
        _ => None,
    });
    Some(CallRow {
        call,
        state,
        executions,
        hooks: hooks.collect(),
    })
}

fn state(
    items: &[&Entry],
    call: &Call,
    copies: usize,
    executions: &[Execution],
    context: RowContext,
) -> CallState {
    let bodies = || items.iter().map(|(_, item)| &item.body);
    let rejected = bodies().find_map(|body| match body {
        Body::Rejected { reason } => Some(reason.clone()),
        _ => None,
    });
    if rejected.is_some() || call.confirmation == Confirmation::Rejected {
        return CallState::Rejected(rejected.unwrap_or_default());
    }
    if context.waiting {
        return CallState::Waiting;
    }
    let results = bodies().filter(|body| is_result(body));
    // 0.x carries an edit out before the answer, and again after an approval: the second execution is still to come.
    if context.open && copies > 1 && results.count() < copies && !call.held {
        return CallState::Approved;
    }
    if !executions.is_empty() {
        // A stopped command may still report, but only that it is running.
        let was_stopped = bodies().any(|body| error_text(body).is_some());
        let is_bad = |result: &ToolResult| result.failed || (was_stopped && result.unfinished);
        return if executions.iter().all(|execution| is_bad(&execution.result)) {
            CallState::Failed
        } else {
            CallState::Done
        };
    }
    if let Some(text) = bodies().find_map(error_text) {
        // 1.x reports an error for an executable call only when it is cut off; 0.x if it never started, and in the same words
        // for what runs when its agent is stopped.
        return if call.group.is_some() && call.held {
            CallState::CutOff(text.to_owned())
        } else if text.starts_with(STOP) && call.confirmation != Confirmation::Awaiting {
            CallState::Unknown(text::stopped_meanwhile().to_owned())
        } else {
            CallState::NotExecuted(text.to_owned())
        };
    }
    match (call.confirmation, context.open) {
        _ if call.tool.answers_itself() => CallState::Done,
        (Confirmation::Awaiting, true) => CallState::Waiting,
        (Confirmation::Awaiting, false) if call.held => {
            CallState::NotExecuted(text::not_answered().to_owned())
        }
        (Confirmation::Confirmed, true) => CallState::Approved,
        (_, true) => CallState::Running,
        // It may have run: results get lost, cannot be read, or come too late.
        (_, false) => CallState::Unknown(text::no_result().to_owned()),
    }
}

fn is_result(body: &Body) -> bool {
    matches!(
        body,
        Body::Result(_)
            | Body::Unknown {
                result: Some(_),
                ..
            }
    )
}

fn error_text(body: &Body) -> Option<&str> {
    match body {
        Body::CallError { text, .. } => Some(text),
        _ => None,
    }
}

/// An outcome of a call; an error counts as a failed result.
fn execution((seq, item): &Entry) -> Option<Execution> {
    let result = match &item.body {
        Body::Result(result) => result.clone(),
        Body::CallError { text, .. } => ToolResult {
            text: text.clone(),
            failed: true,
            ..ToolResult::default()
        },
        Body::Unknown {
            json,
            result: Some(text),
            ..
        } => unknown_result(json, text),
        _ => return None,
    };
    Some(Execution {
        seq: *seq,
        at: item.at.millis,
        result,
    })
}

/// A result of an unknown kind: its text, and all that it says beside.
fn unknown_result(json: &str, text: &str) -> ToolResult {
    let (shape, text) = match text.is_empty() {
        true => (ResultShape::Json, json.to_owned()),
        false => (ResultShape::Plain, format!("{text}\n\n{json}")),
    };
    ToolResult {
        text,
        shape,
        ..ToolResult::default()
    }
}

/// A row without a call, led by its first item with content.
fn other_card<'i>(items: &[&'i Entry]) -> Option<(&'i Entry, Card)> {
    let is_trouble = |item: &LogItem| {
        matches!(
            &item.body,
            Body::RunError { .. }
                | Body::Status {
                    status: Status::Error,
                    ..
                }
        )
    };
    if let Some(lead) = items.iter().find(|(_, item)| is_trouble(item)) {
        let (code, text) = trouble(items.iter().map(|(_, item)| &item.body));
        let remedy = items.iter().find_map(|(_, item)| remedy(&item.body));
        return Some((lead, Card::RunError { code, text, remedy }));
    }
    let (lead, mut card) = items
        .iter()
        .find_map(|entry| Some((*entry, card(entry)?)))?;
    // Answers to an event that is not a call, or several answers to a call that never arrived.
    for (_, item) in items.iter().filter(|entry| entry.0 != lead.0) {
        let text = match &item.body {
            Body::Result(ToolResult { text, .. }) | Body::Rejected { reason: text } => text,
            Body::CallError { text, .. } => text,
            _ => continue,
        };
        let into = match &mut card {
            Card::Message { message, .. } => &mut message.text,
            Card::Orphan(execution) => &mut execution.result.text,
            Card::Note(note) => note,
            _ => continue,
        };
        into.push_str("\n\n");
        into.push_str(text);
    }
    Some((lead, card))
}

fn remedy(body: &Body) -> Option<Remedy> {
    match body {
        Body::RunError { remedy, .. } => *remedy,
        _ => None,
    }
}

fn card(entry: &Entry) -> Option<Card> {
    let (seq, item) = entry;
    Some(match &item.body {
        Body::Message(message) => Card::Message {
            seq: *seq,
            message: message.clone(),
        },
        Body::Result(_) | Body::CallError { .. } => Card::Orphan(execution(entry)?),
        Body::Rejected { reason } => Card::Note(reason.clone()),
        Body::Recall(recall) => Card::Recall(recall.clone()),
        Body::Condensed { forgotten, summary } => Card::Condensed {
            forgotten: *forgotten,
            summary: summary.clone(),
        },
        Body::Hook(hook) => Card::Hook(hook.clone()),
        Body::Stopped { hard } => Card::Stopped { hard: *hard },
        Body::System(system) => Card::System(system.clone()),
        Body::Note(text) => Card::Note(text.clone()),
        // Shown once, where the loss was detected.
        Body::Lost { .. } => Card::Note(text::lost().to_owned()),
        Body::Unknown { kind, json, .. } => Card::Unknown {
            kind: kind.clone(),
            json: json.clone(),
        },
        Body::Call(_)
        | Body::RunError { .. }
        | Body::Status { .. }
        | Body::Steered { .. }
        | Body::Title(_)
        | Body::State(_)
        | Body::Progress { .. }
        | Body::Nothing => return None,
    })
}
