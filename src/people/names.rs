//! Names of accounts.

use super::PeopleError;

/// Longest name, in bytes (names are ASCII).
const LONGEST_NAME: usize = 40;

/// Normalizes a name as typed, for lookups and for counting attempts. Longer names are cut to 64 characters; no account
/// has such a name, so they all count as one nonexistent account.
pub(super) fn asked_name(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase();
    name.chars().take(64).collect()
}

/// Validates a name for a new account: ASCII only, so that no letter looks like another.
///
/// Errors: [`PeopleError::Invalid`].
pub(super) fn checked_name(name: &str) -> Result<String, PeopleError> {
    let name = name.trim();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_@".contains(letter);
    let good = (1..=LONGEST_NAME).contains(&name.len())
        && name.chars().all(plain)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if good {
        Ok(name.to_owned())
    } else {
        Err(PeopleError::Invalid(format!(
            "A name must have 1 to {LONGEST_NAME} letters, digits or . - _ @, and start with a letter or digit."
        )))
    }
}
