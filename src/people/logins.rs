//! Logging in and out, and authenticating requests.
//!
//! A browser holds 256 random bits in a cookie; the journal holds their hash. A login expires after 7 days without use,
//! and after 30 days in any case.
//!
//! Long because logging in, checking and ending a login must agree about when it is valid.

use super::accounts::role_of;
use super::names::asked_name;
use super::throttle::Guesser;
use super::{
    AccountView, AuditAction, Caller, Credential, DeviceView, Linked, PasskeysHere, People,
    PeopleError, Role, secret,
};
use crate::clock::now;
use crate::journal::{LoginRecord, PersonRecord, SecretHash};

const DAY: i64 = 24 * 60 * 60 * 1000;
/// A login expires after this time without use, in milliseconds.
const IDLE: i64 = 7 * DAY;
/// A login expires after this time, in milliseconds.
const ABSOLUTE: i64 = 30 * DAY;
/// Minimum interval between updates of the time of last use, in milliseconds: each update is a write.
const NOTED: i64 = 5 * 60_000;
/// Logins of a page.
const DEVICES: usize = 50;
/// Longest description of a browser, in characters.
const DEVICE: usize = 200;

/// A login attempt.
#[derive(Debug, Clone, Copy)]
pub struct NewLogin<'a> {
    /// The name as typed.
    pub name: &'a str,
    /// The password as typed.
    pub password: &'a str,
    /// The browser's description of itself.
    pub device: &'a str,
    /// The device secret from an earlier login in this browser; empty if it has none.
    pub known: &'a str,
    /// Network address of the client.
    pub address: &'a str,
}

/// The secrets that a login gives to the browser.
#[derive(Debug, Clone)]
pub struct LoginSecrets {
    /// Authenticates the login; it expires.
    pub login: String,
    /// Identifies the browser at later logins; it grants no access.
    pub device: String,
}

impl People {
    /// Logs a person in and returns the secrets for the browser.
    ///
    /// # Errors
    /// [`PeopleError::Wrong`], after the same time for every cause; [`PeopleError::Wait`] after too many failed
    /// attempts; [`PeopleError::SecondFactor`] if the password was right and a passkey must follow.
    pub async fn log_in(&self, new: NewLogin<'_>) -> Result<LoginSecrets, PeopleError> {
        let name = asked_name(new.name);
        let guesser = self.guesser(&name, &new).await?;
        let waits = self.guess(&guesser).await;
        if let Err(PeopleError::Wait(_)) = waits {
            // Not in the audit log: a flood of attempts must not fill the disk.
            tracing::warn!(
                address = new.address,
                "login refused: too many failed attempts"
            );
        }
        waits?;
        let person = self.journal().person(&name).await?;
        let hash = person.as_ref().map(|person| person.password.as_str());
        let fits = self.0.hashing.fits(new.password, hash).await?;
        let person = person.filter(|person| fits && !person.disabled);
        let by = Caller {
            person: person.as_ref().map_or(0, |person| person.number),
            name,
            role: Role::Viewer,
            address: new.address.to_owned(),
            credential: Credential::Machine,
        };
        let action = AuditAction::new("log in");
        let entry = self.audit().begin_even_if_full(&by, action).await?;
        let outcome = match person {
            Some(person) => self.enter(&person, &new).await,
            None => Err(PeopleError::Wrong),
        };
        if matches!(outcome, Ok(_) | Err(PeopleError::SecondFactor(_))) {
            self.guessed_right(guesser).await?;
        }
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Begins a login of a person who has proved one factor.
    ///
    /// Errors: [`PeopleError::SecondFactor`] if the person has a passkey, or the role requires one.
    pub(super) async fn enter(
        &self,
        person: &PersonRecord,
        new: &NewLogin<'_>,
    ) -> Result<LoginSecrets, PeopleError> {
        let factors = self.journal().factors(person.number).await?;
        if factors.passkeys > 0 || factors.required {
            return Err(PeopleError::SecondFactor(self.half_of(person)));
        }
        self.begin_login(person, new, false).await
    }

    /// The subject that this attempt counts against.
    pub(super) async fn guesser(
        &self,
        name: &str,
        new: &NewLogin<'_>,
    ) -> Result<Guesser, PeopleError> {
        // Most attempts come without a known device and need no further query.
        if let Some((device, people)) = self.known_device(new.known).await?
            && let Some(person) = self.journal().person(name).await?
            && people.contains(&person.number)
        {
            return Ok(Guesser::known(device, name));
        }
        Ok(Guesser::stranger(name, new.address))
    }

    /// Begins a login; `strong` if a passkey or a recovery code was part of it.
    pub(super) async fn begin_login(
        &self,
        person: &PersonRecord,
        new: &NewLogin<'_>,
        strong: bool,
    ) -> Result<LoginSecrets, PeopleError> {
        let (login_secret, at) = (secret::new(), now());
        // An unknown device secret is replaced: an attacker may have planted it.
        let device_secret = match self.known_device(new.known).await? {
            Some(_) => new.known.to_owned(),
            None => secret::new(),
        };
        let login = LoginRecord {
            number: 0,
            device: new.device.chars().take(DEVICE).collect(),
            address: new.address.to_owned(),
            begun_at: at,
            seen_at: at,
            strong,
        };
        let begun = self
            .journal()
            .begin_login(
                person,
                secret::hash(&login_secret),
                secret::hash(&device_secret),
                login,
                valid_since(at),
            )
            .await?;
        if !begun {
            return Err(PeopleError::Wrong);
        }
        Ok(LoginSecrets {
            login: login_secret,
            device: device_secret,
        })
    }

    /// The browser with this device secret and the people who have logged in there; `None` if nobody has.
    async fn known_device(
        &self,
        given: &str,
    ) -> Result<Option<(SecretHash, Vec<i64>)>, PeopleError> {
        let Some(hash) = secret::hash_of_given(given) else {
            return Ok(None);
        };
        let people = self.journal().known_in(hash).await?;
        Ok((!people.is_empty()).then_some((hash, people)))
    }

    /// The caller with this login secret; `None` if the login has ended.
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
        if at - login.seen_at > NOTED
            && let Err(error) = self.journal().touch_login(login.number, at).await
        {
            tracing::warn!(%error, "that a login was used could not be stored");
        }
        Ok(Some(Caller {
            person: person.number,
            role: role_of(&person),
            name: person.name,
            address: address.to_owned(),
            credential: Credential::Login(login.number),
        }))
    }

    /// Whether the caller still has the rights that were established at authentication.
    pub async fn still(&self, caller: &Caller) -> Result<bool, PeopleError> {
        match &caller.credential {
            Credential::Machine => return Ok(true),
            Credential::Link(visit) => return self.is_good(visit).await,
            Credential::Login(_) | Credential::Token(_) | Credential::ApiToken(..) => {}
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
            Credential::Token(number) | Credential::ApiToken(number, _) => {
                let tokens = self.tokens(caller).await?;
                role_of(&person) >= caller.role && tokens.iter().any(|token| token.number == number)
            }
        })
    }

    /// Ends the caller's login.
    pub async fn log_out(&self, by: &Caller) -> Result<(), PeopleError> {
        match by.credential {
            Credential::Login(number) => {
                self.end(by, AuditAction::new("log out"), (Some(number), None), false)
                    .await
            }
            Credential::Machine
            | Credential::Token(_)
            | Credential::ApiToken(..)
            | Credential::Link(_) => Ok(()),
        }
    }

    /// Ends one of the caller's logins.
    ///
    /// Errors: [`PeopleError::NotFound`] if the caller has no login of this number.
    pub async fn end_device(&self, by: &Caller, number: i64) -> Result<(), PeopleError> {
        by.login()?;
        self.end(
            by,
            AuditAction::new("log out device"),
            (Some(number), None),
            true,
        )
        .await
    }

    /// Ends all of the caller's logins except the current one. Errors: [`PeopleError::NeedsLogin`].
    pub async fn end_other_devices(&self, by: &Caller) -> Result<(), PeopleError> {
        let kept = by.login()?;
        self.end(
            by,
            AuditAction::new("log out other devices"),
            (None, Some(kept)),
            true,
        )
        .await
    }

    /// Ends the login `only`, or all of the caller's logins except `kept`; with `forget`, their browsers are no longer
    /// known.
    async fn end(
        &self,
        by: &Caller,
        action: AuditAction,
        (only, kept): (Option<i64>, Option<i64>),
        forget: bool,
    ) -> Result<(), PeopleError> {
        let logins = self.journal().logins(by.person).await?;
        let is_meant = |login: &LoginRecord| {
            only.is_none_or(|only| login.number == only) && kept != Some(login.number)
        };
        if !logins.iter().any(is_meant) {
            if only.is_some() {
                return Err(PeopleError::NotFound("device"));
            }
            let forgotten = self.journal().end_logins(by.person, only, kept, forget);
            return Ok(forgotten.await.map(drop)?);
        }
        let entry = self.audit().begin_even_if_full(by, action).await?;
        let ended = self.journal().end_logins(by.person, only, kept, forget);
        let ended = ended.await?;
        let outcome = if only.is_some() && ended == 0 {
            Err(PeopleError::NotFound("device"))
        } else {
            Ok(())
        };
        self.audit().end(entry, &outcome).await;
        self.notify_if_changed().await;
        outcome
    }

    /// The caller's own account.
    pub async fn account(&self, by: &Caller, from: usize) -> Result<AccountView, PeopleError> {
        let device = |login: LoginRecord| DeviceView {
            here: by.credential == Credential::Login(login.number),
            number: login.number,
            device: login.device,
            address: login.address,
            begun_at: login.begun_at,
            seen_at: login.seen_at,
            strong: login.strong,
        };
        let logins = self.journal().logins(by.person).await?;
        let end = from.saturating_add(DEVICES);
        let more_devices = if logins.len() > end { end } else { 0 };
        Ok(AccountView {
            name: by.signature().to_owned(),
            role: by.role,
            devices: logins
                .into_iter()
                .skip(from)
                .take(DEVICES)
                .map(device)
                .collect(),
            more_devices,
            tokens: self.tokens(by).await?,
            passkeys: self.passkeys(by).await?,
            codes: self.journal().factors(by.person).await?.codes,
            one_time_secret: String::new(),
            one_time_codes: String::new(),
            here: PasskeysHere::default(),
            openid: None,
            linked: match self.journal().has_identity(by.person).await? {
                None => Linked::No,
                Some(false) => Linked::ByOneself,
                Some(true) => Linked::FromTheStart,
            },
        })
    }
}

/// The times since which a login must have begun, and must have been used, to be valid at a time. All in milliseconds
/// since the Unix epoch.
pub fn valid_since(at: i64) -> (i64, i64) {
    (at - ABSOLUTE, at - IDLE)
}

/// Whether a login has not expired.
fn is_alive(login: &LoginRecord, at: i64) -> bool {
    at - login.seen_at <= IDLE && at - login.begun_at <= ABSOLUTE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_ends_when_it_is_old_or_was_not_used() {
        let is_alive = |begun_at, seen_at, at| {
            let login = LoginRecord {
                number: 1,
                device: String::new(),
                address: String::new(),
                begun_at,
                seen_at,
                strong: false,
            };
            super::is_alive(&login, at)
        };
        assert!(is_alive(0, 0, IDLE) && !is_alive(0, 0, IDLE + 1));
        assert!(is_alive(0, ABSOLUTE, ABSOLUTE));
        assert!(
            !is_alive(0, ABSOLUTE, ABSOLUTE + 1),
            "however much it is used"
        );
    }
}
