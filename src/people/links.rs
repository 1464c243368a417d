//! Links with which a conversation can be watched without an account.
//!
//! A link is a secret of 256 random bits, of which we keep the hash. It lets somebody watch one conversation and
//! nothing else, until it expires or is revoked, or until whoever made it is shut out.

use super::keeping::now;
use super::{Caller, Credential, Deed, LinkView, People, PeopleError, Role, Visit, secret};
use crate::journal::LinkRecord;

const DAY: i64 = 24 * 60 * 60 * 1000;
/// Longest life of a link, days.
const LONGEST: u16 = 90;
/// Links of one conversation: more than anybody keeps in view.
const MOST: usize = 50;
/// That it is used is noted so often, milliseconds: each note is a write.
const NOTED: i64 = 5 * 60_000;

impl People {
    /// Makes a link that is good for `days`, by somebody who may share the conversation. Its secret is answered
    /// this once.
    pub async fn make_link(
        &self,
        by: &Caller,
        conversation: &str,
        days: u16,
    ) -> Result<String, PeopleError> {
        let invalid = |text: String| Err(PeopleError::Invalid(text));
        if by.signature().is_empty() {
            return invalid("Links are made by people with an account.".to_owned());
        }
        if !(1..=LONGEST).contains(&days) {
            return invalid(format!("A link is good for 1 to {LONGEST} days."));
        }
        if self.links(conversation).await?.len() >= MOST {
            return invalid("There are too many links. Revoke some first.".to_owned());
        }
        let deed = Deed::new("make link").within(conversation);
        let deed = deed.detail(&format!("{days} days"));
        let noted = self.audit().begin(by, deed).await?;
        let (secret, at) = (secret::new(), now());
        let record = LinkRecord {
            number: 0,
            conversation: conversation.to_owned(),
            by: by.name.clone(),
            created_at: at,
            expires_at: at + i64::from(days) * DAY,
            used_at: None,
        };
        let made = self
            .journal()
            .add_link(by.person, secret::hash(&secret), record)
            .await;
        self.audit().end(noted, &made).await;
        made?;
        Ok(secret)
    }

    /// The links of a conversation that are good, the newest first.
    pub async fn links(&self, conversation: &str) -> Result<Vec<LinkView>, PeopleError> {
        let at = now();
        let links = self.journal().links(conversation).await?;
        let good = links.into_iter().filter(|link| at < link.expires_at);
        Ok(good
            .map(|link| LinkView {
                number: link.number,
                by: link.by,
                created_at: link.created_at,
                expires_at: link.expires_at,
                used_at: link.used_at,
            })
            .collect())
    }

    /// Revokes a link of a conversation. Who watches by it does not any more.
    pub async fn end_link(
        &self,
        by: &Caller,
        conversation: &str,
        number: i64,
    ) -> Result<(), PeopleError> {
        let deed = Deed::new("revoke link").within(conversation);
        let noted = self.audit().begin(by, deed).await?;
        let outcome = match self.journal().end_link(conversation, number).await? {
            true => Ok(()),
            false => Err(PeopleError::NotFound("link")),
        };
        self.audit().end(noted, &outcome).await;
        self.look().await;
        outcome
    }

    /// Who has this secret of a link; `None` when there is none such, or it has ended.
    pub async fn of_link(
        &self,
        secret: &str,
        address: &str,
    ) -> Result<Option<Caller>, PeopleError> {
        let Some(hash) = secret::hash_of_given(secret) else {
            return Ok(None);
        };
        let at = now();
        let found = self.journal().link(hash).await?;
        let Some(link) = found.filter(|link| at < link.expires_at) else {
            return Ok(None);
        };
        if link.used_at.is_none_or(|used| at - used > NOTED) {
            self.journal().touch_link(link.number, at).await?;
        }
        Ok(Some(Caller {
            person: -link.number,
            name: "a visitor".to_owned(),
            role: Role::Visitor,
            address: address.to_owned(),
            credential: Credential::Link(Visit {
                link: link.number,
                conversation: link.conversation,
                until: link.expires_at,
            }),
        }))
    }

    /// Whether the link of a visit has not ended.
    pub(super) async fn is_good(&self, visit: &Visit) -> Result<bool, PeopleError> {
        let links = self.links(&visit.conversation).await?;
        Ok(links.iter().any(|link| link.number == visit.link))
    }
}
