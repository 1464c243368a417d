//! Share links, which let visitors watch a conversation without an account.
//!
//! A link is a secret of 256 random bits, stored as a hash. It grants view access to one conversation until it expires
//! or is revoked, or until its creator is disabled.

use super::{AuditAction, Caller, Credential, LinkView, People, PeopleError, Role, Visit, secret};
use crate::clock::now;
use crate::journal::LinkRecord;

const DAY: i64 = 24 * 60 * 60 * 1000;
/// Longest lifetime of a link, in days.
const LONGEST: u16 = 90;
/// Maximum number of valid links per conversation.
const MOST: usize = 50;
/// Minimum interval between updates of the time of last use, in milliseconds: each update is a write.
const NOTED: i64 = 5 * 60_000;

impl People {
    /// Creates a link that is valid for `days`; the caller must have checked that `by` may share the conversation. The
    /// secret is returned only here.
    ///
    /// Errors: [`PeopleError::Invalid`] if `by` has no login, or a limit is exceeded.
    pub async fn make_link(
        &self,
        by: &Caller,
        conversation: &str,
        days: u16,
    ) -> Result<String, PeopleError> {
        let invalid = |text: String| Err(PeopleError::Invalid(text));
        if by.signature().is_empty() {
            return invalid("Only people with an account can create links.".to_owned());
        }
        // The link would outlive the token.
        if by.login().is_err() {
            return invalid("Log in to create links. An access token is not enough.".to_owned());
        }
        if !(1..=LONGEST).contains(&days) {
            return invalid(format!("A link can be valid for 1 to {LONGEST} days."));
        }
        if self.links(conversation).await?.len() >= MOST {
            return invalid("This conversation has too many links. Revoke some first.".to_owned());
        }
        let action = AuditAction::new("create link").within(conversation);
        let action = action.detail(&format!("{days} days"));
        let entry = self.audit().begin(by, action).await?;
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
        self.audit().end(entry, &made).await;
        made?;
        Ok(secret)
    }

    /// The valid links to a conversation, newest first.
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

    /// Revokes a link; its visitors lose access.
    ///
    /// Errors: [`PeopleError::NotFound`].
    pub async fn end_link(
        &self,
        by: &Caller,
        conversation: &str,
        number: i64,
    ) -> Result<(), PeopleError> {
        let links = self.journal().links(conversation).await?;
        if !links.iter().any(|link| link.number == number) {
            return Err(PeopleError::NotFound("link"));
        }
        let action = AuditAction::new("revoke link").within(conversation);
        let entry = self.audit().begin(by, action).await?;
        let outcome = match self.journal().end_link(conversation, number).await? {
            true => Ok(()),
            false => Err(PeopleError::NotFound("link")),
        };
        self.audit().end(entry, &outcome).await;
        self.notify_if_changed().await;
        outcome
    }

    /// The visitor with this link secret; `None` if there is no such link, or it was revoked or expired.
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
            let touched = self.journal().touch_link(link.number, at).await;
            if let Err(error) = touched {
                tracing::warn!(%error, "that a link was used could not be stored");
            }
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

    /// Whether the link of a visit is still valid.
    pub(super) async fn is_good(&self, visit: &Visit) -> Result<bool, PeopleError> {
        let links = self.links(&visit.conversation).await?;
        Ok(links.iter().any(|link| link.number == visit.link))
    }
}
