//! Four roles that people have, each with the rights of the one before it and one more; and visitors, who have
//! less than any of them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What somebody may do.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Watches the one conversation that a link leads to. Nobody has an account of this role, and nothing that
    /// comes from outside can name it.
    #[serde(skip_deserializing)]
    Visitor,
    /// Reads.
    #[default]
    Viewer,
    /// Also answers what waits for a yes or a no.
    Approver,
    /// Also talks, starts, stops, and changes files and settings of conversations.
    Operator,
    /// Everything: people, backends, the audit.
    Owner,
}

/// What a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    /// To watch a conversation.
    See,
    /// To read conversations, and to look after one's own account.
    Read,
    /// To say yes or no.
    Answer,
    /// To talk, start, stop, upload.
    Operate,
    /// To change people, backends and their settings, and to read the audit.
    Own,
}

impl Role {
    /// Those that people can have, the least first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Approver, Self::Operator, Self::Owner];

    /// Whether this role has that right.
    pub fn may(self, right: Right) -> bool {
        let least = match right {
            Right::See => Self::Visitor,
            Right::Read => Self::Viewer,
            Right::Answer => Self::Approver,
            Right::Operate => Self::Operator,
            Right::Own => Self::Owner,
        };
        self >= least
    }

    /// The role in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Visitor => "visitor",
            Self::Viewer => "viewer",
            Self::Approver => "approver",
            Self::Operator => "operator",
            Self::Owner => "owner",
        }
    }

    /// What it may do, for people who choose one.
    pub fn explained(self) -> &'static str {
        match self {
            Self::Visitor => "watches one conversation",
            Self::Viewer => "reads",
            Self::Approver => "also approves and rejects",
            Self::Operator => "also talks to agents, starts and stops them",
            Self::Owner => "everything, people and settings too",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|role| role.word() == word)
            .ok_or_else(|| {
                format!("there is no role {word:?}; there are viewer, approver, operator and owner")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_has_one_right_more_than_the_one_before_it() {
        let rights = [
            Right::See,
            Right::Read,
            Right::Answer,
            Right::Operate,
            Right::Own,
        ];
        let roles = [Role::Visitor].into_iter().chain(Role::ALL);
        for (place, role) in roles.enumerate() {
            let allowed = rights.into_iter().filter(|right| role.may(*right)).count();
            assert_eq!(allowed, place + 1, "{role}");
        }
        for role in Role::ALL {
            assert_eq!(role.word().parse(), Ok(role));
        }
        assert!("Owner ".parse::<Role>().is_err());
    }

    #[test]
    fn nobody_is_made_a_visitor() {
        assert!("visitor".parse::<Role>().is_err());
        assert!(serde_json::from_str::<Role>("\"visitor\"").is_err());
    }
}
