//! The first owner: made with a code that is shown where only the person at the machine sees it.
//!
//! 128 random bits, good for 30 minutes and once. It is printed, and left in a file that only the user of
//! the program can read; it is never in an address or a log.

use super::keeping::now;
use super::{Caller, Credential, Deed, People, PeopleError, Role, secret};
use crate::journal::SecretHash;
use rand::Rng as _;
use std::fs::{OpenOptions, remove_file};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::PoisonError;

/// Name of the file with the code, in the folder of the data.
pub const SET_UP_FILE: &str = "set-up-code";
/// How long a code is good, milliseconds.
const GOOD_FOR: i64 = 30 * 60_000;

/// A code that is waited for.
#[derive(Debug)]
pub(super) struct SetUp {
    hash: SecretHash,
    until: i64,
}

impl People {
    /// Makes a new code and leaves it in its file; `None` when there is an owner already.
    pub async fn offer_set_up(&self) -> Result<Option<String>, PeopleError> {
        let file = self.0.folder.join(SET_UP_FILE);
        if self.has_owner().await? {
            forget(&file);
            return Ok(None);
        }
        let code = format!("{:032x}", rand::rng().random::<u128>());
        leave(&file, &code).map_err(PeopleError::Code)?;
        self.await_code(Some(SetUp {
            hash: secret::hash(&code),
            until: now() + GOOD_FOR,
        }));
        Ok(Some(code))
    }

    /// Makes the first owner. Of two at once one is made.
    ///
    /// # Errors
    /// [`PeopleError::NoSetUp`] when the code is not the one, or too old, or there is an owner.
    pub async fn set_up(
        &self,
        code: &str,
        name: &str,
        password: &str,
        address: &str,
    ) -> Result<(), PeopleError> {
        if !self.is_code(code) {
            return Err(PeopleError::NoSetUp);
        }
        let name = super::accounts::checked_name(name)?;
        let hash = self.0.hashing.hash(password).await?;
        let by = Caller {
            person: 0,
            name: name.clone(),
            role: Role::Owner,
            address: address.to_owned(),
            credential: Credential::Machine,
        };
        let audit = self.audit();
        let noted = audit.begin(&by, Deed::new("set up").detail(&name)).await?;
        let made = self
            .journal()
            .add_person(&name, Role::Owner.word(), hash, true, now())
            .await?;
        self.await_code(None);
        forget(&self.0.folder.join(SET_UP_FILE));
        let outcome = made.map(drop).ok_or(PeopleError::NoSetUp);
        audit.end(noted, &outcome).await;
        outcome
    }

    fn is_code(&self, code: &str) -> bool {
        let given = secret::hash_of_given(code.trim());
        let awaited = self.0.set_up.lock().unwrap_or_else(PoisonError::into_inner);
        awaited
            .as_ref()
            .is_some_and(|set_up| given == Some(set_up.hash) && now() <= set_up.until)
    }

    fn await_code(&self, set_up: Option<SetUp>) {
        *self.0.set_up.lock().unwrap_or_else(PoisonError::into_inner) = set_up;
    }
}

/// Writes the code where only our user can read it. A file of before is replaced, whoever could read it.
fn leave(file: &Path, code: &str) -> io::Result<()> {
    forget(file);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(file)?, "{code}")
}

fn forget(file: &Path) {
    if let Err(error) = remove_file(file)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "the file with the set-up code cannot be removed");
    }
}
