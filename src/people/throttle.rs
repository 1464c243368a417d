//! Throttling of failed attempts with passwords, recovery codes and passkeys, per account and per address.
//!
//! An attempt is counted before the password is checked and taken back if it was right, so that a thousand concurrent
//! attempts count as a thousand. Nonexistent accounts are counted like existing ones. Attempts from a browser in which
//! the account has logged in before count against that browser alone, so that strangers can lock the account out there
//! neither by its name nor from the same address.

use super::names::asked_name;
use super::{LockView, People, PeopleError};
use crate::clock::now;
use crate::journal::{Guess, SecretHash};
use data_encoding::HEXLOWER;
use std::net::{IpAddr, Ipv6Addr};
use std::ops::RangeInclusive;

/// Free failed attempts per account.
const FREE_PER_ACCOUNT: i64 = 5;
/// Time window in which they are counted, in milliseconds.
const WINDOW: i64 = 5 * 60_000;
/// Lock after the last free attempt, in milliseconds; it doubles with each further one.
const FIRST_LOCK: i64 = 30_000;
/// Longest lock, in milliseconds.
const LONGEST_LOCK: i64 = 15 * 60_000;
/// Free failed attempts per address.
const FREE_PER_ADDRESS: i64 = 10;
/// Afterwards one attempt per this interval, in milliseconds.
const PER_ADDRESS: i64 = 6_000;

/// Marks the subjects of second factors.
const SECOND: &str = "second factor of";

/// The subjects that attempts count against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Guesser {
    /// An account, or a known browser or login of it.
    account: String,
    /// Unless the browser or login is known.
    address: Option<String>,
}

impl Guesser {
    /// An attempt from an unknown browser.
    pub(super) fn stranger(name: &str, address: &str) -> Self {
        Self {
            account: account_subject(name),
            address: Some(address_subject(address)),
        }
    }

    /// An attempt from a browser in which this account has logged in before.
    pub(super) fn known(device: SecretHash, name: &str) -> Self {
        let browser = HEXLOWER.encode(&device[..4]);
        Self {
            account: format!("browser {browser} of {}", asked_name(name)),
            address: None,
        }
    }

    /// An attempt of a logged-in person who has to enter the password again.
    pub(super) fn of_login(login: i64, name: &str) -> Self {
        Self {
            account: format!("login {login} of {}", asked_name(name)),
            address: None,
        }
    }

    /// An attempt with something that names nobody: passkeys, or invitations.
    pub(super) fn of_address(what: &str, address: &str) -> Self {
        Self {
            account: format!("{what} from {}", address_subject(address)),
            address: None,
        }
    }

    /// The same for a second factor, which is counted apart: whoever knows the password resets its count each time.
    pub(super) fn for_second_factor(self) -> Self {
        Self {
            account: format!("{SECOND} {}", self.account),
            ..self
        }
    }

    /// The subject for the second factor of an account.
    pub(super) fn second_subject(name: &str) -> String {
        format!("{SECOND} {}", account_subject(name))
    }

    fn subjects(&self) -> Vec<String> {
        let address = self.address.iter();
        [&self.account]
            .into_iter()
            .chain(address)
            .cloned()
            .collect()
    }
}

/// The subject for an account.
pub(super) fn account_subject(name: &str) -> String {
    format!("account {}", asked_name(name))
}

/// The subject for an address. An IPv6 client controls a whole /64, so that network counts as one address.
fn address_subject(address: &str) -> String {
    match address
        .parse::<IpAddr>()
        .map(|address| address.to_canonical())
    {
        Ok(IpAddr::V6(address)) => {
            let network = Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX));
            format!("address {network}/64")
        }
        Ok(IpAddr::V4(address)) => format!("address {address}"),
        Err(_) => format!("address {address}"),
    }
}

/// The timestamps for which counts are still relevant.
fn current() -> RangeInclusive<i64> {
    let at = now();
    // A lock ends in the future; a later timestamp is an artefact of a clock that was set back.
    at - WINDOW..=at + LONGEST_LOCK
}

impl People {
    /// Counts an attempt.
    ///
    /// # Errors
    /// [`PeopleError::Wait`] if the password must not be checked now; then the attempt is not counted.
    pub(super) async fn guess(&self, guesser: &Guesser) -> Result<(), PeopleError> {
        let subjects = guesser.subjects();
        let at = now();
        let wait = self
            .journal()
            .with_guesses(subjects, current(), move |guesses| {
                let wait = guesses.iter().map(|guess| guess.locked_until - at).max();
                // A longer wait is an artefact of a clock that was set back, and must not lock anyone out for years.
                if let Some(wait) = wait.filter(|wait| (1..=LONGEST_LOCK).contains(wait)) {
                    return wait;
                }
                if let [account, addresses @ ..] = guesses {
                    count(account, at);
                    if account.failures > FREE_PER_ACCOUNT - 1 {
                        let doublings = (account.failures - FREE_PER_ACCOUNT).clamp(0, 10);
                        account.locked_until = at + (FIRST_LOCK << doublings).min(LONGEST_LOCK);
                    }
                    let Some(address) = addresses.first_mut() else {
                        return 0;
                    };
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

    /// Takes back a successful attempt and resets the count of the account. The count of the address only loses this
    /// attempt: otherwise an attacker with an account could log in to go on guessing others.
    pub(super) async fn guessed_right(&self, guesser: Guesser) -> Result<(), PeopleError> {
        let right = |guesses: &mut [Guess]| {
            let Some((account, addresses)) = guesses.split_first_mut() else {
                return;
            };
            account.failures = 0;
            for address in addresses {
                address.failures = (address.failures - 1).max(0);
                if address.failures < FREE_PER_ADDRESS {
                    address.locked_until = 0;
                }
            }
        };
        let (journal, subjects) = (self.journal(), guesser.subjects());
        Ok(journal.with_guesses(subjects, current(), right).await?)
    }

    /// All current locks.
    pub(super) async fn locks(&self) -> Result<Vec<LockView>, PeopleError> {
        let locked = self.journal().locked(now()).await?;
        let view = |guess: Guess| LockView {
            subject: guess.subject,
            failures: guess.failures,
            until: guess.locked_until,
        };
        Ok(locked.into_iter().map(view).collect())
    }

    /// Clears a lock.
    pub(super) async fn forget_guesses(&self, subject: &str) -> Result<(), PeopleError> {
        let subjects = vec![subject.to_owned()];
        let journal = self.journal();
        Ok(journal.with_guesses(subjects, current(), forget).await?)
    }
}

/// Counts one attempt, starting a new window if the last one is over.
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
