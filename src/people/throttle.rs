//! How often a password may be guessed wrongly: per account and per address.
//!
//! A guess is counted before it is looked at and taken back when it was right, so that a thousand guesses at
//! once are a thousand guesses. An account that does not exist is counted like one that does.

use super::keeping::now;
use super::{LockView, People, PeopleError};
use crate::journal::Guess;

/// Wrong guesses about one account that are free.
const FREE_PER_ACCOUNT: i64 = 5;
/// The time in which they are counted, milliseconds.
const WINDOW: i64 = 5 * 60_000;
/// What the first guess too many costs; it doubles with each further one. Milliseconds.
const FIRST_LOCK: i64 = 30_000;
/// The longest wait, milliseconds.
const LONGEST_LOCK: i64 = 15 * 60_000;
/// Wrong guesses from one address that are free.
const FREE_PER_ADDRESS: i64 = 10;
/// Afterwards one guess per so many milliseconds.
const PER_ADDRESS: i64 = 6_000;

/// Whom guesses count against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guesser {
    account: String,
    address: String,
}

impl Guesser {
    pub(super) fn new(name: &str, address: &str) -> Self {
        // Nobody has a longer name: all of those are one account that does not exist.
        let name: String = name.to_lowercase().chars().take(64).collect();
        Self {
            account: format!("account {name}"),
            address: format!("address {address}"),
        }
    }
}

impl People {
    /// Counts a guess.
    ///
    /// # Errors
    /// [`PeopleError::Wait`] when it must not be looked at; it is not counted then.
    pub(super) async fn guess(&self, guesser: &Guesser) -> Result<(), PeopleError> {
        let subjects = vec![guesser.account.clone(), guesser.address.clone()];
        let at = now();
        let wait = self
            .journal()
            .with_guesses(subjects, move |guesses| {
                let wait = guesses.iter().map(|guess| guess.locked_until - at).max();
                // A longer one comes of a clock that was put back: it must not keep anybody out for years.
                if let Some(wait) = wait.filter(|wait| (1..=LONGEST_LOCK).contains(wait)) {
                    return wait;
                }
                if let [account, address] = guesses {
                    count(account, at);
                    if account.failures > FREE_PER_ACCOUNT - 1 {
                        let doublings = (account.failures - FREE_PER_ACCOUNT).clamp(0, 10);
                        account.locked_until = at + (FIRST_LOCK << doublings).min(LONGEST_LOCK);
                    }
                    count(address, at);
                    if address.failures > FREE_PER_ADDRESS - 1 {
                        address.locked_until = at + PER_ADDRESS;
                    }
                }
                0
            })
            .await?;
        match u64::try_from(wait) {
            Ok(wait) if wait > 0 => Err(PeopleError::Wait(wait.div_ceil(1000))),
            _ => Ok(()),
        }
    }

    /// The guess was right: it and those before it are forgotten.
    pub(super) async fn guessed_right(&self, guesser: Guesser) -> Result<(), PeopleError> {
        let subjects = vec![guesser.account, guesser.address];
        Ok(self.journal().with_guesses(subjects, forget).await?)
    }

    /// Everything that is locked now.
    pub(super) async fn locks(&self) -> Result<Vec<LockView>, PeopleError> {
        let locked = self.journal().locked(now()).await?;
        let view = |guess: Guess| LockView {
            subject: guess.subject,
            failures: guess.failures,
            until: guess.locked_until,
        };
        Ok(locked.into_iter().map(view).collect())
    }

    /// Takes a lock away.
    pub(super) async fn forget_guesses(&self, subject: &str) -> Result<(), PeopleError> {
        let subjects = vec![subject.to_owned()];
        Ok(self.journal().with_guesses(subjects, forget).await?)
    }
}

/// One more, unless the last ones are long ago.
fn count(guess: &mut Guess, at: i64) {
    let recent = (0..=WINDOW).contains(&(at - guess.since.max(guess.locked_until)));
    if !recent || guess.failures == 0 {
        guess.failures = 0;
        guess.since = at;
        guess.locked_until = 0;
    }
    guess.failures += 1;
}

fn forget(guesses: &mut [Guess]) {
    for guess in guesses {
        guess.failures = 0;
    }
}
