//! Retention: conversations that nobody has used for long are deleted by rule, here and in OpenHands, as a person would delete
//! them: one after the other, each with an entry in the audit log.
//!
//! What a run would delete is shown before. A changed rule is applied each day only after an owner has seen what it does.
//! Long because rules, the look at what they would delete, and the run have to agree.

use super::support::invalid;
use super::{AuditTrail, Commands, HubError, HubResult, List};
use crate::clock::now;
use crate::journal::{Journal, UnusedFilter};
use crate::live::{RetentionPlan, RetentionRule, RetentionRun, RetentionView, Show};
use crate::people::{AuditAction, Caller, Credential};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The settings key of the rules.
const SETTING: &str = "retention";
/// Most rules.
const MOST_RULES: usize = 20;
/// Most conversations of a run; the next one goes on.
const MOST: usize = 1_000;
/// Conversations of a plan that a page shows.
const SHOWN: usize = 10;
/// Conversations whose size is read in one go.
const SLICE: u32 = 20;
/// A day, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// Interval at which a run may be due, and time until the first one after a start: the lists are read by then.
const LOOKS: Duration = Duration::from_secs(10 * 60);

/// What is stored.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    rules: Vec<RetentionRule>,
    automatic: bool,
    ran: Option<RetentionRun>,
}

/// Deletes by rule.
pub struct Retention {
    pub(super) journal: Journal,
    pub(super) audit: Arc<AuditTrail>,
    pub(super) commands: Arc<Commands>,
    pub(super) list: Arc<List>,
    /// Held while rules are changed, and while they are applied.
    pub(super) changing: tokio::sync::Mutex<()>,
}

/// A conversation of a plan.
struct Planned {
    id: String,
    title: String,
    updated_at: i64,
    bytes: u64,
    filter: UnusedFilter,
}

/// What the stored rules would delete now; changes nothing.
pub async fn retention_of(journal: &Journal) -> HubResult<RetentionView> {
    let stored = stored(journal).await?;
    let used = journal.used_bytes().await?;
    let (planned, more) = plan(journal, &stored.rules, used).await?;
    let first = planned.iter().take(SHOWN);
    Ok(RetentionView {
        plan: RetentionPlan {
            conversations: first
                .map(|one| (one.id.clone(), one.title.clone(), one.updated_at))
                .collect(),
            bytes: planned.iter().map(|one| one.bytes).sum(),
            more,
        },
        count: planned.len(),
        used,
        rules: stored.rules,
        automatic: stored.automatic,
        ran: stored.ran,
    })
}

async fn stored(journal: &Journal) -> HubResult<Stored> {
    let kept = journal.setting(SETTING).await?;
    let stored = kept.map(|kept| serde_json::from_str(&kept)).transpose();
    // Rules that cannot be read delete nothing.
    Ok(stored.ok().flatten().unwrap_or_default())
}

/// The conversations for which one of the rules holds while so many bytes are `used`, the oldest of each rule first, and whether
/// there are more.
async fn plan(
    journal: &Journal,
    rules: &[RetentionRule],
    used: u64,
) -> HubResult<(Vec<Planned>, bool)> {
    let now = now();
    let mut planned: Vec<Planned> = Vec::new();
    let (mut known, mut freed) = (HashSet::new(), 0);
    for rule in rules {
        let filter = UnusedFilter {
            before: now - i64::from(rule.days.max(1)) * DAY,
            repository: rule.repository.clone(),
            archived: rule.archived,
        };
        let limit = u64::from(rule.megabytes) * 1_000_000;
        let is_enough = |freed: u64| limit > 0 && used.saturating_sub(freed) <= limit;
        let mut after = (i64::MIN, String::new());
        while !is_enough(freed) {
            let slice = journal.unused(filter.clone(), after, SLICE).await?;
            let Some(last) = slice.last() else { break };
            after = (last.updated_at, last.id.clone());
            for one in slice {
                if is_enough(freed) {
                    break;
                }
                if !known.insert(one.id.clone()) {
                    continue;
                }
                if planned.len() == MOST {
                    return Ok((planned, true));
                }
                freed += one.bytes;
                planned.push(Planned {
                    id: one.id,
                    title: one.title,
                    updated_at: one.updated_at,
                    bytes: one.bytes,
                    filter: filter.clone(),
                });
            }
        }
    }
    Ok((planned, false))
}

impl Retention {
    /// The rules, and what they would delete now.
    pub async fn view(&self) -> HubResult<RetentionView> {
        retention_of(&self.journal).await
    }

    /// Adds a rule. From then on the rules are not applied by themselves until that is turned on again.
    ///
    /// Errors: [`HubError::Invalid`] without a number of days, and for too many rules.
    pub async fn add(&self, by: &Caller, mut rule: RetentionRule) -> HubResult {
        rule.repository = rule.repository.trim().to_owned();
        if rule.days == 0 {
            return invalid("Enter the number of days without activity: 1 or more.");
        }
        self.change(by, "save retention", |stored| {
            if stored.rules.len() >= MOST_RULES {
                return invalid("There are 20 rules already. Remove one first.");
            }
            if !stored.rules.contains(&rule) {
                stored.rules.push(rule);
                stored.automatic = false;
            }
            Ok(())
        })
        .await
    }

    /// Removes the rule of this number, counted from 1.
    pub async fn remove(&self, by: &Caller, number: usize) -> HubResult {
        self.change(by, "save retention", |stored| {
            if number == 0 || number > stored.rules.len() {
                return Err(HubError::NotFound("rule"));
            }
            stored.rules.remove(number - 1);
            Ok(())
        })
        .await
    }

    /// Applies the rules each day from now on, or no longer.
    pub async fn set_automatic(&self, by: &Caller, automatic: bool) -> HubResult {
        self.change(by, "save retention", |stored| {
            stored.automatic = automatic;
            Ok(())
        })
        .await
    }

    async fn change(
        &self,
        by: &Caller,
        action: &'static str,
        change: impl FnOnce(&mut Stored) -> HubResult,
    ) -> HubResult {
        let _one_at_a_time = self.changing.lock().await;
        let mut stored = stored(&self.journal).await?;
        change(&mut stored)?;
        let json = serde_json::to_string(&stored).expect("rules are plain data");
        let action = AuditAction::new(action)
            .exactly(&json)
            .detail(&in_words(&stored));
        let kept = async { Ok(self.journal.keep_setting(SETTING, &json).await?) };
        self.audit.record(by, action, kept).await
    }

    /// Applies the rules now. `seen` is how many conversations the caller was shown: if the rules would delete more, nothing is.
    ///
    /// Errors: [`HubError::Invalid`] if they would.
    pub async fn run(&self, by: &Caller, seen: Option<usize>) -> HubResult<RetentionRun> {
        let _one_at_a_time = self.changing.lock().await;
        let mut stored = stored(&self.journal).await?;
        let used = self.journal.used_bytes().await?;
        let (planned, more) = plan(&self.journal, &stored.rules, used).await?;
        if seen.is_some_and(|seen| planned.len() > seen) {
            return invalid(
                "Nothing was deleted: more conversations would go than you were shown. Reload the page and review them again.",
            );
        }
        let bytes = planned.iter().map(|one| one.bytes).sum::<u64>();
        let count = planned.len();
        let detail = format!("up to {count} conversations, {} MB", bytes / 1_000_000);
        // What one run deletes is one decision, whatever the limit for single ones.
        let by = Caller {
            credential: Credential::Machine,
            ..by.clone()
        };
        let action = AuditAction::new("apply retention").detail(&detail);
        let run = self.audit.record(&by, action, async {
            let mut run = RetentionRun::default();
            for one in planned {
                match self.delete(&by, &one).await {
                    Ok(true) => {
                        run.deleted += 1;
                        run.bytes += one.bytes;
                    }
                    Ok(false) => {}
                    Err(error) => {
                        tracing::warn!(conversation = one.id, %error, "retention could not delete a conversation");
                        run.failed += 1;
                    }
                }
            }
            run.at = now();
            Ok(run)
        });
        let run = run.await?;
        tracing::info!(
            deleted = run.deleted,
            failed = run.failed,
            bytes = run.bytes,
            more,
            "retention was applied"
        );
        stored.ran = Some(run.clone());
        let json = serde_json::to_string(&stored).expect("rules are plain data");
        if let Err(error) = self.journal.keep_setting(SETTING, &json).await {
            tracing::warn!(%error, "when retention was applied could not be stored");
        }
        Ok(run)
    }

    /// Deletes a conversation unless somebody or something has used it since.
    async fn delete(&self, by: &Caller, one: &Planned) -> HubResult<bool> {
        let line = self.list.line_of(&one.id).await?;
        let is_busy = line.is_some_and(|line| {
            let is_at_work = matches!(line.state(), Show::Running | Show::Approval);
            is_at_work || line.updated_at >= one.filter.before
        });
        if is_busy || !self.journal.is_unused(one.filter.clone(), &one.id).await? {
            return Ok(false);
        }
        self.commands.delete_unused(by, &one.id).await?;
        Ok(true)
    }

    /// Applies the rules each day, if owners want it, as long as this is polled.
    pub(super) async fn keep_applied(&self) {
        loop {
            sleep(LOOKS).await;
            let due = async {
                let stored = stored(&self.journal).await?;
                let is_old = stored.ran.is_none_or(|ran| ran.at <= now() - DAY);
                HubResult::Ok(stored.automatic && is_old && !stored.rules.is_empty())
            };
            let by = Caller {
                name: "retention".to_owned(),
                ..Caller::at_the_machine()
            };
            let ran = match due.await {
                Ok(true) => self.run(&by, None).await.map(drop),
                Ok(false) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = ran {
                tracing::warn!(%error, "retention could not be applied");
            }
        }
    }
}

/// Rules for the audit log.
fn in_words(stored: &Stored) -> String {
    let rules = stored.rules.iter().map(|rule| {
        let mut words = format!("unused for {} days", rule.days);
        if rule.megabytes > 0 {
            words += &format!(", while more than {} MB are in use", rule.megabytes);
        }
        if !rule.repository.is_empty() {
            words += &format!(", in {}", rule.repository);
        }
        if rule.archived {
            words += ", archived";
        }
        words
    });
    let rules: Vec<String> = rules.collect();
    let when = if stored.automatic {
        "each day"
    } else {
        "when an owner says so"
    };
    match &rules[..] {
        [] => "nothing is deleted".to_owned(),
        rules => format!("{when}: {}", rules.join("; ")),
    }
}
