//! Four roles for accounts, each with the rights of the one before it and more; and visitors, who have fewer rights
//! than any of them.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A role.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Watches the one conversation of a share link. No account has this role, and no input can name it.
    #[serde(skip_deserializing)]
    Visitor,
    /// Reads.
    #[default]
    Viewer,
    /// Also approves and rejects actions.
    Approver,
    /// Also sends messages, starts and stops conversations, and changes their files and settings.
    Operator,
    /// All rights, including people, backends and the audit log.
    Owner,
}

/// The right that a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Right {
    /// Watch a conversation.
    See,
    /// Read conversations and manage one's own account.
    Read,
    /// Approve and reject.
    Answer,
    /// Send messages, start, stop, upload.
    Operate,
    /// Manage people, backends and their settings, and read the audit log.
    Own,
}

impl Role {
    /// The roles that accounts can have, fewest rights first.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Approver, Self::Operator, Self::Owner];

    /// Whether this role has the right.
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

    /// Description of the role, for choosing one.
    pub fn explained(self) -> &'static str {
        match self {
            Self::Visitor => "can view one conversation",
            Self::Viewer => "can view",
            Self::Approver => "can view, approve and reject",
            Self::Operator => "can also message, start and stop agents",
            Self::Owner => "full access, including people and settings",
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
                format!("unknown role {word:?}; use viewer, approver, operator or owner")
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
