//! When each user was first shown each pending approval.
//!
//! An approval counts as shown when it was first sent to a user: in a page, a live frame or the inbox. An answer within
//! [`MIN_VIEW_TIME`] of that time does not count, because nobody can have read the action: it may be the second of two
//! clicks after another approval has taken the same place. Pages wait as well and know better what is visible; this
//! check also covers pages without scripts, and access tokens.

use super::lock;
use crate::people::Caller;
use hashlink::LinkedHashMap;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Least time from showing to answering: less than reading takes, more than a double click (`ui/parts/arming.rs`, too).
pub const MIN_VIEW_TIME: Duration = Duration::from_millis(700);

/// Approvals remembered per user, far more than are pending at a time. A forgotten one has to be shown again.
const MOST: usize = 4096;

/// Maximum length of a token. Longer ones are invalid and not remembered.
const LONGEST: usize = 64;

/// When each approval, by its token, was first sent to each user, by number.
pub(super) struct Seen {
    least: Duration,
    first: Mutex<HashMap<i64, LinkedHashMap<String, Instant>>>,
}

impl Seen {
    pub(super) fn new(least: Duration) -> Self {
        let first = Mutex::default();
        Self { least, first }
    }

    /// Remembers that an approval was sent to a user. Visitors, with negative numbers, never answer.
    pub(super) fn handed_out(&self, person: i64, token: &str) {
        if person >= 0 {
            self.hand_out(person, token, Instant::now());
        }
    }

    /// Whether an approval was shown to the user long enough for an answer to count.
    pub(super) fn has_seen(&self, by: &Caller, token: &str) -> bool {
        self.long_enough(by.person, token, Instant::now())
    }

    /// Remembers that an approval was shown to a user at `now`, and returns when it was first shown.
    fn hand_out(&self, person: i64, token: &str, now: Instant) -> Instant {
        if token.len() > LONGEST {
            return now;
        }
        let mut first = lock(&self.first);
        let tokens = first.entry(person).or_default();
        if let Some(since) = tokens.get(token) {
            return *since;
        }
        tokens.insert(token.to_owned(), now);
        if tokens.len() > MOST {
            tokens.pop_front();
        }
        now
    }

    /// Whether a user may answer `now`. What was never sent counts as shown now: the token came from elsewhere.
    fn long_enough(&self, person: i64, token: &str, now: Instant) -> bool {
        let since = self.hand_out(person, token, now);
        now.saturating_duration_since(since) >= self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: i64 = 1;
    const BOB: i64 = 2;

    #[test]
    fn each_person_has_a_question_since_it_was_first_handed_out_to_them() {
        let seen = Seen::new(MIN_VIEW_TIME);
        let began = Instant::now();
        let after = |milliseconds| began + Duration::from_millis(milliseconds);
        seen.hand_out(ADA, "a", began);
        seen.hand_out(ADA, "a", after(500));
        assert!(!seen.long_enough(ADA, "a", after(699)));
        assert!(seen.long_enough(ADA, "a", after(700)));
        seen.hand_out(BOB, "a", after(600));
        assert!(!seen.long_enough(BOB, "a", after(1_000)));
        assert!(!seen.long_enough(ADA, "b", after(5_000)), "it is another");
    }

    #[test]
    fn what_was_never_handed_out_is_looked_at_from_the_first_answer_on() {
        let seen = Seen::new(MIN_VIEW_TIME);
        let began = Instant::now();
        assert!(!seen.long_enough(ADA, "a", began));
        assert!(seen.long_enough(ADA, "a", began + MIN_VIEW_TIME));
    }

    #[test]
    fn a_flood_of_questions_makes_one_person_look_again_and_nobody_else() {
        let seen = Seen::new(MIN_VIEW_TIME);
        let began = Instant::now();
        seen.hand_out(ADA, "a", began);
        seen.hand_out(BOB, "a", began);
        for number in 0..MOST {
            seen.hand_out(ADA, &number.to_string(), began);
        }
        assert_eq!(lock(&seen.first)[&ADA].len(), MOST);
        assert!(!seen.long_enough(ADA, &"x".repeat(1 << 20), began));
        assert_eq!(lock(&seen.first)[&ADA].len(), MOST);
        assert!(!seen.long_enough(ADA, "a", began + MIN_VIEW_TIME));
        assert!(seen.long_enough(BOB, "a", began + MIN_VIEW_TIME));
    }
}
