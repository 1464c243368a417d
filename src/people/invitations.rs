//! Invitations: an owner gives a role, and the invited person chooses a name and a password or a passkey.
//!
//! An invitation is a secret of 256 random bits, stored as a hash, and good once.

use super::names::checked_name;
use super::throttle::Guesser;
use super::{
    AuditAction, Caller, InvitationView, InvitedView, LoginSecrets, NewLogin, People, PeopleError,
    Role, secret,
};
use crate::clock::now;
use crate::journal::{InvitationRecord, NewAccount, SecretHash};

const DAY: i64 = 24 * 60 * 60 * 1000;
/// Longest lifetime of an invitation, in days.
const LONGEST: u16 = 30;
/// Maximum number of valid invitations.
const MOST: usize = 100;

impl People {
    /// Creates an invitation that is valid for `days`; the invited person chooses the name if it is empty. The secret is
    /// returned only here.
    ///
    /// Errors: [`PeopleError::NeedsLogin`]; [`PeopleError::Invalid`] for a name that is taken or not allowed, or if a limit
    /// is exceeded.
    pub async fn make_invitation(
        &self,
        by: &Caller,
        name: &str,
        role: Role,
        days: u16,
    ) -> Result<String, PeopleError> {
        by.login()?;
        let invalid = |text: String| Err(PeopleError::Invalid(text));
        let name = match name.trim() {
            "" => String::new(),
            name => checked_name(name)?,
        };
        if !name.is_empty() && self.journal().person(&name).await?.is_some() {
            return invalid("That name is taken.".to_owned());
        }
        if !(1..=LONGEST).contains(&days) {
            return invalid(format!(
                "An invitation can be valid for 1 to {LONGEST} days."
            ));
        }
        let at = now();
        if self.journal().invitations(at, MOST).await?.len() >= MOST {
            return invalid("There are too many invitations. Revoke some first.".to_owned());
        }
        let whom = if name.is_empty() { "" } else { ", for " };
        let detail = format!("{role}, {days} days{whom}{name}");
        let action = AuditAction::new("create invitation").detail(&detail);
        let entry = self.audit().begin(by, action).await?;
        let secret = secret::new();
        let record = InvitationRecord {
            number: 0,
            role: role.word().to_owned(),
            name,
            by: by.name.clone(),
            created_at: at,
            expires_at: at + i64::from(days) * DAY,
        };
        let made = self
            .journal()
            .add_invitation(by.person, secret::hash(&secret), record)
            .await;
        self.audit().end(entry, &made).await;
        made?;
        Ok(secret)
    }

    /// The valid invitations, newest first.
    pub async fn invitations(&self) -> Result<Vec<InvitationView>, PeopleError> {
        let view = |invitation: InvitationRecord| InvitationView {
            number: invitation.number,
            role: invitation.role.parse().unwrap_or_default(),
            name: invitation.name,
            by: invitation.by,
            expires_at: invitation.expires_at,
        };
        let invitations = self.journal().invitations(now(), MOST).await?;
        Ok(invitations.into_iter().map(view).collect())
    }

    /// Revokes an invitation.
    ///
    /// Errors: [`PeopleError::NotFound`].
    pub async fn end_invitation(&self, by: &Caller, number: i64) -> Result<(), PeopleError> {
        let known = self.journal().invitations(now(), MOST).await?;
        if !known.iter().any(|invitation| invitation.number == number) {
            return Err(PeopleError::NotFound("invitation"));
        }
        let action = AuditAction::new("revoke invitation");
        let entry = self.audit().begin(by, action).await?;
        let outcome = match self.journal().end_invitation(number).await? {
            true => Ok(()),
            false => Err(PeopleError::NotFound("invitation")),
        };
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Tries a secret, which a person has typed or pasted.
    ///
    /// Errors: [`PeopleError::NoInvitation`], and [`PeopleError::Wait`] after too many wrong ones from this address.
    pub async fn open_invitation(&self, secret: &str, address: &str) -> Result<(), PeopleError> {
        let guesser = Guesser::of_address("invitations", address);
        self.guess(&guesser).await?;
        self.invitation(secret).await?;
        self.guessed_right(guesser).await
    }

    /// What the invitation with this secret offers.
    ///
    /// Errors: [`PeopleError::NoInvitation`].
    pub async fn invited(&self, secret: &str) -> Result<InvitedView, PeopleError> {
        let (_, invitation) = self.invitation(secret).await?;
        let role: Role = invitation.role.parse().unwrap_or_default();
        Ok(InvitedView {
            needs_passkey: self.passkey_roles().await?.contains(&role),
            role,
            name: invitation.name,
            by: invitation.by,
        })
    }

    /// Makes the account of an invitation, and logs in with the password.
    ///
    /// # Errors
    /// As [`Self::open_invitation`]; [`PeopleError::Invalid`] for a name that is taken or not allowed, and for a password as
    /// in `Hashing::hash`; [`PeopleError::SecondFactor`] if the role requires a passkey.
    pub async fn accept_invitation(
        &self,
        secret: &str,
        new: NewLogin<'_>,
    ) -> Result<LoginSecrets, PeopleError> {
        self.open_invitation(secret, new.address).await?;
        let (hash, name) = self.named_by(secret, new.name).await?;
        let account = NewAccount {
            name,
            password: self.0.hashing.hash(new.password).await?,
            passkey: None,
        };
        let person = self.accept(hash, account, new.address).await?;
        let action = AuditAction::new("log in");
        let by = Caller::unproven(&person, new.address);
        let entry = self.audit().begin_even_if_full(&by, action).await?;
        let outcome = self.enter(&person, &new).await;
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Half a login for somebody who makes the account of an invitation with a passkey; the invitation stays until it is
    /// registered.
    ///
    /// Errors: as [`Self::open_invitation`]; [`PeopleError::Invalid`] for a name that is taken or not allowed.
    pub async fn begin_invitation(
        &self,
        secret: &str,
        name: &str,
        address: &str,
    ) -> Result<String, PeopleError> {
        self.open_invitation(secret, address).await?;
        let (hash, name) = self.named_by(secret, name).await?;
        if self.journal().person(&name).await?.is_some() {
            let text = "That name is taken. Choose another one.";
            return Err(PeopleError::Invalid(text.to_owned()));
        }
        Ok(self.half_of_invited(hash, &name))
    }

    /// The hash of an invitation's secret, and the name of its account.
    async fn named_by(
        &self,
        secret: &str,
        name: &str,
    ) -> Result<(SecretHash, String), PeopleError> {
        let (hash, invitation) = self.invitation(secret).await?;
        match invitation.name.as_str() {
            "" => Ok((hash, checked_name(name)?)),
            _ => Ok((hash, invitation.name)),
        }
    }

    async fn invitation(
        &self,
        secret: &str,
    ) -> Result<(SecretHash, InvitationRecord), PeopleError> {
        let hash = secret::hash_of_given(secret).ok_or(PeopleError::NoInvitation)?;
        let found = self.journal().invitation(hash, now()).await?;
        found
            .map(|invitation| (hash, invitation))
            .ok_or(PeopleError::NoInvitation)
    }
}
