//! Logins with an external identity (OpenID Connect), which `server/openid` has verified.
//!
//! An account is identified by issuer and subject only: names and mail addresses can be reassigned to someone else.

use super::names::checked_name;
use super::{
    AuditAction, Caller, Credential, LoginSecrets, NewLogin, People, PeopleError, Role, secret,
};
use crate::clock::now;
use crate::journal::IdentityRecord;

/// Number of names tried for a new account.
const NAMES: u32 = 20;

/// A verified external identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The identity provider.
    pub issuer: String,
    /// The provider's identifier of the person, never reassigned.
    pub subject: String,
    /// The preferred name.
    pub name: String,
    /// The role for a new account; `None` if the identity is not invited.
    pub invited: Option<Role>,
}

impl Identity {
    fn record(&self) -> IdentityRecord {
        IdentityRecord {
            issuer: self.issuer.clone(),
            subject: self.subject.clone(),
        }
    }

    /// Candidate names for an account, in ASCII so that no letter looks like another.
    fn names(&self) -> Vec<String> {
        let plain = |letter: &char| letter.is_ascii_alphanumeric() || ".-_@".contains(*letter);
        let name: String = self.name.chars().filter(plain).take(36).collect();
        let name = name.trim_start_matches(|first: char| !first.is_ascii_alphanumeric());
        let name = checked_name(name).unwrap_or_else(|_| "somebody".to_owned());
        let more = (2..NAMES).map(|number| format!("{name}{number}"));
        std::iter::once(name.clone()).chain(more).collect()
    }
}

impl People {
    /// Logs in with an external identity and returns the secrets for the browser; `known` is the browser's device
    /// secret from an earlier login. An invited identity gets an account at the first login.
    ///
    /// # Errors
    /// [`PeopleError::NotInvited`] if the identity has no enabled account and is not invited, or is no longer invited
    /// to the account that was created for it; [`PeopleError::SecondFactor`] if a passkey must follow.
    pub async fn log_in_as(
        &self,
        identity: &Identity,
        device: &str,
        known: &str,
        address: &str,
    ) -> Result<LoginSecrets, PeopleError> {
        let found = self.journal().identified(identity.record()).await?;
        let account = found.as_ref().map(|(person, _)| person);
        let by = Caller {
            person: account.map_or(0, |person| person.number),
            name: account.map_or_else(|| identity.names().swap_remove(0), |it| it.name.clone()),
            role: Role::Viewer,
            address: address.to_owned(),
            credential: Credential::Machine,
        };
        let action = AuditAction::new("log in").detail(&format!("by {}", identity.issuer));
        let entry = self.audit().begin_even_if_full(&by, action).await?;
        let person = match (found, identity.invited) {
            // An account that was created by invitation is usable only as long as the invitation stands.
            (Some((person, made)), invited) if !person.disabled && (!made || invited.is_some()) => {
                Ok(person)
            }
            (None, Some(role)) => self.make_account(identity, role).await,
            _ => Err(PeopleError::NotInvited),
        };
        let outcome = match person {
            Ok(person) => {
                let new = NewLogin {
                    name: &person.name,
                    password: "",
                    device,
                    known,
                    address,
                };
                self.enter(&person, &new).await
            }
            Err(error) => Err(error),
        };
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Links an identity to the caller's account.
    ///
    /// Errors: [`PeopleError::Invalid`] if the identity is linked to an account already.
    pub async fn add_identity(&self, by: &Caller, identity: &Identity) -> Result<(), PeopleError> {
        by.login()?;
        let action = AuditAction::new("link identity").detail(&identity.issuer);
        let entry = self.audit().begin(by, action).await?;
        let added = self
            .journal()
            .add_identity(identity.record(), by.person, now())
            .await?;
        let taken = || {
            PeopleError::Invalid(
                "Nothing was linked: this login already belongs to an account.".to_owned(),
            )
        };
        let outcome = added.then_some(()).ok_or_else(taken);
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Unlinks the caller's identities, so that only the password logs in. Existing logins stay valid.
    ///
    /// # Errors
    /// [`PeopleError::NotFound`] if the caller has linked none; the identity that an account was created for cannot be
    /// unlinked.
    pub async fn forget_identities(&self, by: &Caller) -> Result<(), PeopleError> {
        by.login()?;
        if self.journal().has_identity(by.person).await? != Some(false) {
            return Err(PeopleError::NotFound("linked login"));
        }
        let entry = self
            .audit()
            .begin(by, AuditAction::new("unlink identity"))
            .await?;
        let forgotten = self.journal().forget_identities(by.person).await?;
        let outcome = forgotten
            .then_some(())
            .ok_or(PeopleError::NotFound("linked login"));
        self.audit().end(entry, &outcome).await;
        outcome
    }

    async fn make_account(
        &self,
        identity: &Identity,
        role: Role,
    ) -> Result<crate::journal::PersonRecord, PeopleError> {
        // A random password that nobody knows; an owner may set another one.
        let password = self.0.hashing.hash(&secret::new()).await?;
        let (names, role) = (identity.names(), role.min(Role::Operator));
        let made = self
            .journal()
            .add_identified(identity.record(), names, role.word(), password, now())
            .await?;
        made.ok_or_else(|| {
            PeopleError::Invalid(
                "All names for your account are taken. Ask an owner to add you.".to_owned(),
            )
        })
    }
}
