//! The bytes of request bodies in memory: limits per user, and one for all.
//!
//! A body takes bytes as they arrive, so an unfinished one holds what has arrived and no more. When the limit for all is
//! reached, a user who holds less goes first: the oldest unfinished body of the user who holds most is given up. So nobody
//! who sends slowly can keep others from sending.

use crate::sync::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// Bytes of each body that are free, so that a command is never refused for the uploads of others. Each user has a limit of
/// concurrent requests.
pub const SMALL: usize = 64 << 10;
/// Bytes of one user: an import of the largest size, and a message with pictures.
const OF_ONE: usize = 72 << 20;
/// Bytes of all users.
const OF_ALL: usize = 160 << 20;

/// Why a body cannot be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// This user has too much in flight.
    OfOne,
    /// All users together have.
    OfAll,
}

/// The bytes in flight. Cheap to clone; clones share their state.
#[derive(Clone, Default)]
pub struct Budget(Arc<Mutex<Spent>>);

#[derive(Default)]
struct Spent {
    newest: u64,
    shares: HashMap<u64, Share>,
}

/// What one body holds.
struct Share {
    person: i64,
    bytes: usize,
    /// Given up if its bytes are needed; `None` once it has arrived completely.
    arriving: Option<CancellationToken>,
}

/// Holds the bytes of one body until it is dropped.
pub struct Reservation {
    budget: Budget,
    number: u64,
    /// Cancelled if another user needs the bytes.
    pub given_up: CancellationToken,
}

impl Budget {
    /// Begins a body of this user.
    pub fn begin(&self, person: i64) -> Reservation {
        let given_up = CancellationToken::new();
        let mut spent = lock(&self.0);
        spent.newest += 1;
        let number = spent.newest;
        let arriving = Some(given_up.clone());
        spent.shares.insert(
            number,
            Share {
                person,
                bytes: 0,
                arriving,
            },
        );
        drop(spent);
        Reservation {
            budget: self.clone(),
            number,
            given_up,
        }
    }
}

impl Spent {
    fn of(&self, person: i64) -> usize {
        let shares = self.shares.values().filter(|share| share.person == person);
        shares.map(|share| share.bytes).sum()
    }

    fn all(&self) -> usize {
        self.shares.values().map(|share| share.bytes).sum()
    }

    /// The unfinished body to give up for a user who then holds `bytes`: the oldest of the user who holds most.
    fn victim(&self, bytes: usize) -> Option<u64> {
        let arriving = self
            .shares
            .iter()
            .filter(|(_, share)| share.arriving.is_some() && share.bytes > 0);
        let weighed = arriving.map(|(number, share)| (self.of(share.person), *number));
        let most = weighed.max_by_key(|(of_one, number)| (*of_one, std::cmp::Reverse(*number)));
        most.filter(|(of_one, _)| *of_one > bytes)
            .map(|(_, number)| number)
    }
}

impl Reservation {
    /// Holds `received` bytes in all.
    ///
    /// # Errors
    /// The limit that is reached. What was held is free then.
    pub fn grow(&self, received: usize) -> Result<(), Full> {
        let bytes = received.saturating_sub(SMALL);
        let mut spent = lock(&self.budget.0);
        let Some(share) = spent.shares.get_mut(&self.number) else {
            return Err(Full::OfAll);
        };
        if bytes <= share.bytes {
            return Ok(());
        }
        let person = share.person;
        share.bytes = bytes;
        let of_one = spent.of(person);
        let mut full = (of_one > OF_ONE).then_some(Full::OfOne);
        while full.is_none() && spent.all() > OF_ALL {
            match spent.victim(of_one).filter(|victim| *victim != self.number) {
                Some(victim) => {
                    let share = spent.shares.remove(&victim);
                    share
                        .and_then(|share| share.arriving)
                        .iter()
                        .for_each(CancellationToken::cancel);
                }
                None => full = Some(Full::OfAll),
            }
        }
        match full {
            Some(full) => {
                spent.shares.remove(&self.number);
                Err(full)
            }
            None => Ok(()),
        }
    }

    /// The body has arrived completely: it is not given up any more. `false` if it was before.
    pub fn arrived(&self) -> bool {
        let mut spent = lock(&self.budget.0);
        let share = spent.shares.get_mut(&self.number);
        share.map(|share| share.arriving = None).is_some()
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        lock(&self.budget.0).shares.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_body_is_always_held_and_a_user_has_a_limit() {
        let budget = Budget::default();
        let large = budget.begin(1);
        assert_eq!(large.grow(OF_ONE + SMALL), Ok(()));
        let second = budget.begin(1);
        assert_eq!(second.grow(SMALL), Ok(()));
        assert_eq!(second.grow(SMALL + 1), Err(Full::OfOne));
        assert_eq!(budget.begin(2).grow(OF_ONE), Ok(()));
        drop(large);
        assert_eq!(budget.begin(1).grow(OF_ONE), Ok(()));
    }

    #[test]
    fn who_holds_least_goes_first_and_an_arrived_body_stays() {
        let budget = Budget::default();
        let hold = |person, bytes: usize| {
            let reservation = budget.begin(person);
            reservation.grow(bytes + SMALL).map(|()| reservation)
        };
        let whole = hold(1, 70 << 20).ok().filter(Reservation::arrived);
        let (first, second) = (hold(2, 40 << 20), hold(2, 30 << 20));
        let (first, second) = (
            first.expect("there is room"),
            second.expect("there is room"),
        );
        let small = hold(3, 25 << 20).expect("it is smaller");
        assert!(first.given_up.is_cancelled() && !second.given_up.is_cancelled());
        assert_eq!(first.grow(50 << 20), Err(Full::OfAll));
        assert!(!first.arrived());
        // The user with the most left has only what has arrived.
        assert!(matches!(hold(4, 60 << 20), Err(Full::OfAll)));
        drop(whole);
        assert!(hold(4, 60 << 20).is_ok() && !small.given_up.is_cancelled());
    }

    proptest! {
        #[test]
        fn nobody_ever_holds_more_than_the_limits(steps in proptest::collection::vec((0..4_i64, 0..12_usize, 0..90_usize), 1..60)) {
            let budget = Budget::default();
            let mut reservations: Vec<Reservation> = Vec::new();
            for (person, at, megabytes) in steps {
                match reservations.get(at) {
                    Some(one) => drop(one.grow(megabytes << 20)),
                    None => reservations.push(budget.begin(person)),
                }
                if megabytes % 7 == 0 && !reservations.is_empty() {
                    reservations.remove(0);
                }
                let spent = lock(&budget.0);
                prop_assert!(spent.all() <= OF_ALL);
                prop_assert!((0..4).all(|person| spent.of(person) <= OF_ONE));
            }
            drop(reservations);
            prop_assert!(lock(&budget.0).shares.is_empty());
        }
    }
}
