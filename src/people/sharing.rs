//! Who sees a conversation, and in which role.

use super::Role;
use serde::{Deserialize, Serialize};

/// For whom a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Everybody who may log in.
    #[default]
    All,
    /// Who began it, and some others by name.
    Some,
    /// Who began it.
    Starter,
}

/// Who began a conversation, and who sees it beside them. Owners see everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sharing {
    /// Name of who began it; empty when that is not known.
    pub starter: String,
    /// For whom it is.
    pub audience: Audience,
    /// Some people by name: those of [`Audience::Some`], and who has another role here than elsewhere.
    pub with: Vec<Share>,
}

/// Somebody whom a conversation is shared with by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Their name.
    pub name: String,
    /// What they may do here; `None` is what they may elsewhere. It is never owner.
    pub role: Option<Role>,
}

impl Sharing {
    /// What somebody with an account of this name and role may do here; `None`: they do not see it.
    pub fn role_of(&self, name: &str, role: Role) -> Option<Role> {
        if role == Role::Owner || is(&self.starter, name) {
            return Some(role);
        }
        let share = self.with.iter().find(|share| is(&share.name, name));
        match (self.audience, share) {
            (Audience::Starter, _) | (Audience::Some, None) => None,
            (Audience::All, None) => Some(role),
            (Audience::All | Audience::Some, Some(share)) => {
                Some(share.role.map_or(role, |here| here.min(Role::Operator)))
            }
        }
    }

    /// Whether somebody of this name and role may change who sees it.
    pub fn is_of(&self, name: &str, role: Role) -> bool {
        role == Role::Owner || is(&self.starter, name)
    }
}

/// Whether two names are one person's; nobody has the empty one.
fn is(one: &str, other: &str) -> bool {
    !one.is_empty() && one.eq_ignore_ascii_case(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(audience: Audience, role: Option<Role>) -> Sharing {
        Sharing {
            starter: "ada".to_owned(),
            audience,
            with: vec![Share {
                name: "Bob".to_owned(),
                role,
            }],
        }
    }

    #[test]
    fn who_is_not_meant_does_not_see_it() {
        for audience in [Audience::All, Audience::Some, Audience::Starter] {
            let sharing = shared(audience, None);
            let sees = |name: &str, role| sharing.role_of(name, role) == Some(role);
            assert!(sees("ADA", Role::Viewer) && sees("olga", Role::Owner));
            assert_eq!(sees("bob", Role::Operator), audience != Audience::Starter);
            assert_eq!(sees("carl", Role::Operator), audience == Audience::All);
        }
        let nobody = Sharing {
            audience: Audience::Starter,
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
            // Owners are owners everywhere.
            assert_eq!(less.role_of("bob", Role::Owner), Some(Role::Owner));
        }
    }
}
