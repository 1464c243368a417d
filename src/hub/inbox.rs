//! The inbox: pending approvals of all conversations.

use super::Reader;
use crate::conversation::Risk;
use crate::live::{ConversationSummary, InboxItem};
use crate::people::{Caller, Right};
use futures_util::future::join_all;
use std::time::Duration;
use tokio::time::timeout;

/// How long a newly opened conversation may take to report its pending approval.
const OPEN_TIMEOUT: Duration = Duration::from_secs(2);

impl Reader {
    /// At most 100 pending approvals. First those that the caller can answer, of these first what is rated high, then what was
    /// passed to them as a deputy; each with what waits longest first. Those that the conversation does not know are left out.
    /// They count as shown to the caller from now on.
    pub async fn inbox(&self, by: &Caller) -> Vec<InboxItem> {
        let items = self.waiting(by).await;
        for item in &items {
            self.seen.handed_out(by.person, &item.approval.token);
        }
        items
    }

    /// The same, without counting the actions as shown.
    pub async fn waiting(&self, by: &Caller) -> Vec<InboxItem> {
        let waiting = self.catalogue.list.waiting_lines(by);
        let items = join_all(waiting.into_iter().map(|one| self.what_waits(by, one))).await;
        let mut items: Vec<InboxItem> = items.into_iter().flatten().collect();
        items.sort_by_key(|item| {
            let one = &item.conversation;
            let escalation = item.approval.escalation.as_ref();
            let is_passed = escalation.is_some_and(|one| one.is_passed_to(by.signature()));
            (
                !item.calls(),
                item.approval.risk() < Risk::High,
                !is_passed,
                item.since(),
                one.id.clone(),
            )
        });
        items
    }

    async fn what_waits(&self, by: &Caller, summary: ConversationSummary) -> Option<InboxItem> {
        let handle = self.actors.handle(&summary.id).await.ok()?;
        let mut session = handle.session.clone();
        let session = timeout(
            OPEN_TIMEOUT,
            session.wait_for(|session| session.approval.is_some()),
        )
        .await;
        let approval = session.ok()?.ok()?.approval.clone()?;
        let role = self.catalogue.list.sharings.role_in(by, &summary.id)?;
        let quiet = !self.catalogue.list.calls(by, &summary);
        Some(InboxItem {
            role,
            answerable: role.may(Right::Answer),
            creator: self.catalogue.list.sharings.of(&summary.id).creator,
            conversation: ConversationSummary { quiet, ..summary },
            approval,
        })
    }
}
