//! Logging in with the word of another party (OpenID Connect), which `server/openid` has verified.
//!
//! An account belongs to an issuer and a subject, and to nothing else: names and addresses can be had by somebody
//! else tomorrow.

use super::accounts::checked_name;
use super::keeping::now;
use super::{Caller, Credential, Deed, NewLogin, People, PeopleError, Role, secret};
use crate::journal::IdentityRecord;

/// So many names are tried for a new account.
const NAMES: u32 = 20;

/// Somebody for whom another party vouches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Who vouches for them.
    pub issuer: String,
    /// Their name there, which is given to nobody else.
    pub subject: String,
    /// What they would like to be called.
    pub name: String,
    /// The role of an account that is made for them; `None`: none is made.
    pub invited: Option<Role>,
}

impl Identity {
    fn record(&self) -> IdentityRecord {
        IdentityRecord {
            issuer: self.issuer.clone(),
            subject: self.subject.clone(),
        }
    }

    /// Names for an account, in which letters look like what they are.
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
    /// Logs somebody in for whom another party vouches, and answers the secret for their browser. Who is invited
    /// gets an account the first time.
    ///
    /// # Errors
    /// [`PeopleError::NotInvited`] when they have no account and get none.
    pub async fn log_in_as(
        &self,
        identity: &Identity,
        device: &str,
        address: &str,
    ) -> Result<String, PeopleError> {
        let found = self.journal().identified(identity.record()).await?;
        let known = found.as_ref().map(|(person, _)| person);
        let by = Caller {
            person: known.map_or(0, |person| person.number),
            name: known.map_or_else(|| identity.names().swap_remove(0), |it| it.name.clone()),
            role: Role::Viewer,
            address: address.to_owned(),
            credential: Credential::Machine,
        };
        let deed = Deed::new("log in").detail(&format!("by {}", identity.issuer));
        let noted = self.audit().begin(&by, deed).await?;
        let person = match (found, identity.invited) {
            // Who was let in by an invitation stays as long as it stands.
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
                    address,
                };
                self.begin_login(&person, &new).await
            }
            Err(error) => Err(error),
        };
        self.audit().end(noted, &outcome).await;
        outcome
    }

    /// Lets somebody who is logged in do so by this identity from now on.
    pub async fn add_identity(&self, by: &Caller, identity: &Identity) -> Result<(), PeopleError> {
        let deed = Deed::new("link identity").detail(&identity.issuer);
        let noted = self.audit().begin(by, deed).await?;
        let added = self
            .journal()
            .add_identity(identity.record(), by.person, now())
            .await?;
        let taken = || PeopleError::Invalid("It is linked to an account already.".to_owned());
        let outcome = added.then_some(()).ok_or_else(taken);
        self.audit().end(noted, &outcome).await;
        outcome
    }

    /// Lets somebody log in with their password alone again. Their logins stay: each is among their devices.
    ///
    /// # Errors
    /// [`PeopleError::NotFound`] when they have linked nothing: what an account was made for is its only way in.
    pub async fn forget_identities(&self, by: &Caller) -> Result<(), PeopleError> {
        let noted = self.audit().begin(by, Deed::new("unlink identity")).await?;
        let forgotten = self.journal().forget_identities(by.person).await?;
        let outcome = forgotten
            .then_some(())
            .ok_or(PeopleError::NotFound("link that you made"));
        self.audit().end(noted, &outcome).await;
        outcome
    }

    async fn make_account(
        &self,
        identity: &Identity,
        role: Role,
    ) -> Result<crate::journal::PersonRecord, PeopleError> {
        // Nobody knows this password: an owner may set another one.
        let password = self.0.hashing.hash(&secret::new()).await?;
        let (names, role) = (identity.names(), role.min(Role::Operator));
        let made = self
            .journal()
            .add_identified(identity.record(), names, role.word(), password, now())
            .await?;
        made.ok_or_else(|| PeopleError::Invalid("All names that were tried are taken.".to_owned()))
    }
}
