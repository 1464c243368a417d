//! Who sees which conversation, and in which role. All of it is known here at any time, so that every question is
//! answered at once and none is left out because it would take long.

use super::{Hub, HubError, lock};
use crate::journal::SharingRecord;
use crate::live::ConversationView;
use crate::people::{Audience, Caller, Credential, Deed, Role, Share, Sharing};
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::watch;

/// Most people that a conversation is shared with by name.
const MOST: usize = 100;

/// Who sees what.
#[derive(Default)]
pub(super) struct Sharings {
    known: Mutex<HashMap<String, Sharing>>,
    changes: watch::Sender<u64>,
}

impl Hub {
    /// What somebody may do in a conversation. `None`: for them there is no such conversation.
    pub fn role_in(&self, by: &Caller, id: &str) -> Option<Role> {
        if let Some(visit) = by.visit() {
            return (visit.conversation == id).then_some(by.role);
        }
        let known = lock(&self.0.sharings.known);
        let Some(known) = known.get(id) else {
            return Some(by.role);
        };
        let role = known.role_of(&by.name, by.role)?;
        // A token allows what it says and no more, wherever it is used.
        Some(match by.credential {
            Credential::Token(_) => role.min(by.role),
            _ => role,
        })
    }

    /// Whether somebody sees a conversation.
    pub fn sees(&self, by: &Caller, id: &str) -> bool {
        self.role_in(by, id).is_some()
    }

    /// Who began a conversation, and who sees it.
    pub fn sharing(&self, id: &str) -> Sharing {
        let known = lock(&self.0.sharings.known);
        known.get(id).cloned().unwrap_or_default()
    }

    /// Changes whenever somebody sees or may do more or less than before.
    pub fn sharing_changed(&self) -> watch::Receiver<u64> {
        self.0.sharings.changes.subscribe()
    }

    /// Says for whom a conversation is: who began it may, and owners.
    pub async fn share(&self, by: &Caller, id: &str, audience: Audience) -> Result<(), HubError> {
        let deed = Deed::new("share").detail(word(audience));
        self.change_sharing(by, id, deed, |sharing| sharing.audience = audience)
            .await
    }

    /// Shares a conversation with somebody by name; with a role it is theirs in this conversation alone.
    pub async fn share_with(
        &self,
        by: &Caller,
        id: &str,
        name: &str,
        role: Option<Role>,
    ) -> Result<(), HubError> {
        let invalid = |text: String| Err(HubError::Invalid(text));
        if role == Some(Role::Owner) {
            return invalid("Nobody is owner of one conversation alone.".to_owned());
        }
        let Some(person) = self.journal().person(name.trim()).await? else {
            return invalid("There is nobody with this name. Names are on the page of people, which owners see.".to_owned());
        };
        let before = self.sharing(id);
        let known = |share: &Share| share.name.eq_ignore_ascii_case(&person.name);
        if before.with.len() >= MOST && !before.with.iter().any(known) {
            return invalid(format!(
                "A conversation is shared with {MOST} people by name at most."
            ));
        }
        let named = role.map_or_else(|| "own role".to_owned(), |role| role.to_string());
        let deed = Deed::new("share with").detail(&format!("{}, {named}", person.name));
        self.change_sharing(by, id, deed, |sharing| {
            sharing.with.retain(|share| !known(share));
            sharing.with.push(Share {
                name: person.name.clone(),
                role,
            });
            sharing.with.sort_by(|a, b| a.name.cmp(&b.name));
        })
        .await
    }

    /// Shares a conversation with somebody by name no more.
    pub async fn unshare(&self, by: &Caller, id: &str, name: &str) -> Result<(), HubError> {
        let deed = Deed::new("unshare").detail(name);
        self.change_sharing(by, id, deed, |sharing| {
            sharing
                .with
                .retain(|share| !share.name.eq_ignore_ascii_case(name));
        })
        .await
    }

    /// That somebody may say who sees a conversation: its starter, and owners.
    pub fn may_share(&self, by: &Caller, id: &str) -> Result<(), HubError> {
        if self.sharing(id).is_of(by.signature(), by.role) {
            return Ok(());
        }
        Err(HubError::Invalid(
            "Only who began this conversation and owners say who sees it.".to_owned(),
        ))
    }

    /// A picture of a conversation as somebody may see it.
    pub fn as_seen_by(&self, by: &Caller, view: ConversationView) -> ConversationView {
        match self.role_in(by, &view.id) {
            None | Some(Role::Visitor) => view.for_visitors(),
            role => ConversationView {
                here: self.here(&view.id),
                role,
                ..view
            },
        }
    }

    /// Notes who began a conversation.
    pub(super) async fn begun_by(&self, id: &str, by: &Caller) -> Result<(), HubError> {
        if by.signature().is_empty() {
            return Ok(());
        }
        let sharing = Sharing {
            starter: by.signature().to_owned(),
            ..Sharing::default()
        };
        self.keep_sharing(id, sharing).await
    }

    async fn change_sharing(
        &self,
        by: &Caller,
        id: &str,
        deed: Deed,
        change: impl FnOnce(&mut Sharing),
    ) -> Result<(), HubError> {
        self.room(id).await?;
        self.may_share(by, id)?;
        let mut sharing = self.sharing(id);
        change(&mut sharing);
        self.noted(by, deed.within(id), self.keep_sharing(id, sharing))
            .await
    }

    async fn keep_sharing(&self, id: &str, sharing: Sharing) -> Result<(), HubError> {
        let role = |share: &Share| share.role.map_or("", Role::word).to_owned();
        let record = SharingRecord {
            conversation: id.to_owned(),
            starter: sharing.starter.clone(),
            audience: word(sharing.audience).to_owned(),
            with: (sharing.with.iter())
                .map(|share| (share.name.clone(), role(share)))
                .collect(),
        };
        self.journal().keep_sharing(record).await?;
        lock(&self.0.sharings.known).insert(id.to_owned(), sharing);
        self.0.sharings.changes.send_modify(|change| *change += 1);
        self.sight_changed(id);
        Ok(())
    }

    /// Takes what the journal remembers.
    pub(super) async fn remember_sharings(&self) -> Result<(), HubError> {
        let records = self.journal().sharings().await?;
        let known = records.into_iter().map(|record| {
            let share = |(name, role): (String, String)| Share {
                name,
                // A word that we do not know allows the least.
                role: (!role.is_empty()).then(|| role.parse().unwrap_or_default()),
            };
            let sharing = Sharing {
                starter: record.starter,
                audience: audience(&record.audience),
                with: record.with.into_iter().map(share).collect(),
            };
            (record.conversation, sharing)
        });
        *lock(&self.0.sharings.known) = known.collect();
        Ok(())
    }
}

fn word(audience: Audience) -> &'static str {
    match audience {
        Audience::All => "all",
        Audience::Some => "some",
        Audience::Starter => "starter",
    }
}

/// A word that we do not know shows it to the fewest.
fn audience(word: &str) -> Audience {
    match word {
        "all" => Audience::All,
        "some" => Audience::Some,
        _ => Audience::Starter,
    }
}
