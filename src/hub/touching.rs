//! Which approvals need a touch of a passkey, as owners change it, and what a touch is asked for.

use super::message::ActorMessage;
use super::touches::KnownTouches;
use super::{Actors, AuditTrail, HubError, HubResult, check_id, invalid};
use crate::journal::{Journal, TOUCHED, TOUCHED_AMENDMENT, TOUCHES, hash_of_shown};
use crate::people::{
    AuditAction, Caller, LONGEST_REPOSITORY, MOST_REPOSITORIES, PeopleError, Reach, Role, Touches,
    TouchesView,
};
use std::sync::Arc;

/// The setting as owners change it.
pub struct ApprovalTouches {
    pub(super) journal: Journal,
    pub(super) audit: Arc<AuditTrail>,
    pub(super) actors: Arc<Actors>,
    pub(super) known: Arc<KnownTouches>,
    /// One change at a time: each begins with what the one before it has stored.
    pub(super) changing: tokio::sync::Mutex<()>,
}

impl ApprovalTouches {
    /// The setting, and how many people could touch of those who may approve what is rated high: `needed` of them have to,
    /// each with `least` or a role with more rights.
    pub async fn read(&self, least: Role, needed: usize) -> HubResult<TouchesView> {
        let roles = Role::ALL.into_iter().filter(|role| *role >= least);
        let roles = roles.map(|role| role.word().to_owned()).collect();
        Ok(TouchesView {
            touches: Touches::clone(&self.known.now()),
            able: self.journal.people_with_passkeys(roles).await?,
            needed,
            ..TouchesView::default()
        })
    }

    /// Changes which approvals need a touch, for all conversations or for those about a repository. What is pending follows
    /// at once.
    ///
    /// Errors: [`HubError::Invalid`] if the name of the repository is too long, or too many have a setting of their own.
    pub async fn save(&self, by: &Caller, repository: &str, reach: Reach) -> HubResult {
        let repository = repository.trim();
        if repository.len() > LONGEST_REPOSITORY {
            return invalid("Nothing was saved: the name of the repository is too long.");
        }
        let _changing = self.changing.lock().await;
        let mut touches = Touches::clone(&self.known.now());
        if repository.is_empty() {
            touches.everywhere = reach;
        } else {
            // Names have no case: another spelling is the same repository.
            touches
                .repositories
                .retain(|known, _| !known.eq_ignore_ascii_case(repository));
            if reach != Reach::Nothing {
                touches.repositories.insert(repository.to_owned(), reach);
            }
        }
        if touches.repositories.len() > MOST_REPOSITORIES {
            return invalid(
                "Nothing was saved: too many repositories have a setting of their own.",
            );
        }
        let stored = serde_json::to_string(&touches).expect("plain data");
        let detail = format!(
            "{}: {}",
            if repository.is_empty() {
                "all"
            } else {
                repository
            },
            reach.word()
        );
        let action = AuditAction::new("save touches")
            .exactly(&stored)
            .detail(&detail);
        let save = async {
            self.journal.keep_setting(TOUCHES, &stored).await?;
            self.known.set(touches);
            self.actors.tell_all(|| ActorMessage::Refresh).await;
            Ok(())
        };
        self.audit.record(by, action, save).await
    }

    /// Records that the touch that came with an answer was refused, and why; what its author is told. `amends` if something was
    /// asked for instead.
    pub async fn refused(
        &self,
        by: &Caller,
        (conversation, token): (&str, &str),
        amends: bool,
        why: &PeopleError,
    ) -> HubError {
        let action = if amends { TOUCHED_AMENDMENT } else { TOUCHED };
        let action = AuditAction::new(action).within(conversation).hashed(token);
        let refused = async { Err::<(), _>(HubError::Invalid(why.to_string())) };
        match self.audit.record(by, action, refused).await {
            Ok(()) | Err(HubError::Invalid(_)) => HubError::Invalid(
                "Nothing was sent: this passkey was not accepted. Try again, or use another one."
                    .to_owned(),
            ),
            Err(error) => error,
        }
    }

    /// The hash of what was shown of the pending approval with this token: what a touch is asked for.
    ///
    /// Errors: [`HubError::Superseded`] if it is not pending, or nothing is known of it.
    pub async fn shown(&self, conversation: &str, token: &str) -> HubResult<String> {
        check_id(conversation)?;
        let standing = self.journal.standing(conversation, token).await?;
        let shown = match standing {
            Some(_) => self.journal.shown(conversation, token).await?,
            None => None,
        };
        let shown = shown.ok_or(HubError::Superseded)?;
        Ok(hash_of_shown(&shown.shown))
    }
}
