//! From what is so to what a page shows.

use super::Hub;
use crate::backend::{ConversationInfo, Runtime};
use crate::conversation::{Draft, Remedy, Row, Session, Status};
use crate::journal::{Described, Known, Outgoing, OutgoingState};
use crate::live::{ConversationSummary, DraftView, OutboxState, OutboxView};
use crate::render::{Limits, RowView, render_row, render_step_in_full};

/// Bytes of a text that is still being written: more than a screen.
const DRAFT_SHOWN: usize = 8 << 10;

/// What a message waits for that is not sent yet.
const UNTIL_READY: &str = "It will be sent when the agent is ready.";
const UNTIL_ANSWERED: &str = "It will be sent when nothing waits for an answer any more.";

impl Hub {
    /// Rows as a timeline shows them.
    pub(super) async fn render(
        &self,
        conversation: &str,
        rows: Vec<Row>,
    ) -> Result<Vec<RowView>, super::HubError> {
        let (id, limits) = (conversation.to_owned(), Limits::short(&self.0.base));
        let mut authors = self
            .journal()
            .authors(conversation, rows.iter().map(|row| row.id).collect())
            .await?;
        super::compute(move || {
            let signed = |row: &Row| RowView {
                by: authors.remove(&row.id),
                ..render_row(row, &id, &limits)
            };
            rows.iter().map(signed).collect()
        })
        .await
    }

    /// Rows with all that they hold.
    pub(super) async fn render_whole(
        &self,
        conversation: &str,
        rows: Vec<Row>,
    ) -> Result<Vec<RowView>, super::HubError> {
        let (id, base) = (conversation.to_owned(), self.0.base.clone());
        super::compute(move || {
            rows.iter()
                .map(|row| render_step_in_full(row, &id, &base))
                .collect()
        })
        .await
    }
}

/// The journal's word for a runtime.
pub(super) fn word_of(runtime: Runtime) -> &'static str {
    match runtime {
        Runtime::Starting => "starting",
        Runtime::Running => "running",
        Runtime::Stopped => "stopped",
        Runtime::Error => "error",
    }
}

/// The runtime that a word of the journal means.
pub(super) fn runtime_of(word: &str) -> Runtime {
    match word {
        "starting" => Runtime::Starting,
        "running" => Runtime::Running,
        "error" => Runtime::Error,
        _ => Runtime::Stopped,
    }
}

/// The runtime to show: 0.62 goes on to say that one starts which did not come up.
pub(super) fn runtime_now(session: &Session, runtime: Runtime) -> Runtime {
    let remedy = session.notice.as_ref().and_then(|notice| notice.remedy);
    if runtime == Runtime::Starting && remedy == Some(Remedy::StartAgain) {
        Runtime::Error
    } else {
        runtime
    }
}

/// The status to show: what a runtime that is down was doing, or was waiting for, it does not any more.
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
        Runtime::Stopped if ended => Status::Stopped,
        _ => status.clone(),
    }
}

/// Whether a runtime is up or on its way: only then anything can be asked of its agent.
pub(super) fn is_up(runtime: Runtime) -> bool {
    matches!(runtime, Runtime::Starting | Runtime::Running)
}

/// What a backend says of a conversation, for the journal.
pub(super) fn described(info: &ConversationInfo, backend: &str) -> Described {
    Described {
        id: info.id.clone(),
        backend: backend.to_owned(),
        title: info.title.clone(),
        runtime: word_of(info.runtime).to_owned(),
        repository: info.repository.clone(),
        branch: info.branch.clone(),
        tags: info.tags.clone(),
        created_at: info.created_at,
        updated_at: info.updated_at,
    }
}

/// A line of the list for a conversation that nobody has open.
pub(super) fn summary(known: &Known) -> ConversationSummary {
    let Known {
        described,
        session,
        excerpt,
        ..
    } = known;
    let runtime = runtime_now(session, runtime_of(&described.runtime));
    let pending = session.pending.as_ref().filter(|_| is_up(runtime));
    let waiting = pending.map_or(0, |pending| pending.calls.len());
    ConversationSummary {
        id: described.id.clone(),
        title: title(&session.title, &described.title),
        status: status_now(&session.status, runtime),
        runtime,
        waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
        excerpt: excerpt.clone(),
        cost: session.metrics.cost,
        repository: described.repository.clone(),
        branch: described.branch.clone(),
        tags: described.tags.clone(),
        backend: described.backend.clone(),
        created_at: described.created_at,
        updated_at: described.updated_at,
    }
}

/// The same, where the backend's list says more than we have read.
pub(super) fn listed(known: &Known, info: &ConversationInfo) -> ConversationSummary {
    let summary = summary(known);
    let Some(status) = &info.status else {
        return summary;
    };
    ConversationSummary {
        waiting: summary
            .waiting
            .max(u32::from(*status == Status::AwaitingConfirmation)),
        status: status_now(status, info.runtime),
        cost: info.cost.unwrap_or(summary.cost),
        ..summary
    }
}

/// The list's title is newer than the log's: a rename of a stopped conversation is in no event.
pub(super) fn title(of_log: &str, of_list: &str) -> String {
    if of_list.is_empty() {
        of_log.to_owned()
    } else {
        of_list.to_owned()
    }
}

/// What the model is writing, as a page shows it: it is sent whole each time, so of a long text the end.
pub(super) fn draft(draft: &Draft) -> DraftView {
    let end = |text: &str| match text.len().checked_sub(DRAFT_SHOWN) {
        None | Some(0) => text.to_owned(),
        Some(over) => format!("…{}", &text[text.ceil_char_boundary(over)..]),
    };
    DraftView {
        reasoning: end(&draft.reasoning),
        text: end(&draft.text),
    }
}

/// A message on its way, as a page shows it; `asks` when something waits for an answer.
pub(super) fn outgoing(message: &Outgoing, asks: bool) -> OutboxView {
    OutboxView {
        client_id: message.client_id.clone(),
        text: message.text.clone(),
        images: u32::try_from(message.images.len()).unwrap_or(u32::MAX),
        state: match message.state {
            OutgoingState::Waiting | OutgoingState::Sending => OutboxState::Sending,
            OutgoingState::Sent | OutgoingState::Done => OutboxState::Sent,
            OutgoingState::Failed => OutboxState::Failed,
            OutgoingState::Indeterminate => OutboxState::Indeterminate,
        },
        why: match message.state {
            OutgoingState::Waiting if asks => UNTIL_ANSWERED.to_owned(),
            OutgoingState::Waiting => UNTIL_READY.to_owned(),
            _ => message.why.clone(),
        },
        by: message.by.clone(),
        at: message.at,
    }
}
