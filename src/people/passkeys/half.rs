//! Half a login: the password was right, or an invitation is accepted, and the passkey is still to come.
//!
//! It is kept by the browser alone, sealed, and is no login: no route but those of the second half knows it.

use super::super::{People, PeopleError, Sealer};
use crate::clock::now;
use crate::journal::{PersonRecord, SecretHash, digest};
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};

const PURPOSE: &str = "half a login";

/// Half a login.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Half {
    pub(super) id: String,
    began: i64,
    pub(super) of: HalfOf,
}

/// Whose login it will be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum HalfOf {
    /// An account.
    Person {
        number: i64,
        name: String,
        /// Digest of the stored password, which must be the same at the end.
        password: String,
    },
    /// An account that does not exist yet.
    Invited {
        /// Hash of the invitation's secret, in hexadecimal digits.
        invitation: String,
        name: String,
    },
}

impl Half {
    pub(super) fn new(of: HalfOf) -> Self {
        Self {
            id: super::super::secret::new(),
            began: now(),
            of,
        }
    }

    /// The name of the account.
    pub fn name(&self) -> &str {
        match &self.of {
            HalfOf::Person { name, .. } | HalfOf::Invited { name, .. } => name,
        }
    }
}

/// An invitation in [`HalfOf::Invited`].
pub(super) fn invitation_of(hex: &str) -> Option<SecretHash> {
    HEXLOWER.decode(hex.as_bytes()).ok()?.try_into().ok()
}

impl People {
    /// Half a login of this account, for the browser's cookie.
    pub(in crate::people) fn half_of(&self, person: &PersonRecord) -> String {
        let of = HalfOf::Person {
            number: person.number,
            name: person.name.clone(),
            password: digest(person.password.as_bytes(), &[]),
        };
        self.0.sealer.seal(PURPOSE, &Half::new(of))
    }

    /// The same of somebody who is invited and registers a passkey.
    pub(in crate::people) fn half_of_invited(&self, invitation: SecretHash, name: &str) -> String {
        let of = HalfOf::Invited {
            invitation: HEXLOWER.encode(&invitation),
            name: name.to_owned(),
        };
        self.0.sealer.seal(PURPOSE, &Half::new(of))
    }

    /// The half login in a cookie; `None` if it is not ours, has expired or was completed.
    pub fn half(&self, cookie: &str) -> Option<Half> {
        let half: Half = self.0.sealer.open(PURPOSE, cookie)?;
        let is_good = Sealer::is_current(half.began) && !self.0.sealer.was_used(&half.id);
        is_good.then_some(half)
    }

    /// Completes half a login, once.
    pub(super) fn complete(&self, half: &Half) -> Result<(), PeopleError> {
        let is_new = self.0.sealer.use_once(&half.id, half.began);
        is_new.then_some(()).ok_or(PeopleError::Expired)
    }

    /// The account of half a login, if it still has the password that was right.
    pub(super) async fn person_of(&self, half: &Half) -> Result<PersonRecord, PeopleError> {
        let HalfOf::Person {
            number,
            name,
            password,
        } = &half.of
        else {
            return Err(PeopleError::Expired);
        };
        let person = self.journal().person(name).await?;
        let is_same = |person: &PersonRecord| {
            person.number == *number
                && !person.disabled
                && digest(person.password.as_bytes(), &[]) == *password
        };
        person.filter(is_same).ok_or(PeopleError::Expired)
    }
}
