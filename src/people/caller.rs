//! Who asks, with which right, and how they have shown it.

use super::{Me, Right, Role};

/// Who asks. Everything that changes something takes one of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Their number; 0 is whoever sits at the machine.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// They sit at the machine, and it was said that this is enough.
    Machine,
    /// The login with this number.
    Login(i64),
    /// The access token with this number.
    Token(i64),
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

    /// The name under which others see what they did; empty for who sits at the machine alone.
    pub fn signature(&self) -> &str {
        if self.person == 0 { "" } else { &self.name }
    }

    /// What their pages know of them.
    pub fn me(&self) -> Me {
        Me {
            name: self.signature().to_owned(),
            role: Some(self.role),
        }
    }
}
