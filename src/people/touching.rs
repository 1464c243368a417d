//! Which approvals need a touch of a passkey: by how the actions are rated, and in which repository.
//!
//! Pure, like `authority.rs`: the journal reads the setting in the transaction that stores an answer.
//!
//! Invariant: what owners set for a repository never asks for less than what they set for all.

use super::Rating;
use crate::words::words;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most repositories with a setting of their own.
pub const MOST_REPOSITORIES: usize = 100;

/// Longest name of a repository, in bytes.
pub const LONGEST_REPOSITORY: usize = 200;

/// Which actions need a touch: each includes those before it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// None.
    #[default]
    Nothing,
    /// Those that are rated high.
    High,
    /// Those without a rating, too.
    Unrated,
    /// All.
    All,
}

words! { Reach, word: Nothing "nothing", High "high", Unrated "unrated", All "all" }

impl Reach {
    /// Whether actions with this rating need a touch.
    pub fn covers(self, rating: Rating) -> bool {
        let least = match rating {
            Rating::High => Self::High,
            Rating::Unrated => Self::Unrated,
            Rating::Lower => Self::All,
        };
        self >= least
    }
}

/// Which approvals need a touch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Touches {
    /// In all conversations.
    pub everywhere: Reach,
    /// In conversations about these repositories, by their names.
    #[serde(default)]
    pub repositories: BTreeMap<String, Reach>,
}

impl Touches {
    /// Reads what is stored. Nothing stored asks for no touch; what cannot be read asks for one each time.
    pub fn read(stored: &str) -> Self {
        match stored {
            "" => Self::default(),
            stored => serde_json::from_str(stored).unwrap_or(Self {
                everywhere: Reach::All,
                repositories: BTreeMap::new(),
            }),
        }
    }

    /// Whether an approval of actions with this rating, in a conversation about `repository`, needs a touch.
    pub fn needs(&self, rating: Rating, repository: Option<&str>) -> bool {
        let own = repository.map(|name| {
            let mut all = self.repositories.iter();
            let own = all.find(|(known, _)| known.eq_ignore_ascii_case(name));
            own.map_or(Reach::Nothing, |(_, reach)| *reach)
        });
        self.everywhere.max(own.unwrap_or_default()).covers(rating)
    }

    /// Whether any approval anywhere needs one.
    pub fn any(&self) -> bool {
        self.everywhere != Reach::Nothing || !self.repositories.is_empty()
    }
}

/// The setting, and who could touch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TouchesView {
    /// The setting.
    pub touches: Touches,
    /// People who may approve what is rated high, and have a passkey.
    pub able: usize,
    /// How many of them an approval of what is rated high needs.
    pub needed: usize,
    /// Whether passkeys work at the address of the page.
    pub here: super::PasskeysHere,
}

/// Whether a person can touch, in the browser that asks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum CanTouch {
    /// With one of their passkeys.
    #[default]
    Yes,
    /// There is no account, or no login.
    NoAccount,
    /// They have no passkey.
    NoPasskey,
    /// Their passkeys belong to this host name.
    Elsewhere(String),
    /// Browsers have no passkeys at this address.
    NotHere(super::PasskeysHere),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_adds_to_what_is_set_for_all() {
        let touches = Touches {
            everywhere: Reach::High,
            repositories: [("acme/Shop".to_owned(), Reach::All)].into(),
        };
        let needs = |rating, repository| touches.needs(rating, repository);
        assert!(needs(Rating::High, None) && needs(Rating::High, Some("acme/site")));
        assert!(!needs(Rating::Unrated, None) && !needs(Rating::Lower, Some("acme/site")));
        assert!(
            needs(Rating::Lower, Some("ACME/shop")),
            "names have no case"
        );
        let less = Touches {
            everywhere: Reach::Unrated,
            repositories: [("acme/shop".to_owned(), Reach::Nothing)].into(),
        };
        assert!(less.needs(Rating::Unrated, Some("acme/shop")));
    }

    #[test]
    fn what_cannot_be_read_asks_each_time() {
        assert!(!Touches::read("").any());
        for odd in ["{}", "x", r#"{"everywhere":"some"}"#] {
            assert!(Touches::read(odd).needs(Rating::Lower, None), "{odd}");
        }
        let known = Touches {
            everywhere: Reach::Nothing,
            repositories: [("a/b".to_owned(), Reach::High)].into(),
        };
        let stored = serde_json::to_string(&known).expect("plain data");
        assert_eq!(Touches::read(&stored), known);
        assert!(known.any());
    }
}
