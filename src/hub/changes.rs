//! Conversations that have changed in the list, for notifications.
//!
//! A change says what is so now, so that a slow reader misses none. What was so in between is lost, except that the
//! agent has worked.

use super::{Hub, lock};
use crate::conversation::Risk;
use crate::live::{ApprovalView, ConversationSummary};
use crate::people::Caller;
use crate::render::CardView;
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::Notify;

/// The conversations whose changes were not read yet.
#[derive(Default)]
pub(super) struct Changes {
    since: Mutex<HashMap<String, Since>>,
    woken: Notify,
}

/// What has happened in a conversation since its last change was read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Since {
    worked: bool,
    created: bool,
}

impl Since {
    /// Only the list has changed.
    pub(super) const NOTHING: Self = Self {
        worked: false,
        created: false,
    };
    /// The agent has worked.
    pub(super) const WORKED: Self = Self {
        worked: true,
        created: false,
    };
    /// It was created here, with a task.
    pub(super) const CREATED: Self = Self {
        worked: true,
        created: true,
    };
}

/// A pending approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenApproval {
    /// Its token.
    pub token: String,
    /// The highest risk of its actions; unknown if that of one of them is.
    pub risk: Risk,
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

impl Changes {
    /// Notes that a conversation has changed.
    pub(super) fn note(&self, id: &str, what: Since) {
        let mut since = lock(&self.since);
        let change = since.entry(id.to_owned()).or_default();
        change.worked |= what.worked;
        change.created |= what.created;
        drop(since);
        self.woken.notify_one();
    }
}

impl Hub {
    /// Waits for changes of the list, and returns all since the last call.
    pub async fn list_changes(&self) -> Vec<Change> {
        loop {
            let changed = std::mem::take(&mut *lock(&self.0.changes.since));
            if !changed.is_empty() {
                let mut changes = Vec::with_capacity(changed.len());
                for (id, since) in changed {
                    changes.push(Change {
                        worked: since.worked,
                        created: since.created,
                        ..self.change_of(&id).await
                    });
                }
                return changes;
            }
            self.0.changes.woken.notified().await;
        }
    }

    /// What a conversation is now.
    pub async fn change_of(&self, id: &str) -> Change {
        let summary = self.line_of(id).await.unwrap_or_else(|error| {
            tracing::warn!(conversation = id, %error, "a changed line of the list could not be read");
            None
        });
        let handle = self.open_handle(id);
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
    pub async fn open_for_notification(&self, id: &str) {
        if let Err(error) = self.handle(id).await {
            tracing::info!(conversation = id, %error, "a conversation could not be opened for its notifications");
        }
    }

    /// Whether a caller is told about a conversation that was created by this person, or shared with them by name.
    pub fn concerns(&self, by: &Caller, id: &str, shared: bool) -> bool {
        let sharing = self.sharing(id);
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
    (!approval.answering).then_some(OpenApproval { token, risk })
}
