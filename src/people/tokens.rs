//! Access tokens: what scripts log in with. Each allows at most what its role says, and never more than its
//! person may now; none makes an owner.

use super::accounts::role_of;
use super::keeping::now;
use super::{Caller, Credential, Deed, People, PeopleError, Role, TokenView, secret};
use crate::journal::TokenRecord;

/// What our tokens begin with, so that people and scanners know them.
const MARK: &str = "handrail_";
const DAY: i64 = 24 * 60 * 60 * 1000;
/// That it is used is noted so often, milliseconds: each note is a write.
const NOTED: i64 = 5 * 60_000;

impl People {
    /// Makes a token that is good for `days`. It is shown this once.
    pub async fn make_token(
        &self,
        by: &Caller,
        name: &str,
        role: Role,
        days: u16,
    ) -> Result<String, PeopleError> {
        let invalid = |text: &str| Err(PeopleError::Invalid(text.to_owned()));
        let name = name.trim();
        if !matches!(by.credential, Credential::Login(_)) {
            return invalid("Tokens are made by people who are logged in.");
        }
        if !(1..=60).contains(&name.chars().count()) {
            return invalid("Say in at most 60 characters what the token is for.");
        }
        if role == Role::Owner || role > by.role {
            return invalid("A token allows at most what you may, and never what an owner may.");
        }
        if !(1..=365).contains(&days) {
            return invalid("A token is good for 1 to 365 days.");
        }
        let deed = Deed::new("make token").detail(&format!("{name}, {role}, {days} days"));
        let noted = self.audit().begin(by, deed).await?;
        let (token, at) = (format!("{MARK}{}", secret::new()), now());
        let record = TokenRecord {
            number: 0,
            name: name.to_owned(),
            role: role.word().to_owned(),
            created_at: at,
            expires_at: at + i64::from(days) * DAY,
            used_at: None,
        };
        let made = self
            .journal()
            .add_token(by.person, secret::hash(&token), record)
            .await;
        self.audit().end(noted, &made).await;
        made?;
        Ok(token)
    }

    /// Who has this token; `None` when there is none such, or it has ended.
    pub async fn of_token(
        &self,
        token: &str,
        address: &str,
    ) -> Result<Option<Caller>, PeopleError> {
        let Some(hash) = secret::hash_of_given(token).filter(|_| token.starts_with(MARK)) else {
            return Ok(None);
        };
        let at = now();
        let found = self.journal().token(hash).await?;
        let Some((person, token)) = found.filter(|(_, token)| at <= token.expires_at) else {
            return Ok(None);
        };
        if token.used_at.is_none_or(|used| at - used > NOTED) {
            self.journal().touch_token(token.number, at).await?;
        }
        let scope: Role = token.role.parse().unwrap_or_default();
        Ok(Some(Caller {
            person: person.number,
            role: scope.min(role_of(&person)),
            name: person.name,
            address: address.to_owned(),
            credential: Credential::Token(token.number),
        }))
    }

    /// Ends one of one's tokens.
    pub async fn end_token(&self, by: &Caller, number: i64) -> Result<(), PeopleError> {
        let noted = self.audit().begin(by, Deed::new("end token")).await?;
        let ended = self.journal().end_token(by.person, number).await?;
        let outcome = if ended {
            Ok(())
        } else {
            Err(PeopleError::NotFound("token"))
        };
        self.audit().end(noted, &outcome).await;
        self.look().await;
        outcome
    }

    pub(super) async fn tokens(&self, by: &Caller) -> Result<Vec<TokenView>, PeopleError> {
        let at = now();
        let tokens = self.journal().tokens(by.person).await?;
        let view = |token: TokenRecord| TokenView {
            number: token.number,
            name: token.name,
            role: token.role.parse().unwrap_or_default(),
            expires_at: token.expires_at,
            used_at: token.used_at,
        };
        Ok(tokens
            .into_iter()
            .filter(|token| at <= token.expires_at)
            .map(view)
            .collect())
    }
}
