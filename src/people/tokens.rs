//! Access tokens for scripts. A token allows at most its own role and never more than the current role of its owner;
//! the owner role is excluded. A token with scopes is good for the API alone, and there for its scopes.

use super::accounts::role_of;
use super::{
    AuditAction, Caller, Credential, People, PeopleError, Role, Scopes, TokenView, secret,
};
use crate::clock::now;
use crate::journal::TokenRecord;

/// Prefix of all tokens, by which people and secret scanners recognize them.
pub const MARK: &str = "handrail_";
/// Maximum number of tokens per person.
const MOST: usize = 100;
const DAY: i64 = 24 * 60 * 60 * 1000;
/// Minimum interval between updates of the time of last use, in milliseconds: each update is a write.
const NOTED: i64 = 5 * 60_000;

impl People {
    /// Creates a token that is valid for `days`. The token is returned only here.
    ///
    /// Errors: [`PeopleError::Invalid`] if a limit is exceeded or the role is not allowed.
    pub async fn make_token(
        &self,
        by: &Caller,
        name: &str,
        role: Role,
        days: u16,
    ) -> Result<String, PeopleError> {
        by.login()?;
        if role == Role::Owner || role > by.role {
            let text = "A token cannot have a higher role than you, and never the owner role.";
            return Err(PeopleError::Invalid(text.to_owned()));
        }
        self.add_token(by, name, (role, Scopes::NONE), days).await
    }

    /// Creates a token for the API that is valid for `days`. The token is returned only here.
    ///
    /// Errors: [`PeopleError::Invalid`] if a limit is exceeded, or the caller's role does not allow what a scope is for.
    pub async fn make_api_token(
        &self,
        by: &Caller,
        name: &str,
        scopes: Scopes,
        days: u16,
    ) -> Result<String, PeopleError> {
        by.login()?;
        if scopes.is_empty() || scopes.role() > by.role {
            let text = "Choose at least one scope, and none that your role does not allow.";
            return Err(PeopleError::Invalid(text.to_owned()));
        }
        self.add_token(by, name, (scopes.role(), scopes), days)
            .await
    }

    async fn add_token(
        &self,
        by: &Caller,
        name: &str,
        (role, scopes): (Role, Scopes),
        days: u16,
    ) -> Result<String, PeopleError> {
        let invalid = |text: &str| Err(PeopleError::Invalid(text.to_owned()));
        let name = name.trim();
        if !(1..=60).contains(&name.chars().count()) {
            return invalid("The name of a token must have 1 to 60 characters.");
        }
        if !(1..=365).contains(&days) {
            return invalid("A token can be valid for 1 to 365 days.");
        }
        if self.tokens(by).await?.len() >= MOST {
            return invalid("You have too many tokens. Revoke some first.");
        }
        let allows = match scopes.is_empty() {
            true => role.to_string(),
            false => format!("API: {scopes}"),
        };
        let action =
            AuditAction::new("create token").detail(&format!("{name}, {allows}, {days} days"));
        let entry = self.audit().begin(by, action).await?;
        let (token, at) = (format!("{MARK}{}", secret::new()), now());
        let record = TokenRecord {
            number: 0,
            name: name.to_owned(),
            role: role.word().to_owned(),
            scopes: scopes.to_string(),
            created_at: at,
            expires_at: at + i64::from(days) * DAY,
            used_at: None,
        };
        let made = self
            .journal()
            .add_token(by.person, secret::hash(&token), record)
            .await;
        self.audit().end(entry, &made).await;
        made?;
        Ok(token)
    }

    /// The caller with this token; `None` if there is no such token, or it was revoked or expired.
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
            let touched = self.journal().touch_token(token.number, at).await;
            if let Err(error) = touched {
                tracing::warn!(%error, "that an access token was used could not be stored");
            }
        }
        let most: Role = token.role.parse().unwrap_or_default();
        Ok(Some(Caller {
            person: person.number,
            role: most.min(role_of(&person)),
            name: person.name,
            address: address.to_owned(),
            credential: match token.scopes.as_str() {
                "" => Credential::Token(token.number),
                // Words that we do not know allow nothing.
                scopes => Credential::ApiToken(token.number, scopes.parse().unwrap_or_default()),
            },
        }))
    }

    /// Revokes one of the caller's tokens.
    ///
    /// Errors: [`PeopleError::NeedsLogin`], and [`PeopleError::NotFound`] if the caller has no such token.
    pub async fn end_token(&self, by: &Caller, number: i64) -> Result<(), PeopleError> {
        by.login()?;
        let tokens = self.journal().tokens(by.person).await?;
        if !tokens.iter().any(|token| token.number == number) {
            return Err(PeopleError::NotFound("token"));
        }
        let entry = self
            .audit()
            .begin(by, AuditAction::new("revoke token"))
            .await?;
        let ended = self.journal().end_token(by.person, number).await?;
        let outcome = if ended {
            Ok(())
        } else {
            Err(PeopleError::NotFound("token"))
        };
        self.audit().end(entry, &outcome).await;
        self.notify_if_changed().await;
        outcome
    }

    pub(super) async fn tokens(&self, by: &Caller) -> Result<Vec<TokenView>, PeopleError> {
        let at = now();
        let tokens = self.journal().tokens(by.person).await?;
        let view = |token: TokenRecord| TokenView {
            number: token.number,
            name: token.name,
            role: token.role.parse().unwrap_or_default(),
            scopes: token.scopes.parse().unwrap_or_default(),
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
