//! Accounts: created, changed and disabled by owners, and by users with a shell on the machine.

use super::names::{asked_name, checked_name};
use super::throttle::{Guesser, account_subject};
use super::{
    AuditAction, Caller, PasskeysHere, People, PeopleError, PeopleView, PersonView, Role, secret,
};
use crate::clock::now;
use crate::journal::{ListedPerson, PersonChange, PersonChanged, PersonRecord};

/// Most names that are offered for sharing; any other can be typed.
const NAMES: usize = 100;
/// Accounts of a page.
const PAGE: usize = 50;

impl People {
    /// Names of the people to share with: those who can log in and do not see every conversation anyway.
    pub async fn names_to_share_with(&self) -> Result<Vec<String>, PeopleError> {
        Ok(self.journal().names_but_of_owners(NAMES).await?)
    }

    /// A page of the accounts with `words` in their names, those after a name, and the current locks.
    pub async fn everybody(&self, words: &str, after: &str) -> Result<PeopleView, PeopleError> {
        let found = self.journal().people(words, after, PAGE + 1).await?;
        let is_last = found.len() <= PAGE;
        let view = |listed: ListedPerson| PersonView {
            role: role_of(&listed.person),
            disabled: listed.person.disabled,
            created_at: listed.person.created_at,
            seen_at: listed.seen_at,
            devices: listed.devices,
            passkeys: listed.passkeys,
            name: listed.person.name,
        };
        let people: Vec<PersonView> = found.into_iter().take(PAGE).map(view).collect();
        let last = people.last().filter(|_| !is_last);
        Ok(PeopleView {
            more: last.map(|last| last.name.clone()).unwrap_or_default(),
            people,
            locks: self.locks().await?,
            invitations: self.invitations().await?,
            passkey_roles: self.passkey_roles().await?,
            here: PasskeysHere::default(),
            one_time_secret: String::new(),
        })
    }

    /// Creates an account.
    ///
    /// Errors: [`PeopleError::Invalid`] for a name that is taken or not allowed, and for a password as in `Hashing::hash`.
    pub async fn add(
        &self,
        by: &Caller,
        name: &str,
        role: Role,
        password: &str,
    ) -> Result<(), PeopleError> {
        let name = checked_name(name)?;
        let hash = self.0.hashing.hash(password).await?;
        let action = AuditAction::new("add person").detail(&format!("{name}, {role}"));
        let entry = self.audit().begin(by, action).await?;
        let made = self
            .journal()
            .add_person(&name, role.word(), hash, false, now())
            .await?;
        let taken = || PeopleError::Invalid("That name is taken.".to_owned());
        let outcome = made.map(drop).ok_or_else(taken);
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Changes a person's role and ends their logins.
    ///
    /// Errors: [`PeopleError::NotFound`], and [`PeopleError::LastOwner`] if no owner would be left.
    pub async fn set_role(&self, by: &Caller, name: &str, role: Role) -> Result<(), PeopleError> {
        let action = AuditAction::new("change role").detail(&format!("{name}, {role}"));
        let change = PersonChange::Role(role.word().to_owned());
        self.change(by, name, action, change).await
    }

    /// Disables or enables an account. Errors: As [`Self::set_role`].
    pub async fn set_disabled(
        &self,
        by: &Caller,
        name: &str,
        disabled: bool,
    ) -> Result<(), PeopleError> {
        let action = if disabled {
            "disable person"
        } else {
            "enable person"
        };
        let action = AuditAction::new(action).detail(name);
        self.change(by, name, action, PersonChange::Disabled(disabled))
            .await
    }

    /// Sets a person's password and clears their failed attempts; their logins and access tokens end.
    ///
    /// Errors: [`PeopleError::NotFound`], and [`PeopleError::Invalid`] for a password as in `Hashing::hash`.
    pub async fn reset_password(
        &self,
        by: &Caller,
        name: &str,
        password: &str,
    ) -> Result<(), PeopleError> {
        let hash = self.0.hashing.hash(password).await?;
        let action = AuditAction::new("reset password").detail(name);
        self.change(by, name, action, PersonChange::Password(hash, None))
            .await?;
        self.forget_guesses(&account_subject(name)).await
    }

    /// Clears the lock of an account or address.
    pub async fn clear_lock(&self, by: &Caller, subject: &str) -> Result<(), PeopleError> {
        if !self
            .locks()
            .await?
            .iter()
            .any(|lock| lock.subject == subject)
        {
            return Ok(());
        }
        let entry = self
            .audit()
            .begin(by, AuditAction::new("unlock").detail(subject))
            .await?;
        let outcome = self.forget_guesses(subject).await;
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Changes the caller's own password. All other logins and all access tokens end; this login gets a new secret,
    /// which is returned.
    ///
    /// Errors: [`PeopleError::NeedsLogin`]; [`PeopleError::Invalid`] if `old` is wrong or `new` not allowed;
    /// [`PeopleError::Wait`] after too many failed attempts.
    pub async fn change_password(
        &self,
        by: &Caller,
        old: &str,
        new: &str,
    ) -> Result<String, PeopleError> {
        let login = by.login()?;
        // Attempts are counted per login, so that an attacker cannot keep the person from changing the password.
        let guesser = Guesser::of_login(login, &by.name);
        self.guess(&guesser).await?;
        let person = self.named(&by.name).await?;
        if !self.0.hashing.fits(old, Some(&person.password)).await? {
            return Err(PeopleError::Invalid(
                "The current password is wrong.".to_owned(),
            ));
        }
        self.guessed_right(guesser).await?;
        let hash = self.0.hashing.hash(new).await?;
        let change = PersonChange::Password(hash, Some(login));
        self.change(by, &by.name, AuditAction::new("change password"), change)
            .await?;
        let secret = secret::new();
        self.journal()
            .renew_login(login, secret::hash(&secret))
            .await?;
        Ok(secret)
    }

    async fn change(
        &self,
        by: &Caller,
        name: &str,
        action: AuditAction,
        change: PersonChange,
    ) -> Result<(), PeopleError> {
        let person = self.named(name).await?;
        let is_so = match &change {
            PersonChange::Role(role) => *role == person.role,
            PersonChange::Disabled(disabled) => *disabled == person.disabled,
            PersonChange::Password(..) => false,
        };
        if is_so {
            return Ok(());
        }
        let entry = self.audit().begin(by, action).await?;
        let outcome = match self.journal().change_person(person.number, change).await? {
            PersonChanged::Done => Ok(()),
            PersonChanged::Unknown => Err(PeopleError::NotFound("account")),
            PersonChanged::LastOwner => Err(PeopleError::LastOwner),
        };
        self.audit().end(entry, &outcome).await;
        self.notify_if_changed().await;
        outcome
    }

    /// The account with this name.
    pub(super) async fn named(&self, name: &str) -> Result<PersonRecord, PeopleError> {
        let person = self.journal().person(&asked_name(name)).await?;
        person.ok_or(PeopleError::NotFound("account"))
    }
}

/// The role of an account; an unknown word means the role with the fewest rights.
pub fn role_of(person: &PersonRecord) -> Role {
    person.role.parse().unwrap_or_default()
}
