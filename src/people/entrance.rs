//! What pages show of passkeys, of invitations, and of logins before they are complete. No view contains a secret.

use super::Role;
use serde::{Deserialize, Serialize};

/// Whether passkeys work at the address that the browser uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PasskeysHere {
    /// They do.
    Work,
    /// They need TLS, or `localhost`.
    #[default]
    NeedTls,
    /// They need a host name; this is an address.
    NeedName,
}

/// What the pages before a login show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Entrance {
    /// Whether passkeys work at this address.
    pub here: PasskeysHere,
    /// Half a login of this browser.
    pub pending: Option<PendingLogin>,
    /// The invitation that this browser has opened.
    pub invitation: Option<InvitedView>,
}

/// Half a login: what is still to come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PendingLogin {
    /// Name of the account.
    pub name: String,
    /// Whether a passkey must be registered, because there is none.
    pub registers: bool,
    /// Whether one of the passkeys belongs to the host name of this page.
    pub is_here: bool,
    /// The host names that the passkeys belong to.
    pub places: Vec<String>,
    /// Whether there are recovery codes.
    pub has_codes: bool,
}

/// An invitation, as the invited person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InvitedView {
    /// Role of the account.
    pub role: Role,
    /// Name of the account; empty if the person chooses it.
    pub name: String,
    /// Name of the owner who made it.
    pub by: String,
    /// Whether the role requires a passkey.
    pub needs_passkey: bool,
}

/// An invitation, for owners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvitationView {
    /// Its number.
    pub number: i64,
    /// Role of the account.
    pub role: Role,
    /// Name of the account; empty if the person chooses it.
    pub name: String,
    /// Name of its creator.
    pub by: String,
    /// Time of expiry, milliseconds since the Unix epoch.
    pub expires_at: i64,
}

/// A passkey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasskeyView {
    /// Its number.
    pub number: i64,
    /// Its name.
    pub name: String,
    /// The host name that it belongs to.
    pub place: String,
    /// Time of registration, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
}
