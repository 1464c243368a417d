//! Which conversations there are, on which backend each lives, and who has created it.
//!
//! Commands and polling go before requests for a reader, and each user has a limit of concurrent requests: readers never
//! delay commands.

use super::deletions::Reading;
use super::{
    AuditTrail, BackendRegistry, Creations, Finding, HubError, HubResult, List, Unread, check_id,
    known, view,
};
use crate::backend::{Backend, BackendError, ConversationInfo, for_guess, for_reader};
use crate::conversation::is_id;
use crate::journal::{ConversationMeta, Journal};
use crate::live::IMPORTED;
use crate::people::{Audience, Caller, Role, Share, Sharing};
use std::sync::Arc;

/// The conversations that there are.
pub struct Catalogue {
    pub(super) journal: Journal,
    pub(super) audit: Arc<AuditTrail>,
    pub(super) backends: Arc<BackendRegistry>,
    pub(super) list: Arc<List>,
    pub(super) unread: Arc<Unread>,
    pub(super) creations: Creations,
    pub(super) finding: Finding,
}

impl Catalogue {
    /// Runs a request for a user, within the user's limit and with low priority.
    pub async fn look_up<T>(&self, by: &Caller, work: impl Future<Output = T>) -> T {
        let _permit = self.finding.permits.take(by.person).await;
        for_reader(work).await
    }

    /// Looks for an unknown id for a user, one at a time and after everything else.
    pub(super) async fn guess<T>(&self, by: &Caller, work: impl Future<Output = T>) -> T {
        let _permit = self.finding.guesses.take(by.person).await;
        for_guess(work).await
    }

    /// Adds an unlisted conversation if a backend knows it.
    pub(super) async fn query_all_backends(&self, id: &str, reading: &Arc<Reading>) -> HubResult {
        if self.finding.is_missing(id) {
            return Err(HubError::NotFound("conversation"));
        }
        let mut missing = HubError::NotFound("conversation");
        for one in self.backends.connected() {
            let label = one.target.label();
            let found = async {
                let backend = self.backends.backend(&label).await?;
                backend.conversation(id).await.map_err(HubError::from)
            };
            match found.await {
                // Backends know some ids under other spellings too: there is one of each conversation.
                Ok(Some(info)) if info.id == id => {
                    self.creations.ended(&label).await;
                    self.inherit(std::slice::from_ref(&info)).await?;
                    let meta = vec![view::meta_of(&info, &label)];
                    return self.describe(reading, meta).await;
                }
                Ok(_) | Err(HubError::Backend(BackendError::Invalid(_))) => {}
                // It may well be there.
                Err(error) => missing = error,
            }
        }
        if matches!(missing, HubError::NotFound(_)) {
            self.finding.miss(id);
        }
        Err(missing)
    }

    /// Stores what was read of conversations, except those that were deleted since.
    pub(super) async fn describe(
        &self,
        reading: &Arc<Reading>,
        meta: Vec<ConversationMeta>,
    ) -> HubResult {
        let reading = Arc::clone(reading);
        let outdated = move |id: &str| reading.is_outdated(id);
        Ok(self.journal.describe_unless(meta, outdated).await?)
    }

    /// The role of a caller in a conversation that may not be in a list yet: the backends are asked for it.
    ///
    /// # Errors
    /// A backend did not respond, and no other one knows the conversation.
    pub async fn find_role(&self, by: &Caller, id: &str) -> HubResult<Option<Role>> {
        let is_new = by.visit().is_none() && is_id(id) && !self.list.sharings.knows(id);
        if is_new {
            let reading = self.list.deletions.begin_reading();
            match self.guess(by, self.query_all_backends(id, &reading)).await {
                Ok(()) | Err(HubError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.list.sharings.role_in(by, id))
    }

    /// Stores the creator of a conversation, and its original if it is a fork. A fork inherits the original's access.
    pub(super) async fn store_creator(
        &self,
        id: &str,
        creator: &str,
        of: Option<&str>,
    ) -> HubResult {
        let _one_at_a_time = self.list.sharings.changing.lock().await;
        let mut sharing = of.map_or_else(Sharing::default, |of| self.list.sharings.of(of));
        let before = std::mem::replace(&mut sharing.creator, creator.to_owned());
        if sharing.audience == Audience::Some && !before.is_empty() && before != creator {
            let (name, role) = (before, None);
            sharing.with.push(Share { name, role });
        }
        if sharing == Sharing::default() {
            return Ok(());
        }
        self.keep_sharing(id, sharing).await
    }

    /// Lets forks that were created elsewhere inherit the access of their originals.
    pub(super) async fn inherit(&self, listed: &[ConversationInfo]) -> HubResult {
        for info in listed {
            let _one_at_a_time = self.list.sharings.changing.lock().await;
            let made = info
                .made_from
                .as_ref()
                .filter(|_| !self.list.sharings.knows(&info.id));
            let sharing = made.map_or_else(Sharing::default, |of| self.list.sharings.of(of));
            if sharing != Sharing::default() {
                self.keep_sharing(&info.id, sharing).await?;
            }
        }
        Ok(())
    }

    /// Stores who may see a conversation; the caller holds `changing`.
    pub(super) async fn keep_sharing(&self, id: &str, sharing: Sharing) -> HubResult {
        self.list.sharings.keep(id, sharing).await?;
        self.list.relist(id, None).await;
        Ok(())
    }

    /// The backend that a conversation lives on.
    pub(super) async fn backend_of(&self, id: &str) -> HubResult<Arc<dyn Backend>> {
        check_id(id)?;
        let label = match self.list.line_of(id).await? {
            Some(line) => line.backend,
            None => known(&self.journal, id).await?.meta.backend,
        };
        match self.backends.connected_as(&label) {
            Ok(connected) => self.backends.waited_for(connected).await,
            Err(_) if label == IMPORTED => Err(HubError::Imported),
            Err(_) => Err(HubError::Elsewhere(label)),
        }
    }

    /// The title of a conversation in quotation marks, or the id of one that the caller does not see.
    pub async fn name_of(&self, by: &Caller, id: &str) -> String {
        let entry = match self.list.sharings.sees(by, id) {
            true => self.list.line_of(id).await.ok().flatten(),
            false => None,
        };
        entry.map_or_else(|| id.to_owned(), |entry| format!("“{}”", entry.title))
    }
}
