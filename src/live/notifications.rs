//! Notifications as pages show them: where a person is notified, and of what.

use crate::words::words;
use serde::{Deserialize, Serialize};

/// An occasion for a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// An action needs approval.
    NeedsApproval,
    /// The agent waits for a message.
    YourTurn,
    /// The agent has finished.
    Finished,
    /// The agent failed, or reached a limit.
    Failed,
    /// The agent may be stuck.
    Stuck,
}

// The most urgent first.
words! {
    Occasion, word: NeedsApproval "needs_approval", YourTurn "your_turn", Finished "finished", Failed "failed",
    Stuck "stuck"
}

/// The conversations that a person is notified of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Those that the person created, and those without a known creator.
    #[default]
    Mine,
    /// Also those that are shared with the person by name.
    Shared,
    /// All that the person may see.
    All,
}

/// Hours of the day without notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietHours {
    /// The first minute, since midnight.
    pub from: u16,
    /// The minute at which they end, since midnight; before `from`, it is that of the next day.
    pub until: u16,
    /// Time zone, by its IANA name.
    pub zone: String,
}

/// What a channel notifies its person of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    /// The occasions.
    pub occasions: Vec<Occasion>,
    /// The conversations.
    pub scope: Scope,
    /// Hours without notifications.
    pub quiet: Option<QuietHours>,
    /// Whether a notification contains the command or message, which a lock screen then shows.
    pub shows_text: bool,
    /// Whether actions of low risk can be approved from a notification.
    pub approves: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            occasions: Occasion::ALL.to_vec(),
            scope: Scope::default(),
            quiet: None,
            shows_text: false,
            approves: false,
        }
    }
}

/// How a channel delivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    /// Web Push to a browser.
    Push,
    /// A topic of an ntfy server.
    Ntfy,
    /// A request to a URL, for machines.
    Webhook,
}

words! { ChannelKind, word: Push "push", Ntfy "ntfy", Webhook "webhook" }

/// A place where a person is notified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelView {
    /// Its number.
    pub number: i64,
    /// How it delivers.
    pub kind: ChannelKind,
    /// The browser, or the host and topic of the address.
    pub name: String,
    /// Whether it is the browser that asks.
    pub here: bool,
    /// What it notifies of.
    pub choices: Choices,
    /// Time of the last delivered notification, milliseconds since the Unix epoch.
    pub sent_at: Option<i64>,
    /// Notifications that wait to be sent again.
    pub retrying: u32,
    /// Notifications that were given up in the last seven days.
    pub given_up: u32,
    /// Why the last of them failed, or empty.
    pub trouble: String,
}

/// The notifications of a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NotificationsView {
    /// Public key with which a browser subscribes, base64url.
    pub key: String,
    /// Where the person is notified; this browser first.
    pub channels: Vec<ChannelView>,
    /// Whether the person may add a webhook.
    pub webhooks: bool,
    /// Whether the person may answer approvals anywhere.
    pub answers: bool,
    /// A secret that a plain form has just created, or empty.
    pub one_time_secret: String,
}
