//! Who asks, with which right, and how they have shown it.

use super::{Me, Right, Role};
use std::time::{Duration, SystemTime};

/// Who asks. Everything that changes something takes one of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Their number; 0 is whoever sits at the machine, and visitors have the link's, negative.
    pub person: i64,
    /// Their name.
    pub name: String,
    /// What they may do now.
    pub role: Role,
    /// From where they ask.
    pub address: String,
    /// How they have shown who they are.
    pub credential: Credential,
}

/// How somebody has shown who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// They sit at the machine, and it was said that this is enough.
    Machine,
    /// The login with this number.
    Login(i64),
    /// The access token with this number.
    Token(i64),
    /// A link to one conversation.
    Link(Visit),
}

/// What a link lets somebody do: watch one conversation for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Number of the link.
    pub link: i64,
    /// The conversation that it leads to.
    pub conversation: String,
    /// Until when, milliseconds since the Unix epoch.
    pub until: i64,
}

impl Visit {
    /// How long it still lasts.
    pub fn left(&self) -> Duration {
        let until = SystemTime::UNIX_EPOCH + Duration::from_millis(self.until.unsigned_abs());
        until.duration_since(SystemTime::now()).unwrap_or_default()
    }
}

impl Caller {
    /// Whoever sits at the machine: allowed everything.
    pub fn at_the_machine() -> Self {
        Self {
            person: 0,
            name: "local".to_owned(),
            role: Role::Owner,
            address: "this machine".to_owned(),
            credential: Credential::Machine,
        }
    }

    /// Whether they may.
    pub fn may(&self, right: Right) -> bool {
        self.role.may(right)
    }

    /// What they may watch and no more, if they came by a link.
    pub fn visit(&self) -> Option<&Visit> {
        match &self.credential {
            Credential::Link(visit) => Some(visit),
            _ => None,
        }
    }

    /// The name under which others see what they did; empty for who sits at the machine alone,
    /// and for visitors.
    pub fn signature(&self) -> &str {
        if self.person <= 0 { "" } else { &self.name }
    }

    /// What their pages know of them.
    pub fn me(&self) -> Me {
        Me {
            name: self.signature().to_owned(),
            role: Some(self.role),
        }
    }
}
