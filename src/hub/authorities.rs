//! Who may approve what: the setting in memory, and what an approval counts for.
//!
//! The setting is in memory for what pages show. What counts is decided with what the journal has, in the transaction that
//! stores the answer.

use super::sharing::sharing_in;
use super::{HubResult, lock, touches};
use crate::journal::{AUTHORITY, Account, Journal, Standing, Verdict};
use crate::people::{Approver, Authority, Caller, Consent, Credential, Means, Rating, Right, Role};
use std::sync::Mutex;

/// The setting in memory.
pub(super) struct Authorities {
    known: Mutex<Authority>,
}

impl Authorities {
    /// Reads it.
    pub(super) async fn load(journal: &Journal) -> HubResult<Self> {
        let stored = journal.setting(AUTHORITY).await?.unwrap_or_default();
        Ok(Self {
            known: Mutex::new(Authority::read(&stored)),
        })
    }

    /// Takes over what was stored.
    pub(super) fn set(&self, authority: Authority) {
        *lock(&self.known) = authority;
    }

    /// The setting as it is now.
    pub(super) fn now(&self) -> Authority {
        *lock(&self.known)
    }
}

/// How a caller approves.
pub(super) fn means_of(by: &Caller) -> Means {
    match by.credential {
        Credential::Login(_) | Credential::Machine => Means::Person,
        Credential::Token(_) | Credential::ApiToken(..) => Means::Token(by.role),
        // A link has no right to answer.
        Credential::Link(_) => Means::Token(Role::Visitor),
    }
}

/// Decides what an approval by these means counts for. The right to answer may have ended since the request was let in; only the
/// local user (`is_local`), whom the server lets in for as long as it runs, may have no account.
pub(super) fn judge(
    means: Means,
    is_local: bool,
) -> impl FnOnce(&Standing) -> Verdict + Send + 'static {
    move |standing| {
        let authority = Authority::read(&standing.authority);
        let by = standing.by.as_ref().map(|by| approver(standing, by, means));
        let may = |by: Approver| by.role.is_some_and(|role| role.may(Right::Answer));
        if !by.map_or(is_local, may) {
            return Verdict::Refuse(
                "Nothing was sent: the right to answer here has ended.".to_owned(),
            );
        }
        let gone = Approver {
            person: -1,
            role: None,
            means,
        };
        let by = by.unwrap_or(gone);
        let consent = authority.consent(rating(standing), by, first(standing));
        let is_refused = matches!(consent, Consent::Role(_) | Consent::NoPerson);
        if !is_refused && lacks_touch(standing) {
            return Verdict::Touch;
        }
        match consent {
            Consent::Alone => Verdict::Send,
            Consent::Second => Verdict::Second,
            Consent::First => Verdict::First,
            Consent::Same => Verdict::Keep,
            Consent::Role(role) => Verdict::Refuse(match role {
                Role::Owner => "Nothing was sent: only owners may approve this. You can reject it.".to_owned(),
                role => format!(
                    "Nothing was sent: approving this needs the role {role} or one with more rights. You can reject it."
                ),
            }),
            Consent::NoPerson => Verdict::Refuse(
                "Nothing was sent: two people have to approve this, each logged in with an account of their own.".to_owned(),
            ),
        }
    }
}

/// Decides what the approval by an amendment counts for.
pub(super) fn judge_amendment(standing: &Standing) -> Verdict {
    judge(Means::Standing, false)(standing)
}

/// Decides what the approval by a rule counts for, which was found as one of an owner, or not: what only the rules of owners cover
/// needs an owner still.
pub(super) fn judge_rule(of_owner: bool) -> impl FnOnce(&Standing) -> Verdict + Send + 'static {
    move |standing| {
        let role = standing.by.as_ref().map(|by| by.role.parse());
        if of_owner && role != Some(Ok(Role::Owner)) {
            return Verdict::Refuse("Its maker is no owner any more.".to_owned());
        }
        judge(Means::Standing, false)(standing)
    }
}

/// Decides whether something may be asked for instead, which is approved later: it needs the touch that approving needs, unless
/// two people have to approve it anyway.
pub(super) fn judge_request(standing: &Standing) -> Verdict {
    let needs_two = Authority::read(&standing.authority).needs_two(rating(standing));
    match !needs_two && lacks_touch(standing) {
        true => Verdict::Touch,
        false => Verdict::Send,
    }
}

/// Whether an answer has no touch although it needs one, or one that does not hold.
fn lacks_touch(standing: &Standing) -> bool {
    standing.touch != Some(true) && (standing.touch.is_some() || needs_touch(standing))
}

/// Whether approving it needs a touch.
pub(super) fn needs_touch(standing: &Standing) -> bool {
    touches::needs(
        &standing.touches,
        rating(standing),
        standing.repository.as_deref(),
    )
}

/// Whether the first of two approvals still counts.
pub(super) fn first_counts(standing: &Standing) -> bool {
    let authority = Authority::read(&standing.authority);
    let first = first(standing).and_then(|first| first.role);
    first.is_some_and(|role| role >= authority.least)
}

/// The first of two approvals, as it counts now.
pub(super) fn first(standing: &Standing) -> Option<Approver> {
    // Since it was given, owners may have chosen that it needs a touch.
    let counts = standing.first_touched || !needs_touch(standing);
    let first = standing.first.as_ref().filter(|_| counts);
    first.map(|first| approver(standing, first, Means::Person))
}

/// How the action is rated.
pub(super) fn rating(standing: &Standing) -> Rating {
    // A word that we do not know asks the most.
    Rating::from_word(&standing.rating).unwrap_or(Rating::High)
}

/// An account as it approves in the conversation.
pub(super) fn approver(standing: &Standing, account: &Account, means: Means) -> Approver {
    // A word that we do not know allows the least.
    let role = account.role.parse().unwrap_or_default();
    let here = sharing_in(standing.sharing.clone()).role_of(&account.name, role);
    Approver {
        person: account.person,
        role: match means {
            Means::Token(most) => here.map(|here| here.min(most)),
            Means::Person | Means::Standing => here,
        },
        means,
    }
}
