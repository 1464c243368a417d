//! What pages show of people. No secret is ever in one of these, but for a token in the moment it is made.

use super::{Right, Role, Sharing};
use serde::{Deserialize, Serialize};

/// Who looks at the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Me {
    /// Their name; empty when nobody is logged in or nobody needs to be.
    pub name: String,
    /// Their role; `None` when nobody is logged in.
    pub role: Option<Role>,
}

impl Me {
    /// Whether they may.
    pub fn may(&self, right: Right) -> bool {
        self.role.is_some_and(|role| role.may(right))
    }
}

/// Everybody, for owners.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PeopleView {
    /// By name.
    pub people: Vec<PersonView>,
    /// Accounts and addresses from which no password is taken for a while.
    pub locks: Vec<LockView>,
}

/// Somebody with an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonView {
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// They cannot log in.
    pub disabled: bool,
    /// Since when, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Last seen, milliseconds since the Unix epoch.
    pub seen_at: Option<i64>,
}

/// Too many wrong guesses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockView {
    /// What it is about, as it is cleared by.
    pub subject: String,
    /// Wrong guesses.
    pub failures: i64,
    /// Until when, milliseconds since the Unix epoch.
    pub until: i64,
}

/// One's own account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AccountView {
    /// One's name; empty for who sits at the machine and has no account.
    pub name: String,
    /// One's role.
    pub role: Role,
    /// Where one is logged in.
    pub devices: Vec<DeviceView>,
    /// What one's scripts log in with.
    pub tokens: Vec<TokenView>,
    /// The token that was made just now by a plain form, or empty.
    pub made: String,
    /// With what one can log in beside a password.
    pub openid: Option<String>,
    /// Whether one can log in with it.
    pub linked: Linked,
}

/// Whether one can log in with the word of another party.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Linked {
    /// One cannot.
    #[default]
    No,
    /// One has linked one's account, and can undo that.
    ByOneself,
    /// The account was made for it. It has no password that anybody knows, unless an owner sets one.
    FromTheStart,
}

/// A browser in which one is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceView {
    /// Its number.
    pub number: i64,
    /// It is this one.
    pub here: bool,
    /// What it calls itself, in short.
    pub device: String,
    /// From where.
    pub address: String,
    /// Since when, milliseconds since the Unix epoch.
    pub begun_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub seen_at: i64,
}

/// What a script logs in with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenView {
    /// Its number.
    pub number: i64,
    /// What it is for.
    pub name: String,
    /// What it may do at most.
    pub role: Role,
    /// Until when, milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
}

/// Who sees a conversation, for who may change it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SharingView {
    /// Who began it, and who sees it.
    pub sharing: Sharing,
    /// Links with which it can be watched without an account.
    pub links: Vec<LinkView>,
    /// Secret of the link that was made just now by a plain form, or empty.
    pub made: String,
}

/// A link with which a conversation can be watched without an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkView {
    /// Its number.
    pub number: i64,
    /// Who made it.
    pub by: String,
    /// Since when, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Until when, milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
}

/// A page of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AuditView {
    /// The newest first.
    pub lines: Vec<AuditLine>,
    /// There are older ones, before this number.
    pub older: Option<i64>,
}

/// One entry of the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    /// Its place.
    pub number: i64,
    /// When, milliseconds since the Unix epoch.
    pub at: i64,
    /// Who.
    pub name: String,
    /// From where.
    pub address: String,
    /// What.
    pub action: String,
    /// In which conversation, or empty.
    pub conversation: String,
    /// What else is worth knowing.
    pub detail: String,
    /// What became of it.
    pub outcome: String,
    /// SHA-256 of what exactly was done, or empty.
    pub digest: String,
    /// The entry whose outcome this is, or 0.
    pub about: i64,
}
