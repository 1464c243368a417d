//! Who may see each conversation, and in which role.
//!
//! The journal has it, and memory has that of the conversations that were asked for last, so that a check is immediate.
//! Invariant: nobody sees a conversation that the journal does not have, not even owners.

use super::{HubResult, invalid, lock};
use crate::journal::{Journal, Outgoing, SharingRecord};
use crate::people::{Audience, Caller, Credential, Role, Share, Sharing};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// Conversations in memory, with about 150 bytes each. Beyond that, all are read again when they are asked for.
const KEPT: usize = 20_000;

/// Who may see each conversation.
pub struct Sharings {
    journal: Journal,
    known: Mutex<HashMap<String, Arc<Sharing>>>,
    changes: watch::Sender<u64>,
    /// Held during a change, so that each change starts from the result of the previous one.
    pub(super) changing: tokio::sync::Mutex<()>,
}

impl Sharings {
    pub(super) fn new(journal: Journal) -> Self {
        Self {
            journal,
            known: Mutex::default(),
            changes: watch::Sender::default(),
            changing: tokio::sync::Mutex::default(),
        }
    }

    fn insert(known: &mut HashMap<String, Arc<Sharing>>, id: &str, sharing: Arc<Sharing>) {
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(id.to_owned(), sharing);
    }

    /// A caller's role in a conversation. `None`: the conversation does not exist for this caller.
    pub fn role_in(&self, by: &Caller, id: &str) -> Option<Role> {
        if let Some(visit) = by.visit() {
            return (visit.conversation == id).then_some(by.role);
        }
        let role = self.sharing_of(id)?.role_of(&by.name, by.role)?;
        // A token allows what it says and no more, wherever it is used.
        Some(match by.credential {
            Credential::Token(_) | Credential::ApiToken(..) => role.min(by.role),
            _ => role,
        })
    }

    /// Whether the author of a message that waits may still write in a conversation.
    pub(super) async fn may_still_send(&self, message: &Outgoing, id: &str) -> HubResult<bool> {
        // A user at the machine itself.
        if message.by.is_empty() {
            return Ok(true);
        }
        let person = self.journal.person(&message.by).await?;
        let Some(person) = person.filter(|person| !person.disabled) else {
            return Ok(false);
        };
        // A word that we do not know allows the least.
        let role = person.role.parse().unwrap_or_default();
        let here = self.of(id).role_of(&person.name, role);
        Ok(here.is_some_and(|role| role.may(message.right())))
    }

    /// Whether the journal has a conversation. An import under way is known to nobody.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.sharing_of(id).is_some()
    }

    /// Whether a caller may see a conversation.
    pub fn sees(&self, by: &Caller, id: &str) -> bool {
        self.role_in(by, id).is_some()
    }

    /// Whether a caller may see all conversations that there are.
    pub(super) async fn sees_all(&self, by: &Caller) -> HubResult<bool> {
        Ok(match (by.visit(), by.role) {
            (Some(_), _) => false,
            (None, Role::Owner) => true,
            (None, _) => self.journal.hidden_from(&by.name, 1).await?.is_empty(),
        })
    }

    /// Which conversations a caller may see, as it is now.
    pub(super) async fn seen_by(
        &self,
        by: &Caller,
    ) -> HubResult<impl Fn(&str) -> bool + Send + 'static + use<>> {
        let only = by.visit().map(|visit| visit.conversation.clone());
        let hidden = match (&only, by.role) {
            (Some(_), _) | (None, Role::Owner) => HashSet::new(),
            (None, _) => self.journal.hidden_from(&by.name, u32::MAX).await?,
        };
        Ok(move |id: &str| match &only {
            Some(only) => only == id,
            None => !hidden.contains(id),
        })
    }

    /// The creator of a conversation, and who may see it.
    pub fn of(&self, id: &str) -> Sharing {
        let known = self.sharing_of(id);
        known.map_or_else(Sharing::default, |sharing| (*sharing).clone())
    }

    fn sharing_of(&self, id: &str) -> Option<Arc<Sharing>> {
        // It is read under the lock: what is stored meanwhile comes into memory after it.
        let mut known = lock(&self.known);
        if let Some(sharing) = known.get(id) {
            return Some(Arc::clone(sharing));
        }
        match self.journal.sharing(id) {
            Ok(record) => {
                let sharing = Arc::new(sharing_in(record?));
                Self::insert(&mut known, id, Arc::clone(&sharing));
                Some(sharing)
            }
            Err(error) => {
                tracing::warn!(conversation = id, %error, "who may see it is not known: nobody, for now");
                None
            }
        }
    }

    /// Changes whenever any access changes.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Checks that the caller may share a conversation: its creator, or an owner.
    ///
    /// Errors: [`super::HubError::Invalid`] for everybody else.
    pub fn may_share(&self, by: &Caller, id: &str) -> HubResult {
        if self.of(id).is_of(by.signature(), by.role) {
            return Ok(());
        }
        invalid("Only the creator of this conversation and owners can share it.")
    }

    pub(super) async fn keep(&self, id: &str, sharing: Sharing) -> HubResult {
        let role = |share: &Share| share.role.map_or("", Role::word).to_owned();
        let with = sharing.with.iter();
        let with = with.map(|share| (share.name.clone(), role(share)));
        let record = SharingRecord {
            conversation: id.to_owned(),
            creator: sharing.creator.clone(),
            audience: sharing.audience.word().to_owned(),
            with: with.collect(),
        };
        self.journal.keep_sharing(record).await?;
        Self::insert(&mut lock(&self.known), id, Arc::new(sharing));
        self.changes.send_modify(|change| *change += 1);
        Ok(())
    }
}

/// A record as the access that it grants.
pub(super) fn sharing_in(record: SharingRecord) -> Sharing {
    let share = |(name, role): (String, String)| Share {
        name,
        // A word that we do not know allows the least.
        role: (!role.is_empty()).then(|| role.parse().unwrap_or_default()),
    };
    Sharing {
        creator: record.creator,
        // An unknown word selects the smallest audience.
        audience: Audience::from_word(&record.audience).unwrap_or(Audience::Creator),
        with: record.with.into_iter().map(share).collect(),
    }
}
