//! The first owner, created with a set-up code that only the local user can see.
//!
//! The code has 128 random bits and is valid once, for 30 minutes. It is printed, and written to a file that only the
//! program's user can read; it never appears in a URL or a log. The file is the code: a command beside the server replaces
//! it (`handrail set-up-code`), its time is that of its creation, and an expired one is deleted.

use super::{AuditAction, Caller, Credential, People, PeopleError, Role, secret};
use crate::clock::now;
use std::fs::{self, OpenOptions, remove_file};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Name of the file with the code, in the data folder.
pub const SET_UP_FILE: &str = "set-up-code";
/// Lifetime of a code.
const GOOD_FOR: Duration = Duration::from_secs(30 * 60);

impl People {
    /// Creates a code and writes it to its file, in place of an earlier one; `None` if there is an owner already.
    ///
    /// Errors: [`PeopleError::Code`] if the file cannot be written.
    pub async fn offer_set_up(&self) -> Result<Option<String>, PeopleError> {
        if self.has_owner().await? {
            forget(&self.set_up_file());
            return Ok(None);
        }
        let code = format!("{:032x}", rand::random::<u128>());
        leave(&self.set_up_file(), &code).map_err(PeopleError::Code)?;
        Ok(Some(code))
    }

    /// Deletes an expired code. Returns whether one was deleted.
    pub fn forget_expired_code(&self) -> bool {
        let is_expired = awaited(&self.set_up_file(), SystemTime::now()) == Awaited::Expired;
        if is_expired {
            forget(&self.set_up_file());
        }
        is_expired
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
        forget(&self.set_up_file());
        let outcome = made.map(drop).ok_or(PeopleError::NoSetUp);
        audit.end(entry, &outcome).await;
        outcome
    }

    fn is_code(&self, code: &str) -> bool {
        self.forget_expired_code();
        let given = secret::hash_of_given(code.trim());
        match awaited(&self.set_up_file(), SystemTime::now()) {
            Awaited::Code(code) => given == Some(secret::hash(&code)),
            Awaited::Expired | Awaited::None => false,
        }
    }

    fn set_up_file(&self) -> PathBuf {
        self.0.folder.join(SET_UP_FILE)
    }
}

/// The code that is awaited.
#[derive(Debug, PartialEq, Eq)]
enum Awaited {
    Code(String),
    Expired,
    None,
}

/// What a file awaits at a time.
fn awaited(file: &Path, at: SystemTime) -> Awaited {
    let Ok(text) = fs::read_to_string(file) else {
        return Awaited::None;
    };
    let made = fs::metadata(file).and_then(|data| data.modified());
    // A time in the future is an artefact of a clock that was set back; when such a code expires is not known.
    let age = made.ok().and_then(|made| at.duration_since(made).ok());
    match age {
        Some(age) if age <= GOOD_FOR => Awaited::Code(text.trim().to_owned()),
        _ => Awaited::Expired,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_awaited_for_half_an_hour() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let file = folder.path().join(SET_UP_FILE);
        let at = |after: u64| awaited(&file, SystemTime::now() + Duration::from_secs(after));
        assert_eq!(at(0), Awaited::None);
        leave(&file, "c0de").expect("it can be written");
        assert_eq!(at(29 * 60), Awaited::Code("c0de".to_owned()));
        assert_eq!(at(31 * 60), Awaited::Expired);
        leave(&file, "an0ther").expect("it is replaced");
        assert_eq!(at(1), Awaited::Code("an0ther".to_owned()));
    }
}
