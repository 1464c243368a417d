//! Who sees which conversation. All of it is known here at any time, so that every question is answered at
//! once and none is left out because it would take long.

use super::{Hub, HubError, lock};
use crate::journal::SharingRecord;
use crate::people::{Audience, Caller, Deed, Sharing};
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
    /// Whether somebody sees a conversation. For who does not, there is none.
    pub fn sees(&self, by: &Caller, id: &str) -> bool {
        let known = lock(&self.0.sharings.known);
        known
            .get(id)
            .is_none_or(|sharing| sharing.shows(&by.name, by.role))
    }

    /// Who began a conversation, and who sees it.
    pub fn sharing(&self, id: &str) -> Sharing {
        lock(&self.0.sharings.known)
            .get(id)
            .cloned()
            .unwrap_or_default()
    }

    /// Changes whenever somebody sees more or less than before.
    pub fn sharing_changed(&self) -> watch::Receiver<u64> {
        self.0.sharings.changes.subscribe()
    }

    /// Says for whom a conversation is: who began it may, and owners.
    pub async fn share(
        &self,
        by: &Caller,
        id: &str,
        audience: Audience,
        names: &str,
    ) -> Result<(), HubError> {
        self.room(id).await?;
        let before = self.sharing(id);
        if !before.is_of(&by.name, by.role) {
            return Err(HubError::Invalid(
                "Only who began this conversation and owners say who sees it.".to_owned(),
            ));
        }
        let names = names
            .split([',', ' ', '\n'])
            .map(str::trim)
            .filter(|name| !name.is_empty());
        let names: Vec<String> = names.take(MOST).map(str::to_owned).collect();
        let sharing = Sharing {
            audience,
            names,
            ..before
        };
        let deed = Deed::new("share")
            .within(id)
            .detail(&format!("{audience:?} {}", sharing.names.join(" ")));
        self.noted(by, deed, self.keep_sharing(id, sharing)).await
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

    async fn keep_sharing(&self, id: &str, sharing: Sharing) -> Result<(), HubError> {
        let record = SharingRecord {
            conversation: id.to_owned(),
            starter: sharing.starter.clone(),
            audience: word(sharing.audience).to_owned(),
            names: sharing.names.clone(),
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
            let sharing = Sharing {
                starter: record.starter,
                audience: audience(&record.audience),
                names: record.names,
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
