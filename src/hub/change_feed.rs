//! What has changed in the list, for notifications.

use super::{Actors, List};
use crate::conversation::Risk;
use crate::live::{ApprovalView, ConversationSummary};
use crate::people::Caller;
use crate::render::CardView;
use std::sync::Arc;

/// The changes of the list, as notifications need them.
pub struct ChangeFeed {
    pub(super) list: Arc<List>,
    pub(super) actors: Arc<Actors>,
}

/// A pending approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenApproval {
    /// Its token.
    pub token: String,
    /// The highest risk of its actions; unknown if that of one of them is.
    pub risk: Risk,
    /// Whether approving it needs a touch of a passkey.
    pub touch: bool,
    /// When it was passed to deputies, in milliseconds since the Unix epoch, and their names.
    pub passed: Option<(i64, Vec<String>)>,
}

/// A conversation that has changed.
#[derive(Debug, Clone)]
pub struct Change {
    /// Id of the conversation.
    pub id: String,
    /// Its entry in the list; `None` if it was deleted.
    pub summary: Option<ConversationSummary>,
    /// The approval that can be answered, if the conversation is open and has one.
    pub asked: Option<OpenApproval>,
    /// Whether the agent has worked since the last change.
    pub worked: bool,
    /// Whether it was created here since the last change.
    pub created: bool,
}

impl ChangeFeed {
    /// Waits for changes of the list, and returns all since the last call.
    pub async fn next(&self) -> Vec<Change> {
        let changed = self.list.changes.next().await;
        let mut changes = Vec::with_capacity(changed.len());
        for (id, since) in changed {
            changes.push(Change {
                worked: since.worked,
                created: since.created,
                ..self.of(&id).await
            });
        }
        changes
    }

    /// What a conversation is now.
    pub async fn of(&self, id: &str) -> Change {
        let summary = self.list.line_of(id).await.unwrap_or_else(|error| {
            tracing::warn!(conversation = id, %error, "a changed line of the list could not be read");
            None
        });
        let handle = self.actors.open_handle(id);
        let asked = handle.and_then(|handle| {
            let session = handle.session.borrow();
            session.approval.as_ref().and_then(asked)
        });
        Change {
            id: id.to_owned(),
            summary,
            asked,
            worked: false,
            created: false,
        }
    }

    /// Opens a conversation, so that its actor reports the pending approval.
    pub async fn open(&self, id: &str) {
        if let Err(error) = self.actors.handle(id).await {
            tracing::info!(conversation = id, %error, "a conversation could not be opened for its notifications");
        }
    }

    /// Whether a caller is told about a conversation that was created by this person, or shared with them by name.
    pub fn concerns(&self, by: &Caller, id: &str, shared: bool) -> bool {
        let sharing = self.list.sharings.of(id);
        let is_named = |name: &str| name.eq_ignore_ascii_case(&by.name);
        sharing.creator.is_empty()
            || is_named(&sharing.creator)
            || (shared && sharing.with.iter().any(|share| is_named(&share.name)))
    }
}

/// An approval that was not answered yet.
fn asked(approval: &ApprovalView) -> Option<OpenApproval> {
    let risk = |card: &CardView| match card {
        CardView::Step(step) => step.risk,
        _ => Risk::Unknown,
    };
    let mut risks = approval.rows.iter().map(|row| risk(&row.card));
    let highest = risks.clone().max().unwrap_or_default();
    let risk = match risks.any(|risk| risk == Risk::Unknown) {
        true => Risk::Unknown,
        false => highest,
    };
    let token = approval.token.clone();
    let escalation = approval.escalation.as_ref();
    let passed = escalation.and_then(|one| Some((one.told_at?, one.told.clone())));
    (!approval.answering).then_some(OpenApproval {
        token,
        risk,
        touch: approval.touch,
        passed,
    })
}
