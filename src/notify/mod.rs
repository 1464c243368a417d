//! Notifications outside of the page: Web Push, ntfy and webhooks.
//!
//! `watching` notices what a conversation has come to (`phase`), waits a moment, decides who is told (`choice`) and
//! what they read (`content`), and stores that in the journal's outbox. `sending` empties the outbox. A phase is
//! compared with what people were last told, so a restart continues where the last process ended.
//!
//! Invariant: nobody is told about a conversation that they may not see, or after their login has ended.
//!
//! # Errors
//! All methods fail with [`NotifyError::Journal`] if the journal fails, and changes with [`NotifyError::Invalid`] for callers
//! without a login of their own. Those with further errors say so.

mod answering;
mod attention;
mod channels;
mod choice;
mod content;
mod error;
mod hosts;
mod phase;
mod sending;
mod text;
mod vapid;
mod watching;

pub use attention::Tab;
pub use channels::{NewPush, PushKeys};
pub use error::NotifyError;
pub use hosts::{PushHost, PushHosts};

use crate::backend::outgoing_client;
use crate::clock::now;
use crate::hub::Hub;
use crate::journal::Journal;
use attention::Attention;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use vapid::Vapid;

/// How the notifier behaves; other values are for tests.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long an occasion must last before people are told: many are over before a phone is in the hand.
    pub wait: Duration,
    /// How long after their last input a person with a focused page counts as present.
    pub present: Duration,
    /// Time limit of an attempt.
    pub timeout: Duration,
    /// Pause before the first repetition of a failed attempt; it doubles with each.
    pub pause: Duration,
    /// Services that may be sent to, beside the known ones.
    pub hosts: Vec<PushHost>,
    /// Whether the local user needs no login.
    pub trust_local: bool,
}

impl Options {
    /// The options of a server.
    pub fn new(hosts: Vec<PushHost>, trust_local: bool) -> Self {
        Self {
            wait: Duration::from_secs(8),
            present: Duration::from_secs(60),
            timeout: Duration::from_secs(20),
            pause: Duration::from_secs(5),
            hosts,
            trust_local,
        }
    }
}

/// The notifier. Cheap to clone: all clones share one state.
#[derive(Clone)]
pub struct Notifier(Arc<Inner>);

struct Inner {
    hub: Hub,
    journal: Journal,
    options: Options,
    hosts: PushHosts,
    vapid: Vapid,
    client: reqwest::Client,
    attention: Attention,
    /// The outbox has a new notification.
    woken: Notify,
}

impl Notifier {
    /// A notifier with the keys in `journal`, which are created at the first start.
    ///
    /// # Errors
    /// [`NotifyError::Journal`], and [`NotifyError::Setup`] if the stored keys are invalid or there is no TLS.
    pub async fn new(hub: Hub, journal: Journal, options: Options) -> Result<Self, NotifyError> {
        let client = outgoing_client(options.timeout);
        Ok(Self(Arc::new(Inner {
            vapid: Vapid::of(&journal).await?,
            client: client.map_err(|error| NotifyError::Setup(error.to_string()))?,
            hosts: PushHosts::new(&options.hosts),
            attention: Attention::default(),
            woken: Notify::new(),
            hub,
            journal,
            options,
        })))
    }

    /// Notifies people, until the future is dropped.
    pub async fn run(&self) {
        tokio::join!(self.watch(), self.send());
    }

    /// A person's page, which tells whether the person looks at it.
    pub fn tab(&self, person: i64) -> Tab {
        Tab::new(self.clone(), person)
    }
}
