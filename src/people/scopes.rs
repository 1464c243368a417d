//! What an access token for the API may do. Its owner's role is the limit of all of it.

use super::{Right, Role};
use crate::words::words;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One kind of what a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Read conversations.
    Read,
    /// Create conversations, send messages, and stop agents.
    Send,
    /// Approve and reject actions.
    Approve,
    /// Read what owners alone may.
    Admin,
}

words! { Scope, word: Read "read", Send "send", Approve "approve", Admin "admin" }

impl Scope {
    /// The highest right that it is about.
    pub fn right(self) -> Right {
        match self {
            Self::Read => Right::Read,
            Self::Send => Right::Operate,
            Self::Approve => Right::Answer,
            Self::Admin => Right::Own,
        }
    }
}

/// The scopes of a token. As a text they are words with blanks between, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Scopes(u8);

impl Scopes {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// These, and one more.
    #[must_use]
    pub fn with(self, scope: Scope) -> Self {
        Self(self.0 | Self::bit(scope))
    }

    /// Whether one is among them.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & Self::bit(scope) != 0
    }

    /// The lowest role that has the rights of all of them.
    pub fn role(self) -> Role {
        let allows = |role: &Role| self.all().all(|scope| role.may(scope.right()));
        Role::ALL.into_iter().find(allows).unwrap_or_default()
    }

    fn all(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    fn bit(scope: Scope) -> u8 {
        1 << scope as u8
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.all().map(Scope::word).collect();
        f.pad(&words.join(" "))
    }
}

impl FromStr for Scopes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split_whitespace()
            .try_fold(Self::NONE, |scopes, word| match Scope::from_word(word) {
                Some(scope) => Ok(scopes.with(scope)),
                None => Err(format!(
                    "unknown scope {word:?}; use read, send, approve or admin"
                )),
            })
    }
}

impl From<Scopes> for String {
    fn from(scopes: Scopes) -> Self {
        scopes.to_string()
    }
}

impl TryFrom<String> for Scopes {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_need_the_lowest_role_that_has_their_rights() {
        for (text, role) in [
            ("", Role::Viewer),
            ("read", Role::Viewer),
            ("approve", Role::Approver),
            ("read send", Role::Operator),
            ("read admin", Role::Owner),
        ] {
            let scopes: Scopes = text.parse().expect("known words");
            assert_eq!(scopes.role(), role, "{text}");
            assert_eq!(scopes.to_string(), text);
        }
        let scopes: Scopes = "send read".parse().expect("known words");
        assert!(scopes.has(Scope::Send) && !scopes.has(Scope::Approve));
        assert!("write".parse::<Scopes>().is_err());
    }
}
