//! Notices beside the steps: failures of the run, condensations, hooks, remarks, unknown events.

use super::Place;
use crate::{
    conversation::{
        Card, Notice, Remedy, SANDBOX_GONE, SANDBOX_NOT_STARTED, TOO_MANY_CONVERSATIONS, Tone,
    },
    render::{Block, NoticeView, hidden::plain_line, markdown::plain_html, text},
    wire::read_json,
};
use std::borrow::Cow;

/// The notice in place of a row whose rendering has failed.
pub(super) fn not_shown() -> NoticeView {
    plain(Tone::Warning, text::not_shown().to_owned())
}

/// The notice for a card that is neither a message nor a step.
pub(super) fn notice(place: &Place<'_>, card: &Card) -> NoticeView {
    match card {
        Card::RunError { code, text, remedy } => NoticeView {
            remedy: remedy_of(*remedy, code, text),
            ..run_error(place, code, text)
        },
        Card::Condensed { forgotten, summary } => {
            let title = match forgotten {
                Some(count) => text::summarized(usize::try_from(*count).unwrap_or(usize::MAX)),
                None => text::summarized_some().to_owned(),
            };
            NoticeView {
                blocks: place.prose_blocks(summary),
                ..plain(Tone::Info, title)
            }
        }
        Card::Hook(hook) => {
            let mut blocks = place.code(text::hook(), &hook.command, "sh", false);
            if !hook.output.trim().is_empty() {
                blocks.push(place.terminal(&hook.output));
            }
            let (tone, mut title) = if hook.blocked {
                (Tone::Warning, text::hook_blocked().to_owned())
            } else {
                (Tone::Info, text::hook_ran().to_owned())
            };
            if !hook.event.is_empty() {
                title = text::because(title, plain_line(&hook.event, 80));
            }
            NoticeView {
                blocks,
                ..plain(tone, title)
            }
        }
        Card::Stopped { hard: true } => plain(Tone::Warning, text::run_stopped().to_owned()),
        Card::Stopped { hard: false } => plain(Tone::Info, text::run_paused().to_owned()),
        Card::Note(text) if text.chars().count() > 160 || text.trim().contains('\n') => {
            NoticeView {
                blocks: place.prose_blocks(text),
                ..plain(Tone::Info, text::note().to_owned())
            }
        }
        Card::Note(text) => plain(Tone::Info, plain_line(text, 160)),
        Card::Unknown { kind, json } => NoticeView {
            blocks: place.unknown(json),
            ..plain(Tone::Info, text::unknown_event(plain_line(kind, 80)))
        },
        // All other cards are rendered elsewhere; should one get here, it is at least named.
        Card::Message { .. }
        | Card::Call(_)
        | Card::Orphan(_)
        | Card::Recall(_)
        | Card::System(_) => plain(Tone::Info, text::event().to_owned()),
    }
}

impl Place<'_> {
    /// The JSON of an unknown event, shown below its notice.
    fn unknown(&self, json: &str) -> Vec<Block> {
        match read_json(json.as_bytes()) {
            Some(event) => self.json(text::event(), &event, false),
            None => self.code(text::event(), json, "", false),
        }
    }
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

/// That a run has ended at a limit of its backend, in a sentence; `None` for another failure. 0.x says so in its reason
/// alone, with the limit as the last number; so does 1.x for steps, beside a code.
fn limit_in_words(code: &str, said: &str) -> Option<String> {
    if code == TOO_MANY_CONVERSATIONS {
        return Some(text::too_many_conversations().to_owned());
    }
    let (reached, cost) = (
        said.contains("Agent reached maximum"),
        said.contains("budget"),
    );
    if code != "MaxIterationsReached" && !(reached && (cost || said.contains("iteration"))) {
        return None;
    }
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    let numbers = said.split(|letter| !is_part(letter));
    let mut numbers = numbers.map(|number| number.trim_matches('.'));
    let limit = numbers.rfind(|number| !number.is_empty());
    Some(match (cost, limit) {
        (true, Some(limit)) => text::cost_limit_of(limit),
        (true, None) => text::cost_limit().to_owned(),
        (false, Some(limit)) => text::step_limit_of(limit),
        (false, None) => text::step_limit().to_owned(),
    })
}

fn run_error(place: &Place<'_>, code: &str, text: &str) -> NoticeView {
    // The backend's sentence says the same again.
    if let Some(title) = limit_in_words(code, text) {
        // What was stopped for a newer conversation has not failed.
        let tone = match code {
            TOO_MANY_CONVERSATIONS => Tone::Warning,
            _ => Tone::Bad,
        };
        return NoticeView {
            html: plain_html(text::goes_on_by_message()),
            ..plain(tone, title)
        };
    }
    // Some reports have a code where the text belongs.
    let (code, text) = match (code, text) {
        ("", text) if is_code(text) => (text.trim(), ""),
        (code, text) if is_code(text) => (code, ""),
        both => both,
    };
    let text = super::cut::to_bytes(text, place.limits.block_bytes).0;
    let mut html = if text.trim().is_empty() {
        advice_for(code).map(plain_html).unwrap_or_default()
    } else {
        let lines: Vec<_> = text.split('\n').map(reason_in_words).collect();
        plain_html(&lines.join("\n"))
    };
    // A code that has no words of its own is the only thing that tells what happened.
    if !code.is_empty() && words_for(code).is_none() {
        let code = plain_line(code, 120);
        html.push_str(&plain_html(&text::reported_code_sentence(code)));
    }
    NoticeView {
        html,
        ..plain(Tone::Bad, title_of(code).to_owned())
    }
}

/// The notice with a text in any case: if upstream sent only a code, the meaning of the code.
pub fn notice_in_words(notice: &Notice) -> Notice {
    let mut notice = notice.clone();
    if is_code(&notice.text) {
        let text = std::mem::take(&mut notice.text);
        if notice.code.is_empty() {
            notice.code = text.trim().to_owned();
        }
    }
    notice.remedy = remedy_of(notice.remedy, &notice.code, &notice.text);
    if let Some(limit) = limit_in_words(&notice.code, &notice.text) {
        notice.text = [&text::sentence(limit), text::goes_on_by_message()].join(" ");
    }
    if notice.text.trim().is_empty() {
        notice.text = match notice.tone {
            Tone::Info => text::preparing().to_owned(),
            _ => text::sentence(title_of(&notice.code)),
        };
    }
    notice
}

/// A reason of the backend in words. A code without words of its own is named in a sentence.
pub fn reason_in_words(reason: &str) -> Cow<'_, str> {
    match words_for(reason) {
        Some(words) => words.into(),
        None if is_code(reason) => {
            let code = plain_line(reason, 120);
            text::reported_code(code).into()
        }
        None => reason.into(),
    }
}

/// Whether a text is a code such as `STATUS$ERROR`, rather than words.
fn is_code(text: &str) -> bool {
    let text = text.trim();
    let Some((start, end)) = text.split_once('$') else {
        return false;
    };
    let is_word = |word: &str| {
        let mut letters = word.chars();
        !word.is_empty() && letters.all(|letter| letter == '_' || letter.is_ascii_uppercase())
    };
    is_word(start) && is_word(end)
}

/// What to do about a failure of which the backend says no more than its code.
fn advice_for(code: &str) -> Option<&'static str> {
    matches!(
        code,
        "STATUS$ERROR_LLM_SERVICE_UNAVAILABLE" | "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR"
    )
    .then(text::model_advice)
}

fn title_of(code: &str) -> &'static str {
    match code {
        "" => text::error(),
        code => words_for(code).unwrap_or(text::run_failed()),
    }
}

/// What a person can do about a failure: what its backend has `told`, or what follows from its code.
fn remedy_of(told: Option<Remedy>, code: &str, said: &str) -> Option<Remedy> {
    // What was stopped starts with a message.
    if code != TOO_MANY_CONVERSATIONS && limit_in_words(code, said).is_some() {
        return Some(Remedy::Retry);
    }
    told.or(match code {
        "STATUS$ERROR_LLM_AUTHENTICATION" | "STATUS$ERROR_LLM_OUT_OF_CREDITS" => {
            Some(Remedy::Settings)
        }
        "STATUS$ERROR_LLM_SERVICE_UNAVAILABLE" | "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR" => {
            Some(Remedy::Retry)
        }
        _ => None,
    })
}

/// Words for the error codes of 0.x and the error classes of 1.x.
fn words_for(code: &str) -> Option<&'static str> {
    Some(match code {
        "STATUS$ERROR_LLM_AUTHENTICATION" => text::model_key(),
        "STATUS$ERROR_LLM_SERVICE_UNAVAILABLE" => text::model_unavailable(),
        "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR" => text::model_failed(),
        "STATUS$ERROR_LLM_OUT_OF_CREDITS" => text::model_credits(),
        "STATUS$ERROR_LLM_CONTENT_POLICY_VIOLATION" => text::model_content(),
        "STATUS$ERROR_RUNTIME_DISCONNECTED" => text::sandbox_disconnected(),
        "STATUS$ERROR" => text::run_failed(),
        "STATUS$LLM_RETRY" => text::model_retry(),
        "STATUS$GIT_PROVIDER_AUTHENTICATION_ERROR" => text::git_login(),
        "STATUS$ERROR_MEMORY" => text::memory_failed(),
        "LLMAuthenticationError" => text::model_key(),
        "LLMRateLimitError" => text::model_limit(),
        "LLMServiceUnavailableError" | "LLMTimeoutError" => text::model_unavailable(),
        "LLMBadRequestError" => text::model_request(),
        "LLMContextWindowExceedError" => text::model_context(),
        "MaxIterationsReached" => text::step_limit(),
        SANDBOX_GONE => text::sandbox_gone(),
        SANDBOX_NOT_STARTED => text::sandbox_not_started(),
        TOO_MANY_CONVERSATIONS => text::too_many_conversations(),
        "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED" => text::agent_stopped(),
        _ => return None,
    })
}
