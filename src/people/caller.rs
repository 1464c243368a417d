//! The authenticated caller of a request, and its credential.

use super::{Me, PeopleError, Right, Role, Scope, Scopes};
use std::time::{Duration, SystemTime};

/// The authenticated caller. Every operation that changes something takes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Account number; 0 for the local user, and the negated link number for visitors.
    pub person: i64,
    /// Name of the caller.
    pub name: String,
    /// The role that applies to this request.
    pub role: Role,
    /// Network address of the client.
    pub address: String,
    /// The credential that the caller was authenticated with.
    pub credential: Credential,
}

/// A credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// Access to the machine, where the configuration accepts that.
    Machine,
    /// The login with this number.
    Login(i64),
    /// The access token with this number.
    Token(i64),
    /// The access token with this number, which is good for the API alone, and there for these scopes.
    ApiToken(i64, Scopes),
    /// A share link to one conversation.
    Link(Visit),
}

/// The access that a share link grants: watching one conversation until it expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// Number of the link.
    pub link: i64,
    /// Id of the conversation.
    pub conversation: String,
    /// Time of expiry, milliseconds since the Unix epoch.
    pub until: i64,
}

impl Visit {
    /// Remaining time; zero if expired.
    pub fn left(&self) -> Duration {
        let until = SystemTime::UNIX_EPOCH + Duration::from_millis(self.until.unsigned_abs());
        until.duration_since(SystemTime::now()).unwrap_or_default()
    }
}

impl Caller {
    /// The local user, with all rights.
    pub fn at_the_machine() -> Self {
        Self {
            person: 0,
            name: "local".to_owned(),
            role: Role::Owner,
            address: "this machine".to_owned(),
            credential: Credential::Machine,
        }
    }

    /// Handrail itself, for what it does by what owners have set.
    pub fn handrail() -> Self {
        Self {
            name: "Handrail".to_owned(),
            ..Self::at_the_machine()
        }
    }

    /// Whether a person asks in a browser, or at the machine: no script, and no visitor.
    pub fn is_in_person(&self) -> bool {
        matches!(self.credential, Credential::Login(_) | Credential::Machine)
    }

    /// The person of an audit entry, who has not logged in yet and has no rights by it.
    pub(super) fn unproven(person: &crate::journal::PersonRecord, address: &str) -> Self {
        Self {
            person: person.number,
            name: person.name.clone(),
            role: Role::Viewer,
            address: address.to_owned(),
            credential: Credential::Machine,
        }
    }

    /// Whether the caller has this right.
    pub fn may(&self, right: Right) -> bool {
        self.role.may(right)
    }

    /// Whether the caller's credential is for this scope. Only a token with scopes is for less than all that its role
    /// allows.
    pub fn is_for(&self, scope: Scope) -> bool {
        match self.credential {
            Credential::ApiToken(_, scopes) => scopes.has(scope),
            Credential::Machine
            | Credential::Login(_)
            | Credential::Token(_)
            | Credential::Link(_) => true,
        }
    }

    /// Number of the caller's login. Account settings need a login: an access token must not be able to extend its own
    /// life.
    ///
    /// # Errors
    /// [`PeopleError::NeedsLogin`] for any other credential.
    pub fn login(&self) -> Result<i64, PeopleError> {
        match self.credential {
            Credential::Login(number) => Ok(number),
            Credential::Machine
            | Credential::Token(_)
            | Credential::ApiToken(..)
            | Credential::Link(_) => Err(PeopleError::NeedsLogin),
        }
    }

    /// The share link's access, if that is the caller's credential.
    pub fn visit(&self) -> Option<&Visit> {
        match &self.credential {
            Credential::Link(visit) => Some(visit),
            _ => None,
        }
    }

    /// Whether Handrail keeps how far the caller has read: those who act, in a browser. Who only looks on, a visitor and a
    /// script have no such state.
    pub fn keeps_place(&self) -> bool {
        let is_browser = matches!(self.credential, Credential::Machine | Credential::Login(_));
        is_browser && self.may(Right::Answer)
    }

    /// The name that others see for the caller's actions; empty for the local user and for visitors.
    pub fn signature(&self) -> &str {
        if self.person <= 0 { "" } else { &self.name }
    }

    /// By whom something counts as read to its end: what a script of a person reads, the person has not read.
    pub fn reader(&self) -> String {
        let is_script = matches!(
            self.credential,
            Credential::Token(_) | Credential::ApiToken(..)
        );
        let script = if is_script { "\n" } else { "" };
        format!("{}{script}", self.signature())
    }

    /// The caller as shown on pages.
    pub fn me(&self) -> Me {
        Me {
            name: self.signature().to_owned(),
            role: Some(self.role),
        }
    }
}
