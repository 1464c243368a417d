//! What is told beside the steps: errors of the run, condensations, hooks, remarks, the unknown.

use super::{Limits, Place};
use crate::{
    conversation::{Card, Notice, Tone},
    render::{Block, NoticeView, hidden::plain_line, markdown::plain_html},
};
use serde_json::Value;

/// The notice of a card that is neither a message nor a step.
pub(super) fn notice(place: &Place<'_>, card: &Card) -> NoticeView {
    match card {
        Card::RunError { code, text, remedy } => NoticeView {
            remedy: *remedy,
            ..run_error(place, code, text)
        },
        Card::Condensed { forgotten, summary } => {
            let title = match forgotten {
                Some(1) => "1 older event was condensed".to_owned(),
                Some(number) => format!("{number} older events were condensed"),
                None => "Older events were condensed".to_owned(),
            };
            NoticeView {
                blocks: place.prose_blocks(summary),
                ..plain(Tone::Info, title)
            }
        }
        Card::Hook(hook) => {
            let mut blocks = place.code("Hook", &hook.command, "sh", false);
            if !hook.output.trim().is_empty() {
                blocks.push(place.terminal(&hook.output));
            }
            let (tone, mut title) = if hook.blocked {
                (Tone::Warning, "A hook forbade the step".to_owned())
            } else {
                (Tone::Info, "A hook ran".to_owned())
            };
            if !hook.event.is_empty() {
                title = format!("{title}: {}", plain_line(&hook.event, 80));
            }
            NoticeView {
                blocks,
                ..plain(tone, title)
            }
        }
        Card::Stopped { hard: true } => plain(Tone::Warning, "Stopped now".to_owned()),
        Card::Stopped { hard: false } => plain(Tone::Info, "Paused".to_owned()),
        Card::Note(text) if text.chars().count() > 160 || text.trim().contains('\n') => {
            NoticeView {
                blocks: place.prose_blocks(text),
                ..plain(Tone::Info, "Remark".to_owned())
            }
        }
        Card::Note(text) => plain(Tone::Info, plain_line(text, 160)),
        Card::Unknown { kind, .. } => plain(
            Tone::Info,
            format!("Event of an unknown kind: {}", plain_line(kind, 80)),
        ),
        // The other cards are steps, messages or chips; should one come here it is at least named.
        Card::Message { .. }
        | Card::Call(_)
        | Card::Orphan(_)
        | Card::Recall(_)
        | Card::System(_) => plain(Tone::Info, "Event".to_owned()),
    }
}

/// The JSON of an event that was not understood, as the block behind its notice.
pub fn unknown_json(event: &Value, limits: &Limits) -> Block {
    Place {
        conversation: "",
        limits,
    }
    .json("Event", event, false)
    .swap_remove(0)
}

fn plain(tone: Tone, title: String) -> NoticeView {
    NoticeView {
        tone,
        title,
        html: String::new(),
        blocks: Vec::new(),
        remedy: None,
    }
}

fn run_error(place: &Place<'_>, code: &str, text: &str) -> NoticeView {
    let text = super::cut::to_bytes(text, place.limits.block_bytes).0;
    let mut html = if text.trim().is_empty() {
        String::new()
    } else {
        plain_html(text)
    };
    if !code.is_empty() {
        html.push_str(&plain_html(&plain_line(code, 120)));
    }
    NoticeView {
        html,
        ..plain(Tone::Bad, title_of(code).to_owned())
    }
}

/// A notice that always says something: where upstream sent a code alone, what the code means.
pub fn notice_in_words(notice: &Notice) -> Notice {
    let mut notice = notice.clone();
    if notice.text.trim().is_empty() {
        notice.text = match notice.tone {
            Tone::Info => "The backend prepares the sandbox.".to_owned(),
            _ => format!("{}.", title_of(&notice.code)),
        };
    }
    notice
}

/// What the codes of 0.x and the classes of errors of 1.x mean to a person.
fn title_of(code: &str) -> &'static str {
    match code {
        "STATUS$ERROR_LLM_AUTHENTICATION" => "The model refused the key",
        "STATUS$ERROR_LLM_SERVICE_UNAVAILABLE" => "The model is not available",
        "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR" => "The model failed",
        "STATUS$ERROR_LLM_OUT_OF_CREDITS" => "The account of the model has no credits left",
        "STATUS$ERROR_LLM_CONTENT_POLICY_VIOLATION" => "The model refused the content",
        "STATUS$ERROR_RUNTIME_DISCONNECTED" => "The sandbox is gone",
        "STATUS$ERROR_MEMORY" => "The agent's memory failed",
        "LLMAuthenticationError" => "The model refused the key",
        "LLMRateLimitError" => "The model has had too many requests",
        "LLMServiceUnavailableError" | "LLMTimeoutError" => "The model is not available",
        "LLMBadRequestError" => "The model does not take what it was sent",
        "LLMContextWindowExceedError" => "The conversation is too long for the model",
        "MaxIterationsReached" => "The agent has used up all its steps",
        "AGENT_ERROR$TOO_MANY_CONVERSATIONS" => "Stopped: too many conversations run at once",
        "" => "Error",
        _ => "The run failed",
    }
}
