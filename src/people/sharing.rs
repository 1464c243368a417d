//! Who may see a conversation, and in which role.

use super::Role;
use crate::words::words;
use serde::{Deserialize, Serialize};

/// The audience of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everyone with an account.
    #[default]
    All,
    /// The creator, and some people by name.
    Some,
    /// The creator.
    #[serde(rename = "starter")]
    Creator,
}

words! { Audience, word: All "all", Some "some", Creator "starter" }

/// The creator of a conversation, and who else may see it. Owners see everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sharing {
    /// Name of the creator; empty if unknown.
    #[serde(rename = "starter")]
    pub creator: String,
    /// The audience.
    pub audience: Audience,
    /// People by name: the members of [`Audience::Some`], and people whose role here differs from their usual one.
    pub with: Vec<Share>,
}

/// A person with whom a conversation is shared by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Name of the person.
    pub name: String,
    /// Their role in this conversation; `None` for their usual role. Never owner.
    pub role: Option<Role>,
}

impl Sharing {
    /// The role of this account in the conversation; `None` if the account may not see it.
    pub fn role_of(&self, name: &str, role: Role) -> Option<Role> {
        if role == Role::Owner || is(&self.creator, name) {
            return Some(role);
        }
        let share = self.with.iter().find(|share| is(&share.name, name));
        match (self.audience, share) {
            (Audience::Creator, _) | (Audience::Some, None) => None,
            (Audience::All, None) => Some(role),
            (Audience::All | Audience::Some, Some(share)) => {
                Some(share.role.map_or(role, |here| here.min(Role::Operator)))
            }
        }
    }

    /// Whether this account may change the sharing.
    pub fn is_of(&self, name: &str, role: Role) -> bool {
        role == Role::Owner || is(&self.creator, name)
    }
}

/// Whether two names belong to one account; the empty name belongs to none.
fn is(one: &str, other: &str) -> bool {
    !one.is_empty() && one.eq_ignore_ascii_case(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(audience: Audience, role: Option<Role>) -> Sharing {
        Sharing {
            creator: "ada".to_owned(),
            audience,
            with: vec![Share {
                name: "Bob".to_owned(),
                role,
            }],
        }
    }

    #[test]
    fn who_is_not_meant_does_not_see_it() {
        for audience in [Audience::All, Audience::Some, Audience::Creator] {
            let sharing = shared(audience, None);
            let sees = |name: &str, role| sharing.role_of(name, role) == Some(role);
            assert!(sees("ADA", Role::Viewer) && sees("olga", Role::Owner));
            assert_eq!(sees("bob", Role::Operator), audience != Audience::Creator);
            assert_eq!(sees("carl", Role::Operator), audience == Audience::All);
        }
        let nobody = Sharing {
            audience: Audience::Creator,
            ..Sharing::default()
        };
        assert_eq!(nobody.role_of("", Role::Operator), None);
        assert!(!nobody.is_of("", Role::Operator));
    }

    #[test]
    fn a_role_that_was_given_here_counts_here_whether_it_is_more_or_less() {
        for audience in [Audience::All, Audience::Some] {
            let more = shared(audience, Some(Role::Operator));
            assert_eq!(more.role_of("bob", Role::Viewer), Some(Role::Operator));
            let less = shared(audience, Some(Role::Viewer));
            assert_eq!(less.role_of("bob", Role::Operator), Some(Role::Viewer));
            let too_much = shared(audience, Some(Role::Owner));
            assert_eq!(too_much.role_of("bob", Role::Viewer), Some(Role::Operator));
            // Owners have all rights everywhere.
            assert_eq!(less.role_of("bob", Role::Owner), Some(Role::Owner));
        }
    }
}
