//! Who may approve what is rated high, and whether a second person has to.
//!
//! Pure: the journal reads the facts in the transaction that stores an answer, and this decides what the answer counts for.
//!
//! Invariant: of two people who have to approve, both are people with accounts of their own, logged in, and not the same;
//! and both may approve when the second one does.

use super::Role;
use crate::conversation::Risk;
use crate::words::words;
use serde::{Deserialize, Serialize};

/// Who may approve what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authority {
    /// The role with the fewest rights that may approve.
    pub least: Role,
    /// Whether a second person has to approve, too.
    pub two: bool,
    /// Whether actions without a rating count as rated high.
    pub unrated: bool,
}

impl Default for Authority {
    fn default() -> Self {
        Self {
            least: Role::Approver,
            two: false,
            unrated: false,
        }
    }
}

/// How the actions of an approval are rated, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rating {
    /// One of them is rated high.
    High,
    /// One of them is not rated, and none is rated high.
    Unrated,
    /// All are rated lower.
    Lower,
}

words! { Rating, word: High "high", Unrated "unrated", Lower "" }

impl Rating {
    /// The rating of actions of which this is the highest, and whether any is not rated.
    pub fn of(highest: Risk, is_unrated: bool) -> Self {
        match (highest, is_unrated) {
            (Risk::High, _) => Self::High,
            (_, true) => Self::Unrated,
            (_, false) => Self::Lower,
        }
    }
}

/// How somebody approves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// Themselves, logged in.
    Person,
    /// An access token with this role.
    Token(Role),
    /// A rule or an amendment that they made.
    Standing,
}

/// Somebody who approves, or has approved before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Approver {
    /// Number of the account; 0 for the local user.
    pub person: i64,
    /// Their role in the conversation, as it is now; `None` if they have lost it.
    pub role: Option<Role>,
    /// How they approve.
    pub means: Means,
}

/// What an approval counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// It suffices.
    Alone,
    /// It completes the first one.
    Second,
    /// It is the first of two.
    First,
    /// The same person has approved before.
    Same,
    /// Their role may not approve this.
    Role(Role),
    /// A second person has to approve, and this is no person with an account, logged in.
    NoPerson,
}

impl Authority {
    /// Reads what is stored. Nothing stored allows what a new installation does; what cannot be read allows the least.
    pub fn read(stored: &str) -> Self {
        match stored {
            "" => Self::default(),
            stored => serde_json::from_str(stored).unwrap_or(Self {
                least: Role::Owner,
                two: true,
                unrated: true,
            }),
        }
    }

    /// Whether it says anything about actions with this rating.
    pub fn covers(self, rating: Rating) -> bool {
        match rating {
            Rating::High => true,
            Rating::Unrated => self.unrated,
            Rating::Lower => false,
        }
    }

    /// Whether a second person has to approve actions with this rating.
    pub fn needs_two(self, rating: Rating) -> bool {
        self.two && self.covers(rating)
    }

    /// What an approval counts for.
    pub fn consent(self, rating: Rating, by: Approver, first: Option<Approver>) -> Consent {
        if !self.covers(rating) {
            return Consent::Alone;
        }
        let may = |one: &Approver| one.role.is_some_and(|role| role >= self.least);
        if !may(&by) {
            return Consent::Role(self.least);
        }
        if !self.two {
            return Consent::Alone;
        }
        if by.person <= 0 || by.means != Means::Person {
            return Consent::NoPerson;
        }
        match first.filter(may) {
            None => Consent::First,
            Some(first) if first.person == by.person => Consent::Same,
            Some(_) => Consent::Second,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Authority = Authority {
        least: Role::Approver,
        two: true,
        unrated: false,
    };

    fn person(person: i64, role: Role) -> Approver {
        Approver {
            person,
            role: Some(role),
            means: Means::Person,
        }
    }

    #[test]
    fn two_people_approve_what_is_rated_high() {
        let (ada, bob) = (person(1, Role::Owner), person(2, Role::Approver));
        let consent = |by, first| TWO.consent(Rating::High, by, first);
        assert_eq!(consent(ada, None), Consent::First);
        assert_eq!(consent(ada, Some(ada)), Consent::Same);
        assert_eq!(consent(bob, Some(ada)), Consent::Second);
        assert_eq!(
            TWO.consent(Rating::Unrated, ada, None),
            Consent::Alone,
            "owners have not said so"
        );
    }

    #[test]
    fn nobody_counts_twice_by_another_way_in() {
        let ada = person(1, Role::Owner);
        for (number, means) in [
            (1, Means::Token(Role::Owner)),
            (2, Means::Token(Role::Owner)),
            (2, Means::Standing),
            (1, Means::Standing),
            (0, Means::Person),
            (-3, Means::Person),
        ] {
            let by = Approver {
                person: number,
                role: Some(Role::Owner),
                means,
            };
            for first in [None, Some(ada)] {
                let consent = TWO.consent(Rating::High, by, first);
                assert_eq!(consent, Consent::NoPerson, "{number} {means:?}");
            }
        }
    }

    #[test]
    fn who_has_lost_the_right_does_not_count() {
        let bob = person(2, Role::Approver);
        for role in [None, Some(Role::Viewer)] {
            let ada = Approver {
                role,
                ..person(1, Role::Owner)
            };
            assert_eq!(TWO.consent(Rating::High, bob, Some(ada)), Consent::First);
            let refused = TWO.consent(Rating::High, ada, Some(bob));
            assert_eq!(refused, Consent::Role(Role::Approver));
        }
        let owners = Authority {
            least: Role::Owner,
            ..TWO
        };
        let ada = person(1, Role::Owner);
        let late = owners.consent(Rating::High, ada, Some(bob));
        assert_eq!(late, Consent::First, "the setting has changed meanwhile");
    }

    #[test]
    fn what_cannot_be_read_allows_the_least() {
        assert_eq!(Authority::read(""), Authority::default());
        let odd = Authority::read("{}");
        assert!(odd.least == Role::Owner && odd.needs_two(Rating::Unrated));
        let stored = serde_json::to_string(&TWO).expect("plain data");
        assert_eq!(Authority::read(&stored), TWO);
    }
}
