//! Passkeys: as the second factor after a password, or alone; the recovery codes that stand in for them; and the roles that
//! require them.
//!
//! A challenge is sealed in its browser's cookie with the login or half login that it was made for, the host name and its
//! time, and an answer to it counts once. The browser must verify its user each time, so a passkey alone is two factors.
//!
//! Long because registering, logging in and recovering must agree on what completes half a login.

mod ceremony;
mod codes;
mod half;
mod proof;
mod touch;

pub use ceremony::Place;
pub use half::Half;
pub use proof::{Proof, challenge_of};
pub use touch::{ToTouch, amended_text};

use super::throttle::Guesser;
use super::{
    AuditAction, Caller, Credential, LoginSecrets, NewLogin, PasskeyView, PendingLogin, People,
    PeopleError, Role, Sealer, secret,
};
use crate::clock::now;
use crate::journal::{
    Accepted, NewAccount, PasskeyAdded, PasskeyEnded, PasskeyRecord, PersonRecord,
};
use ceremony::refused;
use half::{HalfOf, invitation_of};
use serde::{Deserialize, Serialize};
use webauthn_rs::prelude::{
    DiscoverableAuthentication, PasskeyRegistration, PublicKeyCredential, Uuid,
};

const REGISTRATION: &str = "a passkey's registration";
const LOGIN: &str = "a passkey's login";
/// Age of a login that may change how its person logs in, in milliseconds: who finds an open page must not stay.
const RECENT: i64 = 15 * 60 * 1000;
/// Longest name of a passkey, in characters.
const NAME: usize = 60;

/// Who registers a passkey.
#[derive(Debug, Clone, Copy)]
pub enum Registrant<'a> {
    /// A person who is logged in.
    Caller(&'a Caller),
    /// A person who may do nothing else before.
    Half(&'a Half),
}

/// A passkey that was registered.
#[derive(Debug, Clone, Default)]
pub struct Registered {
    /// The login that is complete with it.
    pub login: Option<LoginSecrets>,
    /// New recovery codes, if the person had none.
    pub codes: Vec<String>,
}

/// What a browser was asked.
#[derive(Serialize, Deserialize)]
struct Challenge<S> {
    id: String,
    began: i64,
    /// The login or half login that it was asked for; empty if a passkey alone logs in.
    session: String,
    place: String,
    /// What the authenticator knows the person by, in a registration.
    handle: Uuid,
    state: S,
}

impl<S> Challenge<S> {
    fn new(session: String, place: &Place, handle: Uuid, state: S) -> Self {
        Self {
            id: secret::new(),
            began: now(),
            session,
            place: place.name().to_owned(),
            handle,
            state,
        }
    }
}

impl Registrant<'_> {
    fn session(&self) -> Result<String, PeopleError> {
        match self {
            Self::Caller(by) => Ok(format!("login {}", by.login()?)),
            Self::Half(half) => Ok(format!("half {}", half.id)),
        }
    }
}

impl People {
    /// What a browser is asked to register a passkey, as JSON, and the sealed challenge for its cookie.
    ///
    /// # Errors
    /// [`PeopleError::NeedsRecentLogin`], and [`PeopleError::Expired`] if half a login does not allow it: whoever has a
    /// passkey must log in with it.
    pub async fn begin_passkey(
        &self,
        place: &Place,
        registrant: Registrant<'_>,
    ) -> Result<(String, String), PeopleError> {
        let session = registrant.session()?;
        let (name, known) = match registrant {
            Registrant::Caller(by) => {
                self.check_recent(by).await?;
                (by.name.as_str(), self.journal().passkeys(by.person).await?)
            }
            Registrant::Half(half) => {
                self.may_register(half).await?;
                (half.name(), Vec::new())
            }
        };
        let handle = known
            .first()
            .and_then(|one| Uuid::from_slice(&one.handle).ok());
        let handle = handle.unwrap_or_else(Uuid::new_v4);
        let (asked, state) = place.begin_registration(handle, name, &known)?;
        let challenge = Challenge::new(session, place, handle, state);
        Ok((
            asked.to_string(),
            self.0.sealer.seal(REGISTRATION, &challenge),
        ))
    }

    /// Registers the passkey in a browser's answer. Half a login is complete with it, and `new` describes the browser.
    ///
    /// # Errors
    /// As [`Self::begin_passkey`]; [`PeopleError::Expired`] if the challenge is not of this browser and place, or was used;
    /// [`PeopleError::Passkey`] if the answer is not accepted; [`PeopleError::Invalid`] if a limit is exceeded, or the name
    /// of an invited person is taken; [`PeopleError::NoInvitation`].
    pub async fn finish_passkey(
        &self,
        place: &Place,
        registrant: Registrant<'_>,
        (challenge, answer): (&str, &str),
        name: &str,
        new: NewLogin<'_>,
    ) -> Result<Registered, PeopleError> {
        let session = registrant.session()?;
        if let Registrant::Half(half) = registrant {
            self.may_register(half).await?;
        }
        let name = match name.trim() {
            "" => "Passkey",
            name => name,
        };
        if name.chars().count() > NAME {
            let text = format!("The name of a passkey can have at most {NAME} characters.");
            return Err(PeopleError::Invalid(text));
        }
        let asked =
            self.challenge::<PasskeyRegistration>(REGISTRATION, challenge, session, place)?;
        let made = place.finish_registration(answer, &asked.state)?;
        self.answered(&asked)?;
        let record = PasskeyRecord {
            number: 0,
            id: made.cred_id().to_vec(),
            handle: asked.handle.as_bytes().to_vec(),
            name: name.to_owned(),
            place: asked.place,
            credential: serde_json::to_string(&made).map_err(|error| refused(&error))?,
            created_at: now(),
            used_at: None,
        };
        match registrant {
            Registrant::Caller(by) => {
                let login = by.login()?;
                let codes = self.add_passkey(by, record, Some(login)).await?;
                Ok(Registered { login: None, codes })
            }
            Registrant::Half(half) => self.register_half(half, record, new).await,
        }
    }

    async fn register_half(
        &self,
        half: &Half,
        record: PasskeyRecord,
        new: NewLogin<'_>,
    ) -> Result<Registered, PeopleError> {
        let (person, codes) = match &half.of {
            HalfOf::Person { .. } => {
                let person = self.person_of(half).await?;
                let by = Caller::unproven(&person, new.address);
                self.complete(half)?;
                let codes = self.add_passkey(&by, record, None).await?;
                (person, codes)
            }
            HalfOf::Invited { invitation, name } => {
                let invitation = invitation_of(invitation).ok_or(PeopleError::NoInvitation)?;
                let (codes, hashes) = codes::new();
                // Nobody knows the password; the person may have an owner set one.
                let account = NewAccount {
                    name: name.clone(),
                    password: self.0.hashing.hash(&secret::new()).await?,
                    passkey: Some((record, hashes)),
                };
                let person = self.accept(invitation, account, new.address).await?;
                self.complete(half)?;
                (person, codes)
            }
        };
        let by = Caller::unproven(&person, new.address);
        let action = AuditAction::new("log in").detail("with a new passkey");
        let entry = self.audit().begin_even_if_full(&by, action).await?;
        let login = self.begin_login(&person, &new, true).await;
        self.audit().end(entry, &login).await;
        Ok(Registered {
            login: Some(login?),
            codes,
        })
    }

    /// Stores a passkey; returns new recovery codes if the person had none.
    async fn add_passkey(
        &self,
        by: &Caller,
        record: PasskeyRecord,
        login: Option<i64>,
    ) -> Result<Vec<String>, PeopleError> {
        let (codes, hashes) = codes::new();
        let action = AuditAction::new("add passkey").detail(&record.name);
        let entry = self.audit().begin(by, action).await?;
        let added = self
            .journal()
            .add_passkey(by.person, record, hashes, login)
            .await?;
        let invalid = |text: &str| Err(PeopleError::Invalid(text.to_owned()));
        let outcome = match added {
            PasskeyAdded::Done(true) => Ok(codes),
            PasskeyAdded::Done(false) => Ok(Vec::new()),
            PasskeyAdded::Taken => invalid("This passkey is registered already."),
            PasskeyAdded::TooMany => invalid("You have too many passkeys. Remove some first."),
        };
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Errors: [`PeopleError::NeedsLogin`], and [`PeopleError::NeedsRecentLogin`] if the login is older than [`RECENT`].
    async fn check_recent(&self, by: &Caller) -> Result<(), PeopleError> {
        let number = by.login()?;
        let logins = self.journal().logins(by.person).await?;
        let mut recent = logins
            .iter()
            .filter(|login| login.begun_at > now() - RECENT);
        match recent.any(|login| login.number == number) {
            true => Ok(()),
            false => Err(PeopleError::NeedsRecentLogin),
        }
    }

    /// Whether half a login may register a passkey: never in place of one that there is.
    async fn may_register(&self, half: &Half) -> Result<(), PeopleError> {
        let HalfOf::Person { .. } = half.of else {
            return Ok(());
        };
        let person = self.person_of(half).await?;
        match self.journal().factors(person.number).await?.passkeys {
            0 => Ok(()),
            _ => Err(PeopleError::Expired),
        }
    }

    /// What a browser is asked to log in with a passkey, as JSON, and the sealed challenge for its cookie: to complete half
    /// a login, or without a password.
    ///
    /// # Errors
    /// [`PeopleError::Expired`] if half a login is no longer good.
    pub async fn begin_passkey_login(
        &self,
        place: &Place,
        half: Option<&Half>,
    ) -> Result<(String, String), PeopleError> {
        let (asked, state) = match half {
            None => place.begin_login(None)?,
            Some(half) => {
                let person = self.person_of(half).await?;
                let known = self.journal().passkeys(person.number).await?;
                let here: Vec<PasskeyRecord> = known
                    .into_iter()
                    .filter(|one| one.place == place.name())
                    .collect();
                place.begin_login(Some(&here))?
            }
        };
        let session = half.map_or_else(String::new, |half| half.id.clone());
        let challenge = Challenge::new(session, place, Uuid::nil(), state);
        Ok((asked.to_string(), self.0.sealer.seal(LOGIN, &challenge)))
    }

    /// Logs in with the passkey of a browser's answer, which completes half a login, or stands for the password, too.
    ///
    /// # Errors
    /// [`PeopleError::Expired`] if the challenge is not of this browser and place, or was used; [`PeopleError::Passkey`] if
    /// the answer is not accepted; [`PeopleError::Wait`] after too many failed attempts.
    pub async fn log_in_with_passkey(
        &self,
        place: &Place,
        half: Option<&Half>,
        (challenge, answer): (&str, &str),
        new: NewLogin<'_>,
    ) -> Result<LoginSecrets, PeopleError> {
        let session = half.map_or_else(String::new, |half| half.id.clone());
        let asked =
            self.challenge::<DiscoverableAuthentication>(LOGIN, challenge, session, place)?;
        let guesser = match half {
            Some(half) => self.second_guesser(half.name(), &new).await?,
            None => Guesser::of_address("passkeys", new.address),
        };
        self.guess(&guesser).await?;
        let answer: PublicKeyCredential =
            serde_json::from_str(answer).map_err(|error| refused(&error))?;
        let found = self
            .journal()
            .passkey(answer.get_credential_id().to_vec())
            .await?;
        let Some((person, passkey)) = found else {
            // Not in the audit log: strangers must not fill the disk.
            tracing::warn!(address = new.address, "login refused: an unknown passkey");
            return Err(refused(&"it belongs to no account"));
        };
        if let Some(half) = half
            && self.person_of(half).await?.number != person.number
        {
            return Err(refused(&"it belongs to another account"));
        }
        // Without a password, the authenticator must say whose passkey it is.
        let handle = answer.get_user_unique_id();
        let is_theirs = match half {
            None => handle == Some(&*passkey.handle),
            Some(_) => handle.is_none_or(|handle| handle == passkey.handle),
        };
        let by = Caller::unproven(&person, new.address);
        let action =
            AuditAction::new("log in").detail(&format!("with the passkey {}", passkey.name));
        let entry = self.audit().begin_even_if_full(&by, action).await?;
        let verified = match is_theirs && passkey.place == place.name() {
            true => place.finish_login(&answer, asked.state.clone(), &passkey),
            false => Err(refused(&"it belongs to another account or host name")),
        };
        let outcome = match verified {
            Ok(credential) => {
                self.use_passkey(&asked, half, &person, passkey.number, credential, &new)
                    .await
            }
            Err(error) => Err(error),
        };
        if outcome.is_ok() {
            self.guessed_right(guesser).await?;
        }
        self.audit().end(entry, &outcome).await;
        outcome
    }

    async fn use_passkey(
        &self,
        asked: &Challenge<DiscoverableAuthentication>,
        half: Option<&Half>,
        person: &PersonRecord,
        number: i64,
        credential: String,
        new: &NewLogin<'_>,
    ) -> Result<LoginSecrets, PeopleError> {
        self.answered(asked)?;
        if let Some(half) = half {
            self.complete(half)?;
        }
        self.journal()
            .touch_passkey(number, credential, now())
            .await?;
        self.begin_login(person, new, true).await
    }

    /// Completes half a login with a recovery code, which is used up.
    ///
    /// # Errors
    /// [`PeopleError::WrongCode`] if the person has no such code; [`PeopleError::Wait`] after too many failed attempts, which are
    /// counted apart from those of passwords; [`PeopleError::Expired`].
    pub async fn log_in_with_code(
        &self,
        half: &Half,
        code: &str,
        new: NewLogin<'_>,
    ) -> Result<LoginSecrets, PeopleError> {
        let person = self.person_of(half).await?;
        let guesser = self.second_guesser(half.name(), &new).await?;
        self.guess(&guesser).await?;
        let by = Caller::unproven(&person, new.address);
        let action = AuditAction::new("log in").detail("with a recovery code");
        let entry = self.audit().begin_even_if_full(&by, action).await?;
        let used = self
            .journal()
            .use_code(person.number, codes::hash(code))
            .await;
        let outcome = match used {
            Ok(true) => match self.complete(half) {
                Ok(()) => self.begin_login(&person, &new, true).await,
                Err(error) => Err(error),
            },
            Ok(false) => Err(PeopleError::WrongCode),
            Err(error) => Err(error.into()),
        };
        if outcome.is_ok() {
            self.guessed_right(guesser).await?;
        }
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// What is still to come in half a login, at a place where passkeys work or not.
    ///
    /// Errors: [`PeopleError::Expired`].
    pub async fn pending_login(
        &self,
        half: &Half,
        place: Option<&Place>,
    ) -> Result<PendingLogin, PeopleError> {
        let HalfOf::Person { .. } = half.of else {
            return Ok(PendingLogin {
                name: half.name().to_owned(),
                registers: true,
                ..PendingLogin::default()
            });
        };
        let person = self.person_of(half).await?;
        let factors = self.journal().factors(person.number).await?;
        let passkeys = self.journal().passkeys(person.number).await?;
        let is_here =
            |passkey: &PasskeyRecord| place.is_some_and(|place| passkey.place == place.name());
        let mut elsewhere: Vec<String> = passkeys.iter().map(|one| one.place.clone()).collect();
        elsewhere.sort();
        elsewhere.dedup();
        Ok(PendingLogin {
            registers: passkeys.is_empty(),
            is_here: passkeys.iter().any(is_here),
            places: elsewhere,
            has_codes: factors.codes > 0,
            name: person.name,
        })
    }

    /// The caller's passkeys, oldest first.
    pub(super) async fn passkeys(&self, by: &Caller) -> Result<Vec<PasskeyView>, PeopleError> {
        let view = |passkey: PasskeyRecord| PasskeyView {
            number: passkey.number,
            name: passkey.name,
            place: passkey.place,
            created_at: passkey.created_at,
            used_at: passkey.used_at,
        };
        let passkeys = self.journal().passkeys(by.person).await?;
        Ok(passkeys.into_iter().map(view).collect())
    }

    /// Removes one of the caller's passkeys.
    ///
    /// Errors: [`PeopleError::NeedsRecentLogin`]; [`PeopleError::NotFound`]; [`PeopleError::Invalid`] if the caller's role requires
    /// one and there is no other.
    pub async fn end_passkey(&self, by: &Caller, number: i64) -> Result<(), PeopleError> {
        self.check_recent(by).await?;
        let known = self.journal().passkeys(by.person).await?;
        let known = known.into_iter().find(|passkey| passkey.number == number);
        let known = known.ok_or(PeopleError::NotFound("passkey"))?;
        let action = AuditAction::new("remove passkey").detail(&known.name);
        let entry = self.audit().begin(by, action).await?;
        let outcome = match self.journal().end_passkey(by.person, number).await? {
            PasskeyEnded::Done => Ok(()),
            PasskeyEnded::Unknown => Err(PeopleError::NotFound("passkey")),
            PasskeyEnded::Required => Err(PeopleError::Invalid(
                "Your role requires a passkey. Add another one before you remove this one."
                    .to_owned(),
            )),
        };
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// Replaces the caller's recovery codes; returns the new ones.
    ///
    /// Errors: [`PeopleError::NeedsRecentLogin`]; [`PeopleError::Invalid`] if the caller has no passkey.
    pub async fn renew_codes(&self, by: &Caller) -> Result<Vec<String>, PeopleError> {
        self.check_recent(by).await?;
        if self.journal().factors(by.person).await?.passkeys == 0 {
            return Err(PeopleError::Invalid("Add a passkey first.".to_owned()));
        }
        let (codes, hashes) = codes::new();
        let action = AuditAction::new("renew recovery codes");
        let entry = self.audit().begin(by, action).await?;
        let kept = self.journal().keep_codes(by.person, hashes).await;
        self.audit().end(entry, &kept).await;
        kept?;
        Ok(codes)
    }

    /// Removes all passkeys and recovery codes of a person, whose sessions and access tokens end.
    ///
    /// Errors: [`PeopleError::NotFound`].
    pub async fn reset_passkeys(&self, by: &Caller, name: &str) -> Result<(), PeopleError> {
        let person = self.named(name).await?;
        let action = AuditAction::new("reset passkeys").detail(name);
        let entry = self.audit().begin(by, action).await?;
        let ended = self.journal().end_passkeys(person.number).await;
        self.audit().end(entry, &ended).await;
        self.notify_if_changed().await;
        self.forget_guesses(&Guesser::second_subject(name)).await?;
        Ok(ended.map(drop)?)
    }

    /// The roles that require a passkey.
    pub async fn passkey_roles(&self) -> Result<Vec<Role>, PeopleError> {
        let words = self.journal().passkey_roles().await?;
        let has = |role: &Role| words.iter().any(|word| word == role.word());
        Ok(Role::ALL.into_iter().filter(has).collect())
    }

    /// Has exactly these roles require a passkey. The sessions without one of those who have them end.
    ///
    /// Errors: [`PeopleError::Invalid`] if it would shut out the caller, who has none.
    pub async fn require_passkeys(&self, by: &Caller, roles: &[Role]) -> Result<(), PeopleError> {
        if roles.contains(&by.role)
            && matches!(by.credential, Credential::Login(_))
            && self.journal().factors(by.person).await?.passkeys == 0
        {
            let text = "Add a passkey to your own account first: your role is one of these.";
            return Err(PeopleError::Invalid(text.to_owned()));
        }
        let words: Vec<String> = roles.iter().map(|role| role.word().to_owned()).collect();
        let detail = match words.is_empty() {
            true => "no role".to_owned(),
            false => words.join(", "),
        };
        let action = AuditAction::new("require passkeys").detail(&detail);
        let entry = self.audit().begin(by, action).await?;
        let kept = self.journal().require_passkeys(words).await;
        self.audit().end(entry, &kept).await;
        self.notify_if_changed().await;
        Ok(kept?)
    }

    /// Makes the account of an invitation.
    ///
    /// Errors: [`PeopleError::NoInvitation`], and [`PeopleError::Invalid`] if the name is taken.
    pub(super) async fn accept(
        &self,
        invitation: crate::journal::SecretHash,
        account: NewAccount,
        address: &str,
    ) -> Result<PersonRecord, PeopleError> {
        let by = Caller {
            person: 0,
            name: account.name.clone(),
            role: Role::Viewer,
            address: address.to_owned(),
            credential: Credential::Machine,
        };
        let action = AuditAction::new("accept invitation");
        let entry = self.audit().begin(&by, action).await?;
        let accepted = self.journal().accept_invitation(invitation, account, now());
        let outcome = match accepted.await? {
            Accepted::Done(person) => Ok(person),
            Accepted::Gone => Err(PeopleError::NoInvitation),
            Accepted::Taken => Err(PeopleError::Invalid(
                "That name is taken. Choose another one.".to_owned(),
            )),
        };
        self.audit().end(entry, &outcome).await;
        outcome
    }

    /// The challenge in a cookie, if it was made for this session and place, and is good.
    fn challenge<S: serde::de::DeserializeOwned>(
        &self,
        purpose: &str,
        sealed: &str,
        session: String,
        place: &Place,
    ) -> Result<Challenge<S>, PeopleError> {
        let challenge: Option<Challenge<S>> = self.0.sealer.open(purpose, sealed);
        let is_good = |challenge: &Challenge<S>| {
            challenge.session == session
                && challenge.place == place.name()
                && Sealer::is_current(challenge.began)
                && !self.0.sealer.was_used(&challenge.id)
        };
        challenge.filter(is_good).ok_or(PeopleError::Expired)
    }

    /// Uses a challenge that was answered: of two answers one counts.
    fn answered<S>(&self, challenge: &Challenge<S>) -> Result<(), PeopleError> {
        let is_new = self.0.sealer.use_once(&challenge.id, challenge.began);
        is_new.then_some(()).ok_or(PeopleError::Expired)
    }

    async fn second_guesser(&self, name: &str, new: &NewLogin<'_>) -> Result<Guesser, PeopleError> {
        Ok(self.guesser(name, new).await?.for_second_factor())
    }
}
