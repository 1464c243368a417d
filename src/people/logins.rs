//! Logging in and out, and finding out who asks.
//!
//! A browser holds 256 random bits in a cookie; we hold their hash. A login ends after 7 days without use
//! and after 30 days in any case.

use super::accounts::role_of;
use super::keeping::now;
use super::throttle::Guesser;
use super::{
    AccountView, Caller, Credential, Deed, DeviceView, Linked, People, PeopleError, Role, secret,
};
use crate::journal::{LoginRecord, PersonRecord};

const DAY: i64 = 24 * 60 * 60 * 1000;
/// A login that is not used for so long ends, milliseconds.
const IDLE: i64 = 7 * DAY;
/// A login ends after so long, milliseconds.
const ABSOLUTE: i64 = 30 * DAY;
/// That it is used is noted so often, milliseconds: each note is a write.
const NOTED: i64 = 5 * 60_000;
/// Longest description of a browser, in characters.
const DEVICE: usize = 200;

/// Somebody who wants to log in.
#[derive(Debug, Clone, Copy)]
pub struct NewLogin<'a> {
    /// What they say they are called.
    pub name: &'a str,
    /// What they say their password is.
    pub password: &'a str,
    /// What their browser calls itself.
    pub device: &'a str,
    /// From where they ask.
    pub address: &'a str,
}

impl People {
    /// Logs somebody in and answers the secret for their browser.
    ///
    /// # Errors
    /// [`PeopleError::Wrong`] without a word on what is wrong, after the same time in every case;
    /// [`PeopleError::Wait`] when it was guessed too often.
    pub async fn log_in(&self, new: NewLogin<'_>) -> Result<String, PeopleError> {
        let guesser = Guesser::new(new.name, new.address);
        let waits = self.guess(&guesser).await;
        let by = Caller {
            person: 0,
            name: new.name.chars().take(64).collect(),
            role: Role::Viewer,
            address: new.address.to_owned(),
            credential: Credential::Machine,
        };
        if let Err(PeopleError::Wait(_)) = waits {
            // Not in the audit: a storm must not fill the disk.
            tracing::warn!(
                address = new.address,
                "a login was refused: too many guesses"
            );
        }
        waits?;
        let person = self.journal().person(new.name.trim()).await?;
        let hash = person.as_ref().map(|person| person.password.as_str());
        let fits = self.0.hashing.fits(new.password, hash).await?;
        let person = person.filter(|person| fits && !person.disabled);
        let by = Caller {
            person: person.as_ref().map_or(0, |person| person.number),
            ..by
        };
        let noted = self.audit().begin(&by, Deed::new("log in")).await?;
        let outcome = match person {
            Some(person) => self.begin_login(&person, &new).await,
            None => Err(PeopleError::Wrong),
        };
        if outcome.is_ok() {
            self.guessed_right(guesser).await?;
        }
        self.audit().end(noted, &outcome).await;
        outcome
    }

    pub(super) async fn begin_login(
        &self,
        person: &PersonRecord,
        new: &NewLogin<'_>,
    ) -> Result<String, PeopleError> {
        let (secret, at) = (secret::new(), now());
        let login = LoginRecord {
            number: 0,
            device: new.device.chars().take(DEVICE).collect(),
            address: new.address.to_owned(),
            begun_at: at,
            seen_at: at,
        };
        self.journal()
            .begin_login(
                person.number,
                secret::hash(&secret),
                login,
                (at - ABSOLUTE, at - IDLE),
            )
            .await?;
        Ok(secret)
    }

    /// Who has this secret in their browser; `None` when the login has ended.
    pub async fn of_browser(
        &self,
        secret: &str,
        address: &str,
    ) -> Result<Option<Caller>, PeopleError> {
        let Some(hash) = secret::hash_of_given(secret) else {
            return Ok(None);
        };
        let at = now();
        let found = self.journal().login(hash).await?;
        let Some((person, login)) = found.filter(|(_, login)| is_alive(login, at)) else {
            return Ok(None);
        };
        if at - login.seen_at > NOTED {
            self.journal().touch_login(login.number, at).await?;
        }
        Ok(Some(Caller {
            person: person.number,
            role: role_of(&person),
            name: person.name,
            address: address.to_owned(),
            credential: Credential::Login(login.number),
        }))
    }

    /// Whether somebody may still do what they could when they came.
    pub async fn still(&self, caller: &Caller) -> Result<bool, PeopleError> {
        match &caller.credential {
            Credential::Machine => return Ok(true),
            Credential::Link(visit) => return self.is_good(visit).await,
            Credential::Login(_) | Credential::Token(_) => {}
        }
        let person = self.journal().person(&caller.name).await?;
        let Some(person) =
            person.filter(|person| person.number == caller.person && !person.disabled)
        else {
            return Ok(false);
        };
        let at = now();
        Ok(match caller.credential {
            Credential::Machine | Credential::Link(_) => true,
            Credential::Login(number) => {
                let logins = self.journal().logins(caller.person).await?;
                role_of(&person) == caller.role
                    && logins
                        .iter()
                        .any(|login| login.number == number && is_alive(login, at))
            }
            Credential::Token(number) => {
                let tokens = self.tokens(caller).await?;
                role_of(&person) >= caller.role && tokens.iter().any(|token| token.number == number)
            }
        })
    }

    /// Ends this login.
    pub async fn log_out(&self, by: &Caller) -> Result<(), PeopleError> {
        match by.credential {
            Credential::Login(number) => {
                self.end(by, Deed::new("log out"), Some(number), None).await
            }
            Credential::Machine | Credential::Token(_) | Credential::Link(_) => Ok(()),
        }
    }

    /// Ends one of one's logins.
    pub async fn end_device(&self, by: &Caller, number: i64) -> Result<(), PeopleError> {
        self.end(by, Deed::new("end device"), Some(number), None)
            .await
    }

    /// Ends all of one's logins but this one.
    pub async fn end_other_devices(&self, by: &Caller) -> Result<(), PeopleError> {
        let kept = match by.credential {
            Credential::Login(number) => Some(number),
            Credential::Machine | Credential::Token(_) | Credential::Link(_) => None,
        };
        self.end(by, Deed::new("end other devices"), None, kept)
            .await
    }

    async fn end(
        &self,
        by: &Caller,
        deed: Deed,
        only: Option<i64>,
        kept: Option<i64>,
    ) -> Result<(), PeopleError> {
        let noted = self.audit().begin(by, deed).await?;
        let ended = self.journal().end_logins(by.person, only, kept).await?;
        let outcome = if only.is_some() && ended == 0 {
            Err(PeopleError::NotFound("device"))
        } else {
            Ok(())
        };
        self.audit().end(noted, &outcome).await;
        self.look().await;
        outcome
    }

    /// One's own account.
    pub async fn account(&self, by: &Caller) -> Result<AccountView, PeopleError> {
        let device = |login: LoginRecord| DeviceView {
            here: by.credential == Credential::Login(login.number),
            number: login.number,
            device: login.device,
            address: login.address,
            begun_at: login.begun_at,
            seen_at: login.seen_at,
        };
        let logins = self.journal().logins(by.person).await?;
        Ok(AccountView {
            name: by.signature().to_owned(),
            role: by.role,
            devices: logins.into_iter().map(device).collect(),
            tokens: self.tokens(by).await?,
            made: String::new(),
            openid: None,
            linked: match self.journal().has_identity(by.person).await? {
                None => Linked::No,
                Some(false) => Linked::ByOneself,
                Some(true) => Linked::FromTheStart,
            },
        })
    }
}

/// Whether a login has not ended by its age.
fn is_alive(login: &LoginRecord, at: i64) -> bool {
    at - login.seen_at <= IDLE && at - login.begun_at <= ABSOLUTE
}
