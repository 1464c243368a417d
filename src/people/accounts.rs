//! Accounts: made, changed and disabled by owners, and by whoever has a shell on the machine.

use super::keeping::now;
use super::{Caller, Credential, Deed, People, PeopleError, PeopleView, PersonView, Role, secret};
use crate::journal::{PersonChange, PersonChanged, PersonRecord};

/// Longest name.
const LONGEST_NAME: usize = 40;

impl People {
    /// Everybody, with what is locked.
    pub async fn everybody(&self) -> Result<PeopleView, PeopleError> {
        let mut people = Vec::new();
        for person in self.journal().people().await? {
            let logins = self.journal().logins(person.number).await?;
            people.push(PersonView {
                role: role_of(&person),
                disabled: person.disabled,
                created_at: person.created_at,
                seen_at: logins.iter().map(|login| login.seen_at).max(),
                name: person.name,
            });
        }
        Ok(PeopleView {
            people,
            locks: self.locks().await?,
        })
    }

    /// Makes an account.
    pub async fn add(
        &self,
        by: &Caller,
        name: &str,
        role: Role,
        password: &str,
    ) -> Result<(), PeopleError> {
        let name = checked_name(name)?;
        let hash = self.0.hashing.hash(password).await?;
        let deed = Deed::new("add person").detail(&format!("{name}, {role}"));
        let noted = self.audit().begin(by, deed).await?;
        let made = self
            .journal()
            .add_person(&name, role.word(), hash, false, now())
            .await?;
        let taken = || PeopleError::Invalid(format!("There is somebody called {name} already."));
        let outcome = made.map(drop).ok_or_else(taken);
        self.audit().end(noted, &outcome).await;
        outcome
    }

    /// Gives somebody another role; they have to log in again.
    pub async fn set_role(&self, by: &Caller, name: &str, role: Role) -> Result<(), PeopleError> {
        let deed = Deed::new("change role").detail(&format!("{name}, {role}"));
        let change = PersonChange::Role(role.word().to_owned());
        self.change(by, name, deed, change).await
    }

    /// Shuts somebody out, or lets them in again.
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
        let deed = Deed::new(action).detail(name);
        self.change(by, name, deed, PersonChange::Disabled(disabled))
            .await
    }

    /// Gives somebody another password and forgets wrong guesses; they have to log in again.
    pub async fn reset_password(
        &self,
        by: &Caller,
        name: &str,
        password: &str,
    ) -> Result<(), PeopleError> {
        let hash = self.0.hashing.hash(password).await?;
        let deed = Deed::new("reset password").detail(name);
        self.change(by, name, deed, PersonChange::Password(hash, None))
            .await?;
        self.forget_guesses(&format!("account {}", name.to_lowercase()))
            .await
    }

    /// Lets an account or address guess again.
    pub async fn clear_lock(&self, by: &Caller, subject: &str) -> Result<(), PeopleError> {
        let noted = self
            .audit()
            .begin(by, Deed::new("clear lock").detail(subject))
            .await?;
        let outcome = self.forget_guesses(subject).await;
        self.audit().end(noted, &outcome).await;
        outcome
    }

    /// Changes one's own password. All other logins end, and this one gets another secret, which is answered.
    pub async fn change_password(
        &self,
        by: &Caller,
        old: &str,
        new: &str,
    ) -> Result<String, PeopleError> {
        let Credential::Login(login) = by.credential else {
            return Err(PeopleError::NotFound("account of yours"));
        };
        let guesser = super::throttle::Guesser::new(&by.name, &by.address);
        self.guess(&guesser).await?;
        let person = self.named(&by.name).await?;
        if !self.0.hashing.fits(old, Some(&person.password)).await? {
            return Err(PeopleError::Invalid(
                "The present password is another one.".to_owned(),
            ));
        }
        self.guessed_right(guesser).await?;
        let hash = self.0.hashing.hash(new).await?;
        let change = PersonChange::Password(hash, Some(login));
        self.change(by, &by.name, Deed::new("change password"), change)
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
        deed: Deed,
        change: PersonChange,
    ) -> Result<(), PeopleError> {
        let person = self.named(name).await?;
        let noted = self.audit().begin(by, deed).await?;
        let outcome = match self.journal().change_person(person.number, change).await? {
            PersonChanged::Done => Ok(()),
            PersonChanged::Unknown => Err(PeopleError::NotFound("person")),
            PersonChanged::LastOwner => Err(PeopleError::LastOwner),
        };
        self.audit().end(noted, &outcome).await;
        self.look().await;
        outcome
    }

    async fn named(&self, name: &str) -> Result<PersonRecord, PeopleError> {
        let person = self.journal().person(name.trim()).await?;
        person.ok_or(PeopleError::NotFound("person"))
    }
}

/// The role of an account; a word that we do not know allows the least.
pub(super) fn role_of(person: &PersonRecord) -> Role {
    person.role.parse().unwrap_or_default()
}

/// A name as it is kept: letters that look like what they are.
pub(super) fn checked_name(name: &str) -> Result<String, PeopleError> {
    let name = name.trim();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_@".contains(letter);
    let good = (1..=LONGEST_NAME).contains(&name.len())
        && name.chars().all(plain)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if good {
        Ok(name.to_owned())
    } else {
        Err(PeopleError::Invalid(format!(
            "A name has 1 to {LONGEST_NAME} characters: letters, digits, and . - _ @ between them."
        )))
    }
}
