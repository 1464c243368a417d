//! Logins and counts of guesses while the disk is full: in memory, so that people can log in and read. They end with the
//! process.

use super::guesses::Guess;
use super::logins::{LoginRecord, VolatileLogin};
use super::{Journal, JournalError, SecretHash};
use crate::sync::lock;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Mutex;

/// Most logins and counts in memory; beyond it the oldest ones go.
const MOST: usize = 10_000;

/// What could not be stored.
#[derive(Debug, Default)]
pub(super) struct Volatile {
    state: Mutex<State>,
    /// Held while an attempt is counted.
    pub(super) guessing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    logins: HashMap<SecretHash, VolatileLogin>,
    /// Numbers of stored logins that have ended.
    ended: HashSet<i64>,
    guesses: HashMap<String, Guess>,
    /// Number of logins so far.
    newest: i64,
}

impl Volatile {
    /// Begins a login. Its number is negative: no stored login has it.
    pub(super) fn begin(&self, hash: SecretHash, mut begun: VolatileLogin) {
        let mut state = lock(&self.state);
        state.newest += 1;
        begun.login.number = -state.newest;
        if state.logins.len() >= MOST {
            let oldest = state.logins.iter().max_by_key(|(_, one)| one.login.number);
            if let Some(oldest) = oldest.map(|(hash, _)| *hash) {
                state.logins.remove(&oldest);
            }
        }
        state.logins.insert(hash, begun);
    }

    pub(super) fn login(&self, hash: &SecretHash) -> Option<VolatileLogin> {
        lock(&self.state).logins.get(hash).cloned()
    }

    pub(super) fn logins(&self, person: i64) -> Vec<LoginRecord> {
        let state = lock(&self.state);
        let own = state.logins.values().filter(|one| one.person == person);
        own.map(|one| one.login.clone()).collect()
    }

    /// Ends the login `only`, or all logins of a person except `kept`; returns how many of those in memory. `stored` are
    /// the numbers of the stored ones that end with them, which could not be deleted.
    pub(super) fn end(
        &self,
        person: i64,
        only: Option<i64>,
        kept: Option<i64>,
        stored: Vec<i64>,
    ) -> usize {
        let mut state = lock(&self.state);
        let before = state.logins.len();
        state.logins.retain(|_, one| {
            let number = one.login.number;
            one.person != person || kept == Some(number) || only.is_some_and(|only| only != number)
        });
        state.ended.extend(stored);
        before - state.logins.len()
    }

    pub(super) fn has_ended(&self, number: i64) -> bool {
        lock(&self.state).ended.contains(&number)
    }

    /// Passes the counts of subjects, of which `stored` are known, to `decide`, which may change them.
    pub(super) fn with_guesses<T>(
        &self,
        mut stored: Vec<Guess>,
        current: &RangeInclusive<i64>,
        decide: impl Fn(&mut [Guess]) -> T,
    ) -> T {
        let mut state = lock(&self.state);
        let newest = |guess: &Guess| guess.since.max(guess.locked_until);
        state
            .guesses
            .retain(|_, guess| current.contains(&newest(guess)));
        for guess in &mut stored {
            if let Some(known) = state.guesses.get(&guess.subject) {
                known.clone_into(guess);
            }
        }
        let decided = decide(&mut stored);
        for guess in stored {
            if state.guesses.len() >= MOST && !state.guesses.contains_key(&guess.subject) {
                state.guesses.clear();
            }
            state.guesses.insert(guess.subject.clone(), guess);
        }
        decided
    }
}

impl Journal {
    /// Whether it can be written, as far as a write has shown within the last second.
    pub async fn is_writable(&self) -> bool {
        self.database.is_writable().await
    }

    /// Fills the disk, or makes room.
    #[cfg(test)]
    pub(crate) async fn fill(&self, is_full: bool) {
        self.database.fill(is_full).await;
    }

    /// How often a commit has waited for the disk.
    #[cfg(test)]
    pub(crate) fn waits_for_disk(&self) -> usize {
        self.database.waits_for_disk()
    }

    /// Has the answer to a commit be lost, once, in which this query finds something.
    #[cfg(test)]
    pub(crate) fn lose_answer_to(&self, sql: &'static str) {
        self.database.lose_answer_to(sql);
    }

    /// A result that does not depend on the disk: what cannot be stored because it is full is passed on as `Ok(None)`.
    pub(super) fn unless_full<T>(
        outcome: Result<T, JournalError>,
    ) -> Result<Option<T>, JournalError> {
        match outcome {
            Ok(done) => Ok(Some(done)),
            Err(JournalError::Full(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
