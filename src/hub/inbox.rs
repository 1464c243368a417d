//! What waits for a yes or a no, over all conversations.

use super::{Hub, lock};
use crate::live::{ConversationSummary, InboxItem};
use crate::people::{Caller, Right};
use futures_util::future::join_all;
use std::cmp::Reverse;
use std::time::Duration;
use tokio::time::timeout;

/// How long a conversation that was just opened may take to say what waits in it.
const LOOK: Duration = Duration::from_secs(2);

impl Hub {
    /// Everything that waits, the newest first. What the list says waits and the conversation itself does
    /// not know of is left out: it could not be answered.
    pub async fn inbox(&self, by: &Caller) -> Vec<InboxItem> {
        let waiting = {
            let summaries = lock(&self.0.list.summaries);
            let waiting = summaries
                .values()
                .filter(|one| one.waiting > 0 && self.sees(by, &one.id));
            waiting.cloned().collect::<Vec<ConversationSummary>>()
        };
        let items = join_all(waiting.into_iter().map(|one| self.what_waits(by, one))).await;
        let mut items: Vec<InboxItem> = items.into_iter().flatten().collect();
        items.sort_by_key(|item| {
            (
                Reverse(item.conversation.updated_at),
                item.conversation.id.clone(),
            )
        });
        items
    }

    /// In how many conversations something waits.
    pub fn waiting(&self, by: &Caller) -> usize {
        let summaries = lock(&self.0.list.summaries);
        let waiting = summaries
            .values()
            .filter(|one| one.waiting > 0 && self.sees(by, &one.id));
        waiting.count()
    }

    async fn what_waits(
        &self,
        by: &Caller,
        conversation: ConversationSummary,
    ) -> Option<InboxItem> {
        let room = self.room(&conversation.id).await.ok()?;
        let mut session = room.session.clone();
        let session = timeout(LOOK, session.wait_for(|session| session.approval.is_some())).await;
        let approval = session.ok()?.ok()?.approval.clone()?;
        let role = self.role_in(by, &conversation.id)?;
        Some(InboxItem {
            answerable: role.may(Right::Answer),
            starter: self.sharing(&conversation.id).starter,
            conversation,
            approval,
        })
    }
}
