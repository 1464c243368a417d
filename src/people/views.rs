//! Accounts as shown on pages. No view contains a secret, except a token or link at the moment of its creation.

use super::{InvitationView, PasskeyView, PasskeysHere, Right, Role, Scopes, Sharing};
use serde::{Deserialize, Serialize};

/// The person who views the page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Me {
    /// Name; empty if nobody is logged in, or if no login is needed.
    pub name: String,
    /// Role; `None` if nobody is logged in.
    pub role: Option<Role>,
}

impl Me {
    /// Whether the person has this right.
    pub fn may(&self, right: Right) -> bool {
        self.role.is_some_and(|role| role.may(right))
    }
}

/// All accounts, for owners.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PeopleView {
    /// A page of them, ordered by name.
    pub people: Vec<PersonView>,
    /// The name that the next page begins behind; empty at the end.
    #[serde(default)]
    pub more: String,
    /// Accounts and addresses that are locked after failed password attempts.
    pub locks: Vec<LockView>,
    /// Valid invitations.
    #[serde(default)]
    pub invitations: Vec<InvitationView>,
    /// The roles that require a passkey.
    #[serde(default)]
    pub passkey_roles: Vec<Role>,
    /// Whether passkeys work at this address.
    #[serde(default)]
    pub here: PasskeysHere,
    /// The invitation just created by a form without JavaScript, or empty.
    #[serde(default)]
    pub one_time_secret: String,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonView {
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// Whether logging in is blocked.
    pub disabled: bool,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of last use, milliseconds since the Unix epoch.
    pub seen_at: Option<i64>,
    /// Number of browsers with a login.
    pub devices: usize,
    /// Number of passkeys.
    #[serde(default)]
    pub passkeys: usize,
}

/// A lock after too many failed password attempts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockView {
    /// The locked account or address, in the form that `People::clear_lock` takes.
    pub subject: String,
    /// Number of failed attempts.
    pub failures: i64,
    /// End of the lock, milliseconds since the Unix epoch.
    pub until: i64,
}

/// The viewer's own account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AccountView {
    /// Name; empty for the local user without an account.
    pub name: String,
    /// Role.
    pub role: Role,
    /// Current logins, a page of them, the last used first.
    pub devices: Vec<DeviceView>,
    /// Number of logins before the next page; 0 at the end.
    #[serde(default)]
    pub more_devices: usize,
    /// Access tokens.
    pub tokens: Vec<TokenView>,
    /// Passkeys, oldest first.
    #[serde(default)]
    pub passkeys: Vec<PasskeyView>,
    /// Number of unused recovery codes.
    #[serde(default)]
    pub codes: usize,
    /// Whether passkeys work at this address.
    #[serde(default)]
    pub here: PasskeysHere,
    /// The token just created by a form without JavaScript, or empty.
    pub one_time_secret: String,
    /// Recovery codes that were just created, one on each line, or empty.
    #[serde(default)]
    pub one_time_codes: String,
    /// The OpenID Connect provider, if configured: its name, and the proof that the page sends to link it.
    pub openid: Option<(String, String)>,
    /// Whether the account is linked to an external identity.
    pub linked: Linked,
}

/// Whether an account is linked to an external identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Linked {
    /// Not linked.
    #[default]
    No,
    /// Linked by the person, who can unlink it.
    ByOneself,
    /// The account was created for the identity. Its password is unknown to everyone unless an owner sets one.
    FromTheStart,
}

/// A browser with a login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceView {
    /// Its number.
    pub number: i64,
    /// Whether it is the current browser.
    pub here: bool,
    /// The browser's description of itself, shortened.
    pub device: String,
    /// Network address at login.
    pub address: String,
    /// Time of login, milliseconds since the Unix epoch.
    pub begun_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub seen_at: i64,
    /// Whether a passkey or a recovery code was part of the login.
    #[serde(default)]
    pub strong: bool,
}

/// An access token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenView {
    /// Its number.
    pub number: i64,
    /// Its purpose.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// What it is for in the API, where alone it is good then; none if its role says all.
    #[serde(default)]
    pub scopes: Scopes,
    /// Time of expiry, milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
}

/// The sharing of a conversation, for people who may change it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SharingView {
    /// The creator, and who may see the conversation.
    pub sharing: Sharing,
    /// Share links.
    pub links: Vec<LinkView>,
    /// Secret of the link just created by a form without JavaScript, or empty.
    pub one_time_secret: String,
    /// Names of the people to share with, for owners; other people may not see the list of accounts.
    pub names: Vec<String>,
}

/// A share link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkView {
    /// Its number.
    pub number: i64,
    /// Name of its creator.
    pub by: String,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of expiry, milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
}

/// A page of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AuditView {
    /// Actions, newest first.
    pub lines: Vec<AuditLine>,
    /// Number to continue from, if there are older actions.
    pub older: Option<i64>,
}

/// The choices of the audit log's filters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AuditChoices {
    /// Names of the people.
    pub people: Vec<String>,
    /// Ids and titles of the conversations that changed last.
    pub conversations: Vec<(String, String)>,
}

/// An action in the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    /// Number of its first entry.
    pub number: i64,
    /// Time, milliseconds since the Unix epoch.
    pub at: i64,
    /// Name of the person.
    pub name: String,
    /// Network address of the client.
    pub address: String,
    /// The action.
    pub action: String,
    /// Conversation id, or empty.
    pub conversation: String,
    /// Title of the conversation, if the conversation is known.
    pub title: Option<String>,
    /// Further details.
    pub detail: String,
    /// The reason that a person gave for an answer, or empty.
    #[serde(default)]
    pub reason: String,
    /// Position and id of the row that was answered, if it is known.
    #[serde(default)]
    pub step: Option<(i64, i64)>,
    /// The outcome, if it is recorded: `done`, or why not.
    pub outcome: Option<String>,
    /// Duration in milliseconds, if the outcome is recorded.
    pub millis: Option<i64>,
    /// SHA-256 of the exact content of the action, or empty.
    pub digest: String,
}
