//! The first owner, created with a set-up code that only the local user can see.
//!
//! The code has 128 random bits and is valid once, for 30 minutes. It is printed, and written to a file that only the
//! program's user can read; it never appears in a URL or a log.

use super::{AuditAction, Caller, Credential, People, PeopleError, Role, secret};
use crate::clock::now;
use crate::journal::SecretHash;
use crate::sync::lock;
use rand::Rng as _;
use std::fs::{OpenOptions, remove_file};
use std::io::{self, Write as _};
use std::path::Path;

/// Name of the file with the code, in the data folder.
pub const SET_UP_FILE: &str = "set-up-code";
/// Lifetime of a code, in milliseconds.
const GOOD_FOR: i64 = 30 * 60_000;

/// The code that is currently valid.
#[derive(Debug)]
pub(super) struct SetUp {
    hash: SecretHash,
    until: i64,
}

impl People {
    /// Creates a code and writes it to its file; `None` if there is an owner already.
    ///
    /// Errors: [`PeopleError::Code`] if the file cannot be written.
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

    /// Creates the first owner. Of concurrent calls only one succeeds.
    ///
    /// # Errors
    /// [`PeopleError::NoSetUp`] if the code is wrong or expired, or if there is an owner already.
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
        let name = super::names::checked_name(name)?;
        let hash = self.0.hashing.hash(password).await?;
        let by = Caller {
            person: 0,
            name: name.clone(),
            role: Role::Owner,
            address: address.to_owned(),
            credential: Credential::Machine,
        };
        let audit = self.audit();
        let entry = audit
            .begin(&by, AuditAction::new("set up").detail(&name))
            .await?;
        let made = self
            .journal()
            .add_person(&name, Role::Owner.word(), hash, true, now())
            .await?;
        self.await_code(None);
        forget(&self.0.folder.join(SET_UP_FILE));
        let outcome = made.map(drop).ok_or(PeopleError::NoSetUp);
        audit.end(entry, &outcome).await;
        outcome
    }

    fn is_code(&self, code: &str) -> bool {
        let given = secret::hash_of_given(code.trim());
        let awaited = lock(&self.0.set_up);
        awaited
            .as_ref()
            .is_some_and(|set_up| given == Some(set_up.hash) && now() <= set_up.until)
    }

    fn await_code(&self, set_up: Option<SetUp>) {
        *lock(&self.0.set_up) = set_up;
    }
}

/// Writes the code to a file that only our user can read. An existing file is replaced, since its permissions are
/// unknown.
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
        tracing::warn!(%error, "the set-up code file cannot be removed");
    }
}
