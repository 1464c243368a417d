//! Authentication and authorization: accounts, roles, logins, throttling, and the audit log.
//!
//! A request carries a secret, the secret identifies a [`Caller`], and the caller's role grants or denies the request.
//! Nothing is cached between requests, so a revoked right is gone with the next request, and [`People::changed`] makes
//! open sockets check again.
//!
//! Roles and views are compiled for server and browser; everything else is for the server only.
//!
//! # Errors
//! All methods fail with `PeopleError::Journal` if the journal fails. Those with further errors say so.

mod authority;
mod budgets;
mod entrance;
mod escalation;
mod role;
mod scopes;
mod sharing;
mod touching;
mod views;

pub use authority::{Approver, Authority, Consent, Means, Rating};
pub use budgets::{Amounts, BudgetPeriod, BudgetScope, Budgets, ByScope, Lifters, NEAR, Reached};
pub use entrance::{
    Entrance, InvitationView, InvitedView, PasskeyView, PasskeysHere, PendingLogin,
};
pub use escalation::{
    Due, Escalation, Escalations, LONGEST as LONGEST_WAIT, MOST_DEPUTIES, MOST_ESCALATIONS, Wait,
    lasting, nobody_answered,
};
pub use role::{Right, Role};
pub use scopes::{Scope, Scopes};
pub use sharing::{Audience, Share, Sharing};
pub use touching::{CanTouch, LONGEST_REPOSITORY, MOST_REPOSITORIES, Reach, Touches, TouchesView};
pub use views::{
    AccountView, AuditChoices, AuditLine, AuditView, DeviceView, LinkView, Linked, LockView, Me,
    PeopleView, PersonView, SharingView, TokenView,
};

#[cfg(feature = "ssr")]
mod accounts;
#[cfg(feature = "ssr")]
mod audit;
#[cfg(feature = "ssr")]
mod caller;
#[cfg(feature = "ssr")]
mod error;
#[cfg(feature = "ssr")]
mod export;
#[cfg(feature = "ssr")]
mod identities;
#[cfg(feature = "ssr")]
mod invitations;
#[cfg(feature = "ssr")]
mod links;
#[cfg(feature = "ssr")]
mod logins;
#[cfg(feature = "ssr")]
mod names;
#[cfg(feature = "ssr")]
mod passkeys;
#[cfg(feature = "ssr")]
mod password;
#[cfg(feature = "ssr")]
mod sealed;
#[cfg(feature = "ssr")]
mod secret;
#[cfg(feature = "ssr")]
mod set_up;
#[cfg(all(test, feature = "ssr"))]
mod tests;
#[cfg(feature = "ssr")]
mod throttle;
#[cfg(feature = "ssr")]
mod tokens;

#[cfg(feature = "ssr")]
pub use {
    accounts::role_of,
    audit::{Audit, AuditAction},
    caller::{Caller, Credential, Visit},
    error::PeopleError,
    export::Format,
    identities::Identity,
    logins::{LoginSecrets, NewLogin, valid_since},
    passkeys::{Half, Place, Proof, Registered, Registrant, ToTouch, amended_text, challenge_of},
    sealed::Sealer,
    secret::new as new_secret,
    set_up::SET_UP_FILE,
    tokens::MARK as TOKEN_MARK,
};

#[cfg(feature = "ssr")]
mod keeping {
    use super::password::Hashing;
    use super::{Audit, PeopleError, Sealer};
    use crate::journal::{Journal, Repeated};
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::sync::watch;

    /// Interval at which open sockets notice rights revoked by another process.
    const POLL: Duration = Duration::from_millis(400);

    /// The accounts service. Cheap to clone: all clones share one state.
    #[derive(Clone)]
    pub struct People(pub(super) Arc<Inner>);

    pub(super) struct Inner {
        pub(super) journal: Journal,
        pub(super) hashing: Hashing,
        pub(super) folder: PathBuf,
        /// Seals half logins and challenges.
        pub(super) sealer: Sealer,
        changed: watch::Sender<i64>,
    }

    impl People {
        /// The accounts in `journal`; the set-up code is written to `folder`.
        pub fn new(journal: Journal, folder: &Path) -> Self {
            Self(Arc::new(Inner {
                journal,
                hashing: Hashing::default(),
                folder: folder.to_owned(),
                sealer: Sealer::default(),
                changed: watch::Sender::new(0),
            }))
        }

        /// The audit log.
        pub fn audit(&self) -> Audit {
            Audit::new(self.journal().clone())
        }

        /// Changes whenever a right is revoked; holders of open connections must then check their caller again.
        pub fn changed(&self) -> watch::Receiver<i64> {
            self.0.changed.subscribe()
        }

        /// Watches for revoked rights, by this process or another, until the future is dropped.
        pub async fn watch(&self) {
            loop {
                self.notify_if_changed().await;
                tokio::time::sleep(POLL).await;
            }
        }

        /// Notifies the subscribers of [`Self::changed`] if rights have changed.
        pub(super) async fn notify_if_changed(&self) {
            match self.journal().people_version().await {
                Ok(version) => {
                    self.0.changed.send_if_modified(|known| {
                        let differs = *known != version;
                        *known = version;
                        differs
                    });
                }
                Err(error) => {
                    // All subscribers check their callers again, and fail as this did.
                    tracing::error!(%error, "the version of the accounts cannot be read");
                    self.0.changed.send_modify(|_| ());
                }
            }
        }

        /// Whether there is an enabled owner. Until then only the local user has access.
        pub async fn has_owner(&self) -> Result<bool, PeopleError> {
            Ok(self.journal().has_owner().await?)
        }

        /// Notes that a client begins a request under a key; see [`Journal::begin_once`].
        pub async fn begin_once(
            &self,
            client: &str,
            key: &str,
            request: &str,
            times: (i64, i64),
        ) -> Result<Repeated, PeopleError> {
            let begun = self.journal().begin_once(client, key, request, times);
            Ok(begun.await?)
        }

        /// Keeps the answer to a request under a key; see [`Journal::end_once`].
        pub async fn end_once(
            &self,
            client: &str,
            key: &str,
            answer: Option<(u16, String)>,
        ) -> Result<(), PeopleError> {
            Ok(self.journal().end_once(client, key, answer).await?)
        }

        pub(super) fn journal(&self) -> &Journal {
            &self.0.journal
        }
    }
}

#[cfg(feature = "ssr")]
pub use keeping::People;
