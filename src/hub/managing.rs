//! Commands about a conversation as a whole: title, sandbox, policy, model, deletion.
//!
//! Long because each command has its own rights, audit and failures.

use super::handle::ConversationHandle;
use super::message::{ActorMessage, CloseReason};
use super::support::A_MOMENT;
use super::view::is_up;
use super::{Commands, HubError, HubResult, invalid, known, lock};
use crate::backend::{Answer, Profile, Runtime};
use crate::conversation::{Policy, Risk, Tags};
use crate::live::{Show, Steering};
use crate::people::{AuditAction, Caller};
use crate::request_id::carried;
use std::future::Future;
use std::sync::Arc;
use tokio::time::timeout;

impl Commands {
    /// Asks the agent a side question, and returns its response. Errors: [`HubError::Invalid`] for an empty question, and
    /// for a program of ACP, which answers none.
    pub async fn ask(&self, by: &Caller, id: &str, question: &str) -> HubResult<String> {
        let question = question.trim();
        if question.is_empty() {
            return invalid("Write a question first.");
        }
        let handle = self.actors.handle(id).await?;
        let asks_nobody = handle.session.borrow().asks_nobody;
        if asks_nobody {
            return invalid("This agent answers no side questions. Send it a message.");
        }
        let backend = self.catalogue.backend_of(id).await?;
        let action = AuditAction::new("side question").within(id);
        let asked = async { Ok(backend.ask(id, question).await?) };
        self.audit.record(by, action.exactly(question), asked).await
    }

    /// Sets the approval policy and the risk analyzer (`None`: no analyzer). Errors: [`HubError::Invalid`] for an agent
    /// that asks nobody.
    pub async fn set_policy(
        &self,
        by: &Caller,
        id: &str,
        policy: Policy,
        analyzer: Option<String>,
    ) -> HubResult {
        let handle = self.actors.handle(id).await?;
        let asks_nobody = handle.session.borrow().asks_nobody;
        if asks_nobody {
            return invalid(
                "This agent asks nobody before it acts, so a policy would change nothing.",
            );
        }
        let judge = analyzer.as_deref().unwrap_or_default();
        if handle.is_now(|now| now.policy.as_ref() == Some(&policy) && now.analyzer == judge) {
            return Ok(());
        }
        let backend = self.catalogue.backend_of(id).await?;
        let detail = policy_in_words(&policy, judge);
        let action = AuditAction::new("set policy").within(id).detail(&detail);
        let conversation = id.to_owned();
        let work = async move {
            backend.set_analyzer(&conversation, analyzer).await?;
            backend.set_policy(&conversation, policy).await
        };
        let changed = self.at_once(&handle, "The approval policy could not be changed", work);
        self.audit.record(by, action, changed).await
    }

    /// Models that a conversation can be given.
    pub async fn profiles(&self, id: &str) -> HubResult<Vec<Profile>> {
        Ok(self.catalogue.backend_of(id).await?.profiles().await?)
    }

    /// Gives a conversation the model of a profile.
    pub async fn switch_profile(&self, by: &Caller, id: &str, name: &str) -> HubResult {
        let handle = self.actors.handle(id).await?;
        let backend = self.catalogue.backend_of(id).await?;
        let action = AuditAction::new("switch model").within(id).detail(name);
        let (conversation, name) = (id.to_owned(), name.to_owned());
        let work = async move { backend.switch_profile(&conversation, &name).await };
        let changed = self.at_once(&handle, "The model could not be changed", work);
        self.audit.record(by, action, changed).await
    }

    /// Gives a conversation another title: 1 to 200 characters.
    ///
    /// Errors: [`HubError::Invalid`] for a title of another length.
    pub async fn rename(&self, by: &Caller, id: &str, title: &str) -> HubResult {
        let title = title.trim();
        if !(1..=200).contains(&title.chars().count()) {
            return invalid("A title must have 1 to 200 characters.");
        }
        let handle = self.actors.handle(id).await?;
        if handle.session.borrow().title == title {
            return Ok(());
        }
        let action = AuditAction::new("rename").within(id).detail(title);
        if self.catalogue.is_imported(id).await? {
            return self
                .audit
                .record(by, action, async {
                    self.catalogue.rename_import(id, title).await?;
                    handle.tell(ActorMessage::Renamed(title.to_owned())).await
                })
                .await;
        }
        let backend = self.catalogue.backend_of(id).await?;
        let (conversation, given) = (id.to_owned(), title.to_owned());
        self.audit
            .record(by, action, async {
                let work = async move { backend.rename(&conversation, &given).await };
                self.at_once(&handle, "The conversation could not be renamed", work)
                    .await?;
                handle.tell(ActorMessage::Renamed(title.to_owned())).await
            })
            .await
    }

    /// Replaces the labels of a conversation, as [`Tags::read`] takes them; if some were `seen`, only those.
    ///
    /// Errors: [`HubError::Invalid`] for tags that cannot be read, [`HubError::Changed`] if they are not those that were `seen`.
    pub async fn set_tags(
        &self,
        by: &Caller,
        id: &str,
        tags: &str,
        seen: Option<&str>,
    ) -> HubResult {
        let tags = Tags::read(tags).map_err(HubError::Invalid)?;
        let seen = seen.map(Tags::read).transpose();
        let seen = seen.map_err(HubError::Invalid)?;
        let handle = self.actors.handle(id).await?;
        if handle.session.borrow().tags == tags {
            return Ok(());
        }
        let labels = tags.labels().collect::<Vec<_>>().join(", ");
        let action = AuditAction::new("set tags").within(id).detail(&labels);
        let backend = self.catalogue.backend_of(id).await?;
        let (conversation, given) = (id.to_owned(), tags.clone());
        self.audit
            .record(by, action, async {
                let _one_at_a_time = handle.changing.lock().await;
                if seen.is_some_and(|seen| seen != handle.session.borrow().tags) {
                    return Err(HubError::Changed("tags"));
                }
                let work = async move { backend.set_tags(&conversation, given).await };
                let changed = self.at_once(&handle, "The tags could not be changed", work);
                changed.await?;
                handle.tell(ActorMessage::Tagged(tags.clone())).await?;
                let mut session = handle.session.clone();
                // If it takes longer than this, the next change may be refused, because it is compared with outdated tags.
                let _ = timeout(A_MOMENT, session.wait_for(|session| session.tags == tags)).await;
                Ok(())
            })
            .await
    }

    /// Removes a conversation for good, here and at the backend.
    pub async fn delete(&self, by: &Caller, id: &str) -> HubResult {
        known(&self.journal, id).await?;
        self.audit
            .record(by, AuditAction::new("delete").within(id), async {
                self.catalogue.delete_upstream(id).await?;
                self.forget(id).await
            })
            .await
    }

    /// The same for one that nobody has used for long: it may be of a backend that is no longer in use.
    pub(super) async fn delete_unused(&self, by: &Caller, id: &str) -> HubResult {
        self.audit
            .record(by, AuditAction::new("delete").within(id), async {
                match self.catalogue.delete_upstream(id).await {
                    Ok(()) | Err(HubError::Elsewhere(_)) => self.forget(id).await,
                    Err(error) => Err(error),
                }
            })
            .await
    }

    /// Removes a conversation here.
    async fn forget(&self, id: &str) -> HubResult {
        let _until_forgotten = self.catalogue.list.deletions.start(id).await;
        let handle = lock(&self.actors.handles).remove(id);
        if let Some(handle) = handle {
            // A task that has ended by itself is what we want.
            let _ = handle.tell(ActorMessage::End(CloseReason::Deleted)).await;
            handle.inputs.closed().await;
        }
        self.journal.forget(id).await?;
        self.catalogue.list.forget_summary(id);
        self.insights.forget(id);
        self.catalogue.unread.forget_seen(id);
        Ok(())
    }

    /// Starts the sandbox of a stopped conversation. Errors: [`HubError::SandboxGone`].
    pub async fn start(&self, by: &Caller, id: &str) -> HubResult {
        let handle = self.actors.handle(id).await?;
        if handle.is_now(|session| session.runtime == Runtime::Running) {
            return Ok(());
        }
        let is_gone = handle.session.borrow().runtime == Runtime::Gone;
        if is_gone {
            return Err(HubError::SandboxGone);
        }
        self.start_sandbox(by, id, &handle).await
    }

    /// Starts the sandbox for messages that wait for it. Nobody waits for the start: the messages say what came of it.
    pub(super) fn wake(&self, by: &Caller, id: &str, handle: &Arc<ConversationHandle>) {
        let (commands, by, id) = (self.clone(), by.clone(), id.to_owned());
        let handle = Arc::clone(handle);
        self.tasks.tracker.spawn(async move {
            if let Err(error) = commands.start_sandbox(&by, &id, &handle).await {
                let failed = ActorMessage::NotStarted(error.for_people().1);
                // If the actor has ended, no user is watching.
                let _ = handle.tell(failed).await;
            }
        });
    }

    async fn start_sandbox(&self, by: &Caller, id: &str, handle: &ConversationHandle) -> HubResult {
        self.audit
            .record(by, AuditAction::new("start sandbox").within(id), async {
                self.catalogue.backend_of(id).await?.start(id).await?;
                handle.tell(ActorMessage::Started).await
            })
            .await
    }

    /// Stops a conversation's sandbox; its history stays.
    pub async fn stop(&self, by: &Caller, id: &str) -> HubResult {
        let handle = self.actors.handle(id).await?;
        self.audit
            .record(by, AuditAction::new("stop sandbox").within(id), async {
                self.catalogue.backend_of(id).await?.stop(id).await?;
                handle.tell(ActorMessage::RuntimeIs(Runtime::Stopped)).await
            })
            .await
    }

    /// Stops what runs in a conversation: its sandbox, or its agent where that has none of its own.
    pub async fn stop_what_runs(&self, by: &Caller, id: &str) -> HubResult {
        let entry = self.catalogue.list.line_of(id).await?;
        let entry = entry.ok_or(HubError::NotFound("conversation"))?;
        let is_busy = matches!(entry.state(), Show::Running | Show::Approval | Show::Paused);
        let backend = self.catalogue.backends.backend_view(&entry.backend);
        match backend.capabilities.runtimes {
            _ if !is_up(entry.runtime) => Ok(()),
            true => self.stop(by, id).await,
            false if is_busy => self.steer(by, id, Steering::Stop).await,
            false => Ok(()),
        }
    }

    /// Runs work that may wait for the current step: after a moment in the background. Pages show a later failure.
    async fn at_once(
        &self,
        handle: &Arc<ConversationHandle>,
        failure: &'static str,
        work: impl Future<Output = Answer<()>> + Send + 'static,
    ) -> HubResult {
        let mut work = self.tasks.tracker.spawn(carried(work));
        match timeout(A_MOMENT, &mut work).await {
            Ok(Ok(outcome)) => Ok(outcome?),
            Ok(Err(_)) => Err(HubError::Closed),
            Err(_) => {
                let handle = Arc::clone(handle);
                self.tasks.tracker.spawn(async move {
                    if let Ok(Err(error)) = work.await {
                        let why = HubError::from(error).for_people().1;
                        let failed = ActorMessage::Failed(format!("{failure}. {why}"));
                        // If the actor has ended, no user is watching.
                        let _ = handle.tell(failed).await;
                    }
                });
                Ok(())
            }
        }
    }
}

/// A policy for the audit log; `analyzer` rates the risk and is empty if there is none.
fn policy_in_words(policy: &Policy, analyzer: &str) -> String {
    let actions = match policy {
        Policy::Never => "no action".to_owned(),
        Policy::Always => "every action".to_owned(),
        Policy::Risky { threshold, unknown } => {
            let risk = match threshold {
                Risk::Unknown | Risk::Low => "low risk and above",
                Risk::Medium => "medium risk and above",
                Risk::High => "high risk",
            };
            let unrated = if *unknown { " or without a rating" } else { "" };
            format!("actions of {risk}{unrated}")
        }
        Policy::Other(name) => name.clone(),
    };
    match analyzer {
        "" => format!("approval for {actions}; no risk analyzer"),
        name => format!("approval for {actions}; risk analyzer: {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_audit_names_a_policy_in_words() {
        let risky = |threshold| Policy::Risky {
            threshold,
            unknown: true,
        };
        for (policy, analyzer, words) in [
            (
                Policy::Never,
                "",
                "approval for no action; no risk analyzer",
            ),
            (
                risky(Risk::High),
                "Judge",
                "approval for actions of high risk or without a rating; risk analyzer: Judge",
            ),
        ] {
            assert_eq!(policy_in_words(&policy, analyzer), words);
        }
    }
}
