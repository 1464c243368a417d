//! A step: the call, its state, its results.

use super::{Place, call, call::remark, cut, result, words};
use crate::{
    conversation::{
        CallRow, CallState, Execution, HookRun, Kind, Risk, STOP, SystemPrompt, Tone, Tool,
    },
    render::{Block, StepState, StepView, hidden, text, view::AROUND},
};

/// The view of a call with its outcomes.
pub(super) fn step(place: &Place<'_>, at: i64, row: &CallRow) -> StepView {
    let call = &row.call;
    let waiting = row.state == CallState::Waiting;
    let mut blocks = Vec::new();
    // If the result has a diff, the requested change would repeat it.
    let drawn = |execution: &Execution| execution.result.shows_change();
    let asked = call::request(place, call, waiting);
    let double = call.tool.kind() == Kind::Edit && !waiting && row.executions.iter().any(drawn);
    if !double {
        blocks.extend(asked);
    }
    blocks.extend(outcomes(place, row));
    blocks.extend(row.hooks.iter().filter_map(hook).take(place.limits.pieces));
    match &row.state {
        CallState::Rejected(reason) => blocks.push(with_reason(text::step_rejected(), reason)),
        // Its head says so; the sentence of a stop, whoever stopped it, says no more.
        CallState::NotExecuted(reason)
            if !reason.trim().is_empty() && !reason.starts_with(STOP) =>
        {
            let reason = cut::to_bytes(reason.trim(), 4000).0;
            blocks.push(remark(Tone::Warning, reason.to_owned()));
        }
        CallState::Unknown(reason) => blocks.push(with_reason(text::step_unknown(), reason)),
        CallState::CutOff(reason) => blocks.push(with_reason(text::step_interrupted(), reason)),
        _ => {}
    }

    let (verb, mut subject) = words::headline(&call.tool);
    // Upstream's summary is useful without a subject, except for the final step, where it is only "All done!".
    if subject.is_empty() && call.tool.kind() != Kind::Finish {
        subject = hidden::plain_line(&call.summary, 160);
    }
    StepView {
        verb: verb.to_owned(),
        subject,
        state: state(row),
        outcome: words::outcome(row, &blocks),
        risk: call.risk,
        thought: if call.thought.trim().is_empty() {
            String::new()
        } else {
            place.prose(&call.thought).0
        },
        reasoning: if call.reasoning.trim().is_empty() {
            String::new()
        } else {
            place.prose(&call.reasoning).0
        },
        blocks,
        conversation: row
            .executions
            .iter()
            .find_map(|execution| execution.result.conversation.clone()),
        sub_agent: sub_agent(row),
        reason: reason(&row.state),
        waited: None,
        took: row
            .executions
            .last()
            .map(|execution| execution.at - at)
            .filter(|took| *took >= 0 && !is_withheld(&row.state)),
        folded: folded(row),
    }
}

/// All outcomes in order. The server carries out 0.62's edits and reads before the answer, and again after an approval:
/// both are shown. While the step waits, its approval says that it was carried out, and the request shows the change.
fn outcomes(place: &Place<'_>, row: &CallRow) -> Vec<Block> {
    let several = row.executions.len() > 1;
    let file = matches!(row.call.tool, Tool::File(_));
    let answered = matches!(row.state, CallState::Waiting | CallState::Rejected(_));
    let unheld = !row.call.held && file && (several || answered);
    let mut blocks = Vec::new();
    for (number, execution) in row.executions.iter().enumerate() {
        if number >= place.limits.pieces || !place.takes(AROUND) {
            let more = super::and_more(row.executions.len() - number);
            blocks.extend(more.map(|more| remark(Tone::Info, more)));
            break;
        }
        if unheld {
            let waits = row.state == CallState::Waiting && !execution.result.failed;
            if !waits {
                blocks.push(result::unheld_remark(number, execution));
            }
            let same = number > 0 && row.executions[number - 1].result == execution.result;
            let shown = same || (waits && execution.result.shows_change());
            if execution.result.failed || shown {
                continue;
            }
        } else if number > 0 {
            blocks.push(remark(Tone::Info, text::reported_again().to_owned()));
        }
        blocks.extend(result::outcome(place, Some(&row.call.tool), execution));
    }
    blocks
}

fn state(row: &CallRow) -> StepState {
    match row.state {
        CallState::Running => StepState::Running,
        CallState::Waiting => StepState::Waiting,
        CallState::Approved => StepState::Approved,
        CallState::Done => StepState::Done,
        CallState::Failed => StepState::Failed,
        CallState::Rejected(_) => StepState::Rejected,
        CallState::NotExecuted(_) => StepState::NotExecuted,
        CallState::Unknown(_) => StepState::Unknown,
        CallState::CutOff(_) => StepState::Failed,
    }
}

/// Whether the call is not to be executed, or not yet, or its result is not known, whatever was reported of it.
fn is_withheld(state: &CallState) -> bool {
    matches!(
        state,
        CallState::Waiting
            | CallState::Rejected(_)
            | CallState::NotExecuted(_)
            | CallState::Unknown(_)
    )
}

/// The end of the sub-agent's steps that follow on this timeline, or `i64::MAX` while it runs.
fn sub_agent(row: &CallRow) -> Option<i64> {
    let Tool::SubAgent { apart: false, .. } = row.call.tool else {
        return None;
    };
    match row.state {
        CallState::Running | CallState::Approved => Some(i64::MAX),
        CallState::Done | CallState::Failed => row.executions.last().map(|last| last.at),
        _ => None,
    }
}

/// Whether the step is a detail: reads and thoughts that are done; changes and failures are not.
fn folded(row: &CallRow) -> bool {
    let detail = matches!(
        row.call.tool.kind(),
        Kind::Read | Kind::Think | Kind::Browser | Kind::Mcp | Kind::Tasks | Kind::Recall
    );
    detail && row.state == CallState::Done
}

/// A hook's output for the step, if it has any. That the hook blocked the step is shown by the rejection.
fn hook(hook: &HookRun) -> Option<Block> {
    let said = hidden::plain_line(hook.output.trim(), 300);
    let failed = hook.exit_code.is_some_and(|code| code != 0);
    let words = match (said.is_empty(), failed) {
        _ if hook.blocked => return None,
        (true, false) => return None,
        (true, true) => text::hook_failed(&hook.event),
        (false, _) => text::hook_said(&hook.event, said),
    };
    let tone = if failed { Tone::Warning } else { Tone::Info };
    Some(remark(tone, words))
}

/// What 0.62 writes where no person has given a reason.
const NO_REASON: &str = "Action has been rejected by the user! Waiting for further user input.";

/// Why a call was rejected, in the words of a person or hook.
fn reason(state: &CallState) -> String {
    match state {
        CallState::Rejected(reason) if reason != NO_REASON => hidden::plain_line(reason, 300),
        _ => String::new(),
    }
}

fn with_reason(word: &str, reason: &str) -> Block {
    let reason = cut::to_bytes(reason.trim(), 4000).0;
    remark(
        Tone::Warning,
        if reason.is_empty() {
            word.to_owned()
        } else {
            text::because(word, reason)
        },
    )
}

/// A result without its call.
pub(super) fn orphan(place: &Place<'_>, execution: &Execution) -> StepView {
    StepView {
        verb: text::result().to_owned(),
        subject: text::step_missing().to_owned(),
        state: if execution.result.failed {
            StepState::Failed
        } else {
            StepState::Done
        },
        outcome: String::new(),
        risk: Risk::Unknown,
        thought: String::new(),
        reasoning: String::new(),
        blocks: result::outcome(place, None, execution),
        conversation: execution.result.conversation.clone(),
        sub_agent: None,
        reason: String::new(),
        waited: None,
        took: None,
        folded: false,
    }
}

/// Instructions and tools, shortened: they are long and the same in every conversation.
pub(super) fn system(place: &Place<'_>, prompt: &SystemPrompt) -> StepView {
    let whole = place.limits.is_full();
    let (kept, cut) = if whole {
        (prompt.prompt.as_str(), false)
    } else {
        cut::to_lines(&prompt.prompt, 12, 1000)
    };
    let mut blocks = place.code(text::instructions(), kept, "", false);
    if let Some(Block::Code {
        cut: more, text, ..
    }) = blocks.first_mut()
    {
        *more |= cut;
        if *more {
            text.clear();
        }
    }
    let mut list = String::new();
    let mut left = prompt.tools.len();
    for (name, description) in &prompt.tools {
        if list.len() > place.room.get() / 2 {
            break;
        }
        left -= 1;
        let description = if whole {
            description.as_str()
        } else {
            first_sentence(description)
        };
        list.push_str("<li><code>");
        hidden::escape(&mut list, cut::to_bytes(name, 300).0);
        list.push_str("</code> ");
        hidden::escape(
            &mut list,
            cut::to_bytes(description, place.limits.block_bytes).0,
        );
        list.push_str("</li>");
    }
    if let Some(more) = super::and_more(left) {
        list.push_str("<li>");
        hidden::escape(&mut list, &more);
        list.push_str("</li>");
    }
    place.takes(list.len());
    if !list.is_empty() {
        blocks.push(Block::Prose(format!("<ul>{list}</ul>")));
    }
    StepView {
        verb: text::instructions().to_owned(),
        subject: hidden::plain_line(&prompt.about.join(" · "), 160),
        state: StepState::Done,
        outcome: match prompt.tools.len() {
            0 => String::new(),
            count => text::tools(count),
        },
        risk: Risk::Unknown,
        thought: String::new(),
        reasoning: String::new(),
        blocks,
        conversation: None,
        sub_agent: None,
        reason: String::new(),
        waited: None,
        took: None,
        folded: true,
    }
}

fn first_sentence(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    cut::to_bytes(&line[..end], 160).0
}
