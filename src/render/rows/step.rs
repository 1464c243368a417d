//! A step: what the agent wanted, where that stands, what came of it.

use super::{Place, call, call::remark, cut, result, words};
use crate::{
    conversation::{CallRow, CallState, Execution, HookRun, Kind, Risk, SystemPrompt, Tone, Tool},
    render::{Block, StepState, StepView, hidden},
};

/// A call with its outcomes.
pub(super) fn step(place: &Place<'_>, at: i64, row: &CallRow) -> StepView {
    let call = &row.call;
    let waiting = row.state == CallState::Waiting;
    let mut blocks = Vec::new();
    // A diff that came back shows the change in its file; the one that was asked for would be double.
    let drawn = |execution: &Execution| execution.result.shows_change();
    let asked = call::request(place, &call.tool, waiting);
    let double = call.tool.kind() == Kind::Edit && !waiting && row.executions.iter().any(drawn);
    if !double {
        blocks.extend(asked);
    }
    blocks.extend(outcomes(place, row));
    blocks.extend(row.hooks.iter().filter_map(hook));
    match &row.state {
        CallState::Rejected(reason) => blocks.push(with_reason("Rejected", reason)),
        CallState::NotExecuted(reason) => blocks.push(with_reason("Not carried out", reason)),
        CallState::CutOff(reason) => blocks.push(with_reason("Cut off", reason)),
        _ => {}
    }

    let (verb, mut subject) = words::headline(&call.tool);
    // Upstream's own sentence helps where there is nothing else, except at the end: "All done!" is all it says.
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
        took: row
            .executions
            .last()
            .map(|execution| execution.at - at)
            .filter(|took| *took >= 0),
        folded: folded(row),
    }
}

/// Every outcome in turn. The server carries 0.62's edits and reads out before anybody answered, and
/// once more after a yes: both are told.
fn outcomes(place: &Place<'_>, row: &CallRow) -> Vec<Block> {
    let several = row.executions.len() > 1;
    let file = matches!(row.call.tool, Tool::File(_));
    let answered = matches!(row.state, CallState::Waiting | CallState::Rejected(_));
    let unheld = !row.call.held && file && (several || answered);
    let mut blocks = Vec::new();
    for (number, execution) in row.executions.iter().enumerate() {
        if unheld {
            blocks.push(result::unheld_remark(number, execution));
            let same = number > 0 && row.executions[number - 1].result == execution.result;
            if execution.result.failed || same {
                continue;
            }
        } else if number > 0 {
            blocks.push(remark(Tone::Info, "Reported again".to_owned()));
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
        CallState::CutOff(_) => StepState::Failed,
    }
}

/// Looks and thoughts are details once they are done; what changes something or went wrong is not.
fn folded(row: &CallRow) -> bool {
    let detail = matches!(
        row.call.tool.kind(),
        Kind::Read | Kind::Think | Kind::Browser | Kind::Mcp | Kind::Tasks | Kind::Recall
    );
    detail && row.state == CallState::Done
}

/// What a hook had to say about the step; most have nothing. That it forbade it is said by the rejection.
fn hook(hook: &HookRun) -> Option<Block> {
    let said = hidden::plain_line(hook.output.trim(), 300);
    let failed = hook.exit_code.is_some_and(|code| code != 0);
    let text = match (said.is_empty(), failed) {
        _ if hook.blocked => return None,
        (true, false) => return None,
        (true, true) => format!("Hook {} failed", hook.event),
        (false, _) => format!("Hook {}: {said}", hook.event),
    };
    let tone = if failed { Tone::Warning } else { Tone::Info };
    Some(remark(tone, text))
}

fn with_reason(word: &str, reason: &str) -> Block {
    let reason = cut::to_bytes(reason.trim(), 4000).0;
    remark(
        Tone::Warning,
        if reason.is_empty() {
            word.to_owned()
        } else {
            format!("{word}: {reason}")
        },
    )
}

/// A result without its call.
pub(super) fn orphan(place: &Place<'_>, execution: &Execution) -> StepView {
    StepView {
        verb: "Result".to_owned(),
        subject: "of a step that is not in this log".to_owned(),
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
        took: None,
        folded: false,
    }
}

/// Instructions and tools: long, and the same in every conversation, so only their beginnings.
pub(super) fn system(place: &Place<'_>, prompt: &SystemPrompt) -> StepView {
    let whole = place.limits.is_full();
    let (kept, cut) = if whole {
        (prompt.prompt.as_str(), false)
    } else {
        cut::to_lines(&prompt.prompt, 12, 1000)
    };
    let mut blocks = place.code("Instructions", kept, "", false);
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
    for (name, description) in &prompt.tools {
        let description = if whole {
            description.as_str()
        } else {
            first_sentence(description)
        };
        list.push_str("<li><code>");
        hidden::escape(&mut list, name);
        list.push_str("</code> ");
        hidden::escape(
            &mut list,
            cut::to_bytes(description, place.limits.block_bytes).0,
        );
        list.push_str("</li>");
    }
    if !list.is_empty() {
        blocks.push(Block::Prose(format!("<ul>{list}</ul>")));
    }
    StepView {
        verb: "Instructions".to_owned(),
        subject: hidden::plain_line(&prompt.about.join(" · "), 160),
        state: StepState::Done,
        outcome: match prompt.tools.len() {
            0 => String::new(),
            1 => "1 tool".to_owned(),
            number => format!("{number} tools"),
        },
        risk: Risk::Unknown,
        thought: String::new(),
        reasoning: String::new(),
        blocks,
        conversation: None,
        took: None,
        folded: true,
    }
}

fn first_sentence(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    cut::to_bytes(&line[..end], 160).0
}
