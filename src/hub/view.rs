//! Converts the internal state into what pages show.

use crate::backend::{ConversationInfo, Runtime};
use crate::conversation::{Draft, Remedy, Session, Status};
use crate::journal::{ConversationMeta, Known, Line, Outgoing, OutgoingState};
use crate::live::{ConversationSummary, DraftView, OutboxState, OutboxView};
use crate::render::{first_line, silent_in_words, stuck_in_words};
use std::borrow::Cow;

/// Bytes of a text that is still being written: more than a screen.
const DRAFT_SHOWN: usize = 8 << 10;

/// Characters of the excerpt of a conversation in a list.
const EXCERPT_SHOWN: usize = 160;

/// Why a message was not sent yet.
pub(super) const UNTIL_READY: &str = "It will be sent when the agent is ready.";
pub(super) const UNTIL_ANSWERED: &str = "It will be sent when no approval is pending.";
pub(super) const UNTIL_STARTED: &str = "It will be sent when the sandbox has started.";

/// The state of the sandbox to show: backends keep reporting a sandbox as starting that failed to start.
pub(super) fn runtime_now(session: &Session, runtime: Runtime) -> Runtime {
    let remedy = session.notice.as_ref().and_then(|notice| notice.remedy);
    match runtime.is_coming_up() && remedy == Some(Remedy::StartAgain) {
        true => Runtime::Error,
        false => runtime,
    }
}

/// The status to show: without a sandbox, the agent neither works nor waits for an approval.
pub(super) fn status_now(status: &Status, runtime: Runtime) -> Status {
    let ended = matches!(
        status,
        Status::Loading
            | Status::Running
            | Status::AwaitingConfirmation
            | Status::Confirmed
            | Status::UserRejected
    );
    match runtime {
        Runtime::Error if ended => Status::Error,
        Runtime::Stopped | Runtime::Paused | Runtime::Gone if ended => Status::Stopped,
        _ => status.clone(),
    }
}

/// That the agent may be stuck, in a sentence: by its session, or because it has been silent for some minutes. An agent
/// that does nothing is not stuck.
pub(super) fn stuck_now(session: &Session, status: &Status, silent: Option<u64>) -> Option<String> {
    use Status::{AwaitingConfirmation, Confirmed, Error, RateLimited, Running, Stuck};
    match status {
        Running | Confirmed | AwaitingConfirmation | RateLimited | Stuck | Error => {
            let silent = silent.filter(|_| *status == Running);
            let stuck = session.stuck().map(|stuck| stuck_in_words(&stuck));
            stuck.or(silent.map(silent_in_words))
        }
        _ => None,
    }
}

/// A list entry of an agent that may be stuck: it needs a person.
pub(super) fn marked(summary: ConversationSummary, stuck: Option<String>) -> ConversationSummary {
    match stuck {
        Some(excerpt) if matches!(summary.status, Status::Running | Status::Stuck) => {
            ConversationSummary {
                status: Status::Stuck,
                excerpt,
                ..summary
            }
        }
        _ => summary,
    }
}

/// Whether a sandbox is up or starting: only then its agent can be asked anything.
pub(super) fn is_up(runtime: Runtime) -> bool {
    runtime == Runtime::Running || runtime.is_coming_up()
}

/// Whether the agent is active, of which only the connection reports details.
pub(super) fn is_busy(info: &ConversationInfo) -> bool {
    use Status::{AwaitingConfirmation, Confirmed, Running};
    let is_busy = |status: &Status| matches!(status, Running | AwaitingConfirmation | Confirmed);
    info.runtime == Runtime::Running && info.status.as_ref().is_none_or(is_busy)
}

/// A backend's information about a conversation, in the journal's form.
pub(super) fn meta_of(info: &ConversationInfo, backend: &str) -> ConversationMeta {
    ConversationMeta {
        id: info.id.clone(),
        backend: backend.to_owned(),
        title: short(&info.title),
        runtime: info.runtime.word().to_owned(),
        repository: info.repository.as_deref().map(short),
        branch: info.branch.as_deref().map(short),
        tags: info.tags.clone(),
        created_at: info.created_at,
        updated_at: info.updated_at,
    }
}

/// Shortens a text of a conversation for its list entry.
fn short(said: &str) -> String {
    said.chars().take(300).collect()
}

/// A text without the name of a rehearsal's script, `[[scenario:NAME]]`, which people may type.
fn without_scenario(said: &str) -> Cow<'_, str> {
    let parts = said.split_once("[[scenario:").and_then(|(before, rest)| {
        let (_, after) = rest.split_once("]]")?;
        Some((before.trim_end(), after))
    });
    parts.map_or(said.into(), |(before, after)| {
        [before, after].concat().into()
    })
}

/// Whether an approval has ended without an answer. Without a sandbox nobody can give one.
pub(super) fn lapsed(session: &Session, runtime: Runtime) -> bool {
    session.lapsed() || (session.pending.is_some() && !is_up(runtime))
}

/// A list entry for a conversation without an actor.
pub(super) fn summary(known: &Known) -> ConversationSummary {
    let (meta, session) = (&known.meta, &known.session);
    let runtime = runtime_now(session, Runtime::of(&meta.runtime));
    let pending = session.pending.as_ref().filter(|_| is_up(runtime));
    let waiting = pending.map_or(0, |pending| pending.calls.len());
    let status = status_now(&session.status, runtime);
    let stuck = stuck_now(session, &status, None);
    let asks = waiting > 0 || status == Status::AwaitingConfirmation;
    // Of an agent at work, what it does says more than what was said last.
    let does = session.works_on().filter(|_| status == Status::Running);
    let summary = ConversationSummary {
        id: meta.id.clone(),
        title: title(&session.title, &meta.title),
        status,
        runtime,
        waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
        excerpt: first_line(
            &without_scenario(does.unwrap_or(&known.excerpt)),
            EXCERPT_SHOWN,
        ),
        cost: session.metrics.cost,
        repository: meta.repository.clone(),
        branch: meta.branch.clone(),
        tags: meta.tags.clone(),
        backend: meta.backend.clone(),
        creator: String::new(),
        created_at: meta.created_at,
        updated_at: meta.updated_at,
        newest: known.newest_row,
        seen: None,
        lapsed: lapsed(session, runtime),
        archived: known.archived && !asks,
        approved_by: String::new(),
        escalation: None,
        quiet: false,
    };
    marked(summary, stuck)
}

/// The same, if the backend's list is newer than the journal.
pub(super) fn listed(known: &Known, info: &ConversationInfo) -> ConversationSummary {
    let summary = summary(known);
    let Some(status) = &info.status else {
        return summary;
    };
    let waits = u32::from(*status == Status::AwaitingConfirmation);
    ConversationSummary {
        waiting: summary.waiting.max(waits),
        status: status_now(status, info.runtime),
        cost: info.cost.unwrap_or(summary.cost),
        ..summary
    }
}

/// A list entry, for the journal; `seq` as in [`Line::seq`].
pub(super) fn line(summary: &ConversationSummary, seq: Option<i64>) -> Line {
    Line {
        id: summary.id.clone(),
        shown: serde_json::to_string(summary).expect("a summary is plain data"),
        title: summary.title.to_lowercase(),
        words: summary.words(),
        backend: summary.backend.clone(),
        place: summary.repository.clone(),
        home: summary.home().to_owned(),
        tags: summary.tags.labels().collect(),
        created_at: summary.created_at,
        updated_at: summary.updated_at,
        needs: summary.needs_you(),
        asks: summary.asks(),
        up: summary.runtime != Runtime::Stopped,
        runs: is_up(summary.runtime),
        state: summary.state().word().to_owned(),
        lapsed: summary.lapsed,
        archived: summary.archived,
        seq,
    }
}

/// The list's title is newer than the log's: a rename of a stopped conversation is in no event.
pub(super) fn title(of_log: &str, of_list: &str) -> String {
    let newest = if of_list.is_empty() { of_log } else { of_list };
    newest.to_owned()
}

/// What the model is writing, as a page shows it: it is sent whole each time, so of a long text the end.
pub(super) fn draft(draft: &Draft) -> DraftView {
    let end = |text: &str| match text.len().checked_sub(DRAFT_SHOWN) {
        None | Some(0) => text.to_owned(),
        Some(over) => format!("…{}", &text[text.ceil_char_boundary(over)..]),
    };
    let (reasoning, text) = (end(&draft.reasoning), end(&draft.text));
    DraftView { reasoning, text }
}

/// An outgoing message, as a page shows it; `until` names what a waiting one waits for.
pub(super) fn outgoing(message: &Outgoing, until: &str) -> OutboxView {
    OutboxView {
        client_id: message.client_id.clone(),
        text: message.text.clone(),
        images: u32::try_from(message.images.len()).unwrap_or(u32::MAX),
        state: match message.state {
            OutgoingState::Waiting | OutgoingState::Sending => OutboxState::Sending,
            OutgoingState::Sent | OutgoingState::Unread | OutgoingState::Done => OutboxState::Sent,
            OutgoingState::Failed => OutboxState::Failed,
            OutgoingState::Indeterminate => OutboxState::Indeterminate,
        },
        why: match message.state {
            OutgoingState::Waiting => until.to_owned(),
            _ => message.why.clone(),
        },
        by: message.by.clone(),
        at: message.at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_of_a_rehearsal_is_no_part_of_an_excerpt() {
        for (said, shown) in [
            ("Work [[scenario:long:7]]", "Work"),
            ("[[scenario:hello]]", ""),
            ("Do [[scenario:hello]] now", "Do now"),
            ("[[scenario:", "[[scenario:"),
        ] {
            assert_eq!(without_scenario(said), shown);
        }
    }
}
