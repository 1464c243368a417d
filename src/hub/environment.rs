//! The actor's interface to the hub.

use super::HubResult;
use super::renderer::Renderer;
use crate::backend::{Answer, Backend};
use crate::journal::{Journal, Outgoing};
use crate::live::ConversationSummary;
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The surroundings of a conversation.
#[async_trait]
pub(super) trait Environment: Send + Sync {
    fn journal(&self) -> &Journal;

    fn renderer(&self) -> &Renderer;

    /// Runs a task that the server waits for when it ends.
    fn spawn(&self, task: BoxFuture<'static, ()>);

    /// Cancelled when the server ends.
    fn stopping(&self) -> &CancellationToken;

    async fn backend(&self, label: &str) -> Answer<Arc<dyn Backend>>;

    /// The backend with this label, if its protocol is known.
    fn backend_at_hand(&self, label: &str) -> Option<Arc<dyn Backend>>;

    /// Replaces the conversation's entry in the list. `seq`: the newest one, if the entry says no more than the journal.
    fn listed(&self, summary: ConversationSummary, seq: Option<i64>);

    /// Notes that the agent of a conversation has worked.
    fn worked(&self, conversation: &str);

    /// Notes that a person, by their number, has an approval before them.
    fn handed_out(&self, person: i64, token: &str);

    /// Whether the author of a message may still send it.
    async fn may_send(&self, message: &Outgoing, conversation: &str) -> HubResult<bool>;

    /// Removes a conversation whose actor wants to end; `false` if a new user has arrived meanwhile.
    fn retire(&self, conversation: &str) -> bool;
}
