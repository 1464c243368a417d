//! Who may do what: roles, accounts, logins, the throttle, and the audit of all that was done.
//!
//! A request carries a secret, the secret leads to a [`Caller`], and the caller's role says yes or no.
//! Nothing is remembered between requests: what the journal says now counts, so a right that is taken
//! away is gone with the next request, and [`People::changed`] tells open sockets to look again.
//!
//! Roles and views are compiled for both sides; the rest is the server's.

mod role;
mod sharing;
mod views;

pub use role::{Right, Role};
pub use sharing::{Audience, Share, Sharing};
pub use views::{
    AccountView, AuditLine, AuditView, DeviceView, LinkView, Linked, LockView, Me, PeopleView,
    PersonView, SharingView, TokenView,
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
mod links;
#[cfg(feature = "ssr")]
mod logins;
#[cfg(feature = "ssr")]
mod password;
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
    audit::{Audit, Deed},
    caller::{Caller, Credential, Visit},
    error::PeopleError,
    export::{Format, export},
    identities::Identity,
    logins::NewLogin,
    set_up::SET_UP_FILE,
};

#[cfg(feature = "ssr")]
mod keeping {
    use super::password::Hashing;
    use super::set_up::SetUp;
    use super::{Audit, PeopleError};
    use crate::journal::Journal;
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, SystemTime};
    use tokio::sync::watch;

    /// How soon a right that another process took away is noticed by open sockets.
    const LOOK: Duration = Duration::from_millis(400);

    /// Everybody. Cheap to clone: all clones are one.
    #[derive(Clone)]
    pub struct People(pub(super) Arc<Inner>);

    pub(super) struct Inner {
        pub(super) journal: Journal,
        pub(super) hashing: Hashing,
        pub(super) set_up: Mutex<Option<SetUp>>,
        pub(super) folder: PathBuf,
        changed: watch::Sender<i64>,
    }

    impl People {
        /// The people that `journal` knows; `folder` is where the set-up code is left.
        pub fn new(journal: Journal, folder: &Path) -> Self {
            Self(Arc::new(Inner {
                journal,
                hashing: Hashing::default(),
                set_up: Mutex::new(None),
                folder: folder.to_owned(),
                changed: watch::Sender::new(0),
            }))
        }

        /// What was done, and by whom.
        pub fn audit(&self) -> Audit {
            Audit::new(self.journal().clone())
        }

        /// Changes whenever somebody has lost a right: whoever holds a line open looks again then.
        pub fn changed(&self) -> watch::Receiver<i64> {
            self.0.changed.subscribe()
        }

        /// Looks for rights that were taken away, by this process or another, until it is dropped.
        pub async fn watch(&self) {
            loop {
                self.look().await;
                tokio::time::sleep(LOOK).await;
            }
        }

        /// Tells everybody who waits for it that rights have changed, if they have.
        pub(super) async fn look(&self) {
            match self.journal().people_version().await {
                Ok(version) => {
                    self.0.changed.send_if_modified(|known| {
                        let differs = *known != version;
                        *known = version;
                        differs
                    });
                }
                Err(error) => {
                    // Nobody can be asked: everybody looks for themselves, and finds the same.
                    tracing::error!(%error, "the people cannot be read");
                    self.0.changed.send_modify(|_| ());
                }
            }
        }

        /// Whether somebody is owner. Until then there is nobody but the person at the machine.
        pub async fn has_owner(&self) -> Result<bool, PeopleError> {
            Ok(self.journal().has_owner().await?)
        }

        pub(super) fn journal(&self) -> &Journal {
            &self.0.journal
        }
    }

    /// Milliseconds since the Unix epoch.
    pub(super) fn now() -> i64 {
        let since = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

#[cfg(feature = "ssr")]
pub use keeping::People;
