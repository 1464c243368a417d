//! Who may see each conversation, and in which role.
//!
//! The journal has it, and memory has that of the conversations that were asked for last, so that a check is immediate.
//! Invariant: nobody sees a conversation that the journal does not have, not even owners.
//! Long because all changes of who sees a conversation are here.

use super::{Hub, HubError, HubResult, invalid, lock};
use crate::backend::ConversationInfo;
use crate::conversation::is_id;
use crate::journal::{Outgoing, SharingRecord};
use crate::people::{Audience, AuditAction, Caller, Credential, Role, Share, Sharing};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// Most people that a conversation is shared with by name.
const MOST: usize = 100;
/// Conversations in memory, with about 150 bytes each. Beyond that, all are read again when they are asked for.
const KEPT: usize = 20_000;

#[derive(Default)]
pub(super) struct Sharings {
    known: Mutex<HashMap<String, Arc<Sharing>>>,
    changes: watch::Sender<u64>,
    /// Held during a change, so that each change starts from the result of the previous one.
    changing: tokio::sync::Mutex<()>,
}

impl Sharings {
    fn insert(known: &mut HashMap<String, Arc<Sharing>>, id: &str, sharing: Arc<Sharing>) {
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(id.to_owned(), sharing);
    }
}

impl Hub {
    /// A caller's role in a conversation. `None`: the conversation does not exist for this caller.
    pub fn role_in(&self, by: &Caller, id: &str) -> Option<Role> {
        if let Some(visit) = by.visit() {
            return (visit.conversation == id).then_some(by.role);
        }
        let role = self.sharing_of(id)?.role_of(&by.name, by.role)?;
        // A token allows what it says and no more, wherever it is used.
        Some(match by.credential {
            Credential::Token(_) => role.min(by.role),
            _ => role,
        })
    }

    /// The same for a conversation that may not be in a list yet: the backends are asked for it.
    ///
    /// # Errors
    /// A backend did not respond, and no other one knows the conversation.
    pub async fn find_role(&self, by: &Caller, id: &str) -> HubResult<Option<Role>> {
        let is_new = by.visit().is_none() && is_id(id) && !self.knows(id);
        if is_new {
            let reading = self.0.deletions.begin_reading();
            match self.guess(by, self.query_all_backends(id, &reading)).await {
                Ok(()) | Err(HubError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.role_in(by, id))
    }

    pub(super) async fn may_still_send(&self, message: &Outgoing, id: &str) -> HubResult<bool> {
        // A user at the machine itself.
        if message.by.is_empty() {
            return Ok(true);
        }
        let person = self.journal().person(&message.by).await?;
        let Some(person) = person.filter(|person| !person.disabled) else {
            return Ok(false);
        };
        // A word that we do not know allows the least.
        let role = person.role.parse().unwrap_or_default();
        let here = self.sharing(id).role_of(&person.name, role);
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
            (None, _) => self.journal().hidden_from(&by.name, 1).await?.is_empty(),
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
            (None, _) => self.journal().hidden_from(&by.name, u32::MAX).await?,
        };
        Ok(move |id: &str| match &only {
            Some(only) => only == id,
            None => !hidden.contains(id),
        })
    }

    /// The creator of a conversation, and who may see it.
    pub fn sharing(&self, id: &str) -> Sharing {
        let known = self.sharing_of(id);
        known.map_or_else(Sharing::default, |sharing| (*sharing).clone())
    }

    fn sharing_of(&self, id: &str) -> Option<Arc<Sharing>> {
        // It is read under the lock: what is stored meanwhile comes into memory after it.
        let mut known = lock(&self.0.sharings.known);
        if let Some(sharing) = known.get(id) {
            return Some(Arc::clone(sharing));
        }
        match self.journal().sharing(id) {
            Ok(record) => {
                let sharing = Arc::new(sharing_in(record?));
                Sharings::insert(&mut known, id, Arc::clone(&sharing));
                Some(sharing)
            }
            Err(error) => {
                tracing::warn!(conversation = id, %error, "who may see it is not known: nobody, for now");
                None
            }
        }
    }

    /// Changes whenever any access changes.
    pub fn sharing_changed(&self) -> watch::Receiver<u64> {
        self.0.sharings.changes.subscribe()
    }

    /// Sets the audience of a conversation. Only its creator and owners may do this.
    ///
    /// Errors: [`HubError::Invalid`] for everybody else.
    pub async fn share(&self, by: &Caller, id: &str, audience: Audience) -> HubResult {
        let action = AuditAction::new("share").detail(in_words(audience));
        self.change_sharing(by, id, action, |sharing| {
            sharing.audience = audience;
            Ok(())
        })
        .await
    }

    /// Shares a conversation with a user by name; with a role, the user has it in this conversation only.
    ///
    /// Errors: [`HubError::Invalid`] for an unknown name, the owner role, too many names, and callers who may not share it.
    pub async fn share_with(
        &self,
        by: &Caller,
        id: &str,
        name: &str,
        role: Option<Role>,
    ) -> HubResult {
        if role == Some(Role::Owner) {
            return invalid("The owner role cannot be given for a single conversation.");
        }
        let Some(person) = self.journal().person(name.trim()).await? else {
            return invalid("No one has that name. Check the People page or ask an owner.");
        };
        let named = role.map_or_else(|| "usual role".to_owned(), |role| role.to_string());
        let action = AuditAction::new("share with").detail(&format!("{}, {named}", person.name));
        self.change_sharing(by, id, action, |sharing| {
            let is_other = |share: &Share| !share.name.eq_ignore_ascii_case(&person.name);
            sharing.with.retain(is_other);
            if sharing.with.len() >= MOST {
                let why =
                    format!("A conversation can be shared with at most {MOST} people by name.");
                return invalid(why);
            }
            let name = person.name.clone();
            sharing.with.push(Share { name, role });
            sharing.with.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(())
        })
        .await
    }

    /// Stops sharing a conversation with a user. Errors: [`HubError::Invalid`] for callers who may not share it.
    pub async fn unshare(&self, by: &Caller, id: &str, name: &str) -> HubResult {
        let action = AuditAction::new("unshare").detail(name);
        self.change_sharing(by, id, action, |sharing| {
            let is_other = |share: &Share| !share.name.eq_ignore_ascii_case(name);
            sharing.with.retain(is_other);
            Ok(())
        })
        .await
    }

    /// Checks that the caller may share a conversation: its creator, or an owner.
    ///
    /// Errors: [`HubError::Invalid`] for everybody else.
    pub fn may_share(&self, by: &Caller, id: &str) -> HubResult {
        if self.sharing(id).is_of(by.signature(), by.role) {
            return Ok(());
        }
        invalid("Only the creator of this conversation and owners can share it.")
    }

    /// Stores the creator of a conversation, and its original if it is a fork. A fork inherits the original's access.
    pub(super) async fn store_creator(
        &self,
        id: &str,
        creator: &str,
        of: Option<&str>,
    ) -> HubResult {
        let _one_at_a_time = self.0.sharings.changing.lock().await;
        let mut sharing = of.map_or_else(Sharing::default, |of| self.sharing(of));
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
            let _one_at_a_time = self.0.sharings.changing.lock().await;
            let made = info.made_from.as_ref().filter(|_| !self.knows(&info.id));
            let sharing = made.map_or_else(Sharing::default, |of| self.sharing(of));
            if sharing != Sharing::default() {
                self.keep_sharing(&info.id, sharing).await?;
            }
        }
        Ok(())
    }

    async fn change_sharing(
        &self,
        by: &Caller,
        id: &str,
        action: AuditAction,
        change: impl Fn(&mut Sharing) -> HubResult,
    ) -> HubResult {
        self.handle(id).await?;
        self.may_share(by, id)?;
        let before = self.sharing(id);
        let mut after = before.clone();
        change(&mut after)?;
        if after == before {
            return Ok(());
        }
        self.audited(by, action.within(id), async {
            let _one_at_a_time = self.0.sharings.changing.lock().await;
            let mut sharing = self.sharing(id);
            change(&mut sharing)?;
            self.keep_sharing(id, sharing).await
        })
        .await
    }

    pub(super) async fn keep_sharing(&self, id: &str, sharing: Sharing) -> HubResult {
        let role = |share: &Share| share.role.map_or("", Role::word).to_owned();
        let with = sharing.with.iter();
        let with = with.map(|share| (share.name.clone(), role(share)));
        let record = SharingRecord {
            conversation: id.to_owned(),
            creator: sharing.creator.clone(),
            audience: sharing.audience.word().to_owned(),
            with: with.collect(),
        };
        self.journal().keep_sharing(record).await?;
        Sharings::insert(&mut lock(&self.0.sharings.known), id, Arc::new(sharing));
        self.0.sharings.changes.send_modify(|change| *change += 1);
        self.relist(id, None).await;
        Ok(())
    }
}

fn sharing_in(record: SharingRecord) -> Sharing {
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

/// An audience for the audit log.
fn in_words(audience: Audience) -> &'static str {
    match audience {
        Audience::All => "everyone with an account",
        Audience::Some => "creator, owners and chosen people",
        Audience::Creator => "creator and owners",
    }
}
