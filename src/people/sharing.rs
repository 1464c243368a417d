//! Who sees a conversation.

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
    /// Names of the others, for [`Audience::Some`].
    pub names: Vec<String>,
}

impl Sharing {
    /// Whether somebody of this name and role sees it.
    pub fn shows(&self, name: &str, role: Role) -> bool {
        let is = |other: &String| !other.is_empty() && other.eq_ignore_ascii_case(name);
        role == Role::Owner
            || is(&self.starter)
            || match self.audience {
                Audience::All => true,
                Audience::Some => self.names.iter().any(is),
                Audience::Starter => false,
            }
    }

    /// Whether somebody of this name and role may change who sees it.
    pub fn is_of(&self, name: &str, role: Role) -> bool {
        let began = !self.starter.is_empty() && self.starter.eq_ignore_ascii_case(name);
        role == Role::Owner || began
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_not_meant_does_not_see_it() {
        let sees = |audience, name: &str, role| {
            let sharing = Sharing {
                starter: "ada".to_owned(),
                audience,
                names: vec!["Bob".to_owned()],
            };
            sharing.shows(name, role)
        };
        for audience in [Audience::All, Audience::Some, Audience::Starter] {
            assert!(sees(audience, "ADA", Role::Viewer) && sees(audience, "olga", Role::Owner));
            assert_eq!(
                sees(audience, "bob", Role::Operator),
                audience != Audience::Starter
            );
            assert_eq!(
                sees(audience, "carl", Role::Operator),
                audience == Audience::All
            );
        }
        let nobody = Sharing {
            audience: Audience::Starter,
            ..Sharing::default()
        };
        assert!(!nobody.shows("", Role::Operator) && !nobody.is_of("", Role::Operator));
    }
}
