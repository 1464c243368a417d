//! The book of rules: their page, what they would have answered, and how they are made, ended and stopped.

use super::dry_run::questions;
use super::message::NO_TOKENS;
use super::rules::{RuleInForce, Rules};
use super::{Actors, AuditTrail, HubError, HubResult, List, compute, invalid, known};
use crate::clock::now;
use crate::conversation::Risk;
use crate::journal::{NewRule, RuleRecord};
use crate::live::{DryRun, RuleChoice, RuleChoices, RuleState, RuleView, RulesView};
use crate::people::{AuditAction, Caller, Right, Role};
use crate::rules::{Conditions, Reading, Scope, Subject, VERSION, suggestions};
use std::sync::Arc;

/// How far back a rule is tried.
pub(super) const DAYS: i64 = 90;
pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;
/// Approvals that a rule is tried on.
const MOST_TRIED: u32 = 100_000;
/// Rules on the page.
const MOST_SHOWN: u32 = 200;

/// The rules: their page, and what is done with them.
pub struct RuleBook {
    pub(super) rules: Arc<Rules>,
    pub(super) list: Arc<List>,
    pub(super) actors: Arc<Actors>,
    pub(super) audit: Arc<AuditTrail>,
}

impl RuleBook {
    /// The rules that a caller may see, those in force first.
    pub async fn page(&self, by: &Caller) -> HubResult<RulesView> {
        let journal = &self.rules.journal;
        let stopped = journal.rules_are_stopped().await?;
        let records = journal.rules(MOST_SHOWN).await?;
        let at = now();
        let views = records
            .iter()
            .filter_map(|record| self.view(by, record, at));
        Ok(RulesView {
            stopped,
            may_resume: by.may(Right::Own),
            rules: views.collect(),
        })
    }

    fn view(&self, by: &Caller, record: &RuleRecord, at: i64) -> Option<RuleView> {
        let rule = &record.rule;
        let scope: Scope = serde_json::from_str(&rule.scope).ok()?;
        let conditions: Conditions = serde_json::from_str(&rule.conditions).ok()?;
        let is_hidden = match &scope {
            Scope::Conversation(id) => !self.rules.sharings.sees(by, id),
            _ => false,
        };
        if is_hidden {
            return None;
        }
        let is_expired = rule.expires_at.is_some_and(|end| end <= at);
        let state = match record.ended_at {
            Some(_) if record.ended_by.is_empty() => RuleState::RightLost,
            Some(_) => RuleState::Ended(record.ended_by.clone()),
            None if is_expired => RuleState::Expired,
            None => RuleState::InForce,
        };
        Some(RuleView {
            number: record.number,
            what: conditions.subject.in_words(),
            ratings: conditions.ratings_in_words(),
            scope,
            maker: if rule.person == 0 {
                String::new()
            } else {
                rule.maker.clone()
            },
            made_at: rule.made_at,
            expires_at: rule.expires_at,
            may_end: state == RuleState::InForce && may_end(by, record),
            state,
            used: record.used,
            used_at: record.used_at,
        })
    }

    /// The rules that a pending approval suggests, each with what it would have answered.
    ///
    /// Errors: [`HubError::Superseded`] if it is not pending any more.
    pub async fn choices(
        &self,
        by: &Caller,
        id: &str,
        token: &str,
        scope: &str,
    ) -> HubResult<RuleChoices> {
        let journal = &self.rules.journal;
        let meta = known(journal, id).await?.meta;
        let reading = journal.reading(id, token).await?;
        let reading = reading.ok_or(HubError::Superseded)?;
        let reading: Reading = serde_json::from_str(&reading).unwrap_or_default();
        let scope = scope_of(by, scope, id, meta.repository.as_deref());
        let is_high = reading.highest() == Risk::High;
        let mut subjects = suggestions(&reading);
        subjects.retain(|subject| !is_high || subject.is_exact());
        let conditions = |subject: &Subject| Conditions {
            subject: subject.clone(),
            highest: if is_high { Risk::High } else { Risk::Medium },
            unrated: *subject != Subject::Rated,
        };
        let narrowest = subjects.first().unwrap_or(&Subject::Rated);
        let refused = conditions(narrowest).check(by.role == Role::Owner).err();
        let reason = reading.reason().map(|reason| reason.in_words());
        if let Some(reason) = reason.or(refused.map(|error| error.0)) {
            return Ok(RuleChoices::none(reason));
        }
        let tried = subjects.iter().map(|subject| RuleInForce {
            number: 0,
            maker: by.clone(),
            scope: scope.clone(),
            conditions: conditions(subject),
        });
        let runs = self.try_out(tried.collect()).await?;
        let choices = subjects
            .into_iter()
            .zip(runs)
            .map(|(subject, run)| RuleChoice {
                what: subject.in_words(),
                subject: serde_json::to_string(&subject).expect("subjects are plain data"),
                run,
            });
        Ok(RuleChoices {
            reason: String::new(),
            choices: choices.collect(),
            own: !by.signature().is_empty(),
            repository: meta.repository.unwrap_or_default(),
            title: meta.title,
            unrated: reading.is_unrated(),
            highest: reading.highest(),
            scope,
        })
    }

    /// What rules that are not made yet would have answered.
    async fn try_out(&self, tried: Vec<RuleInForce>) -> HubResult<Vec<DryRun>> {
        let (journal, since) = (&self.rules.journal, now() - DAYS * DAY);
        let records = journal.readings_since(since, MOST_TRIED).await?;
        let behind = journal.unread_approvals(since, VERSION, 1).await?;
        let is_behind = !behind.is_empty();
        let rules = Arc::clone(&self.rules);
        let runs = compute(move || {
            let questions = questions(&records);
            let run = |rule: &RuleInForce| rules.run(rule, &questions);
            tried.iter().map(run).collect::<Vec<_>>()
        });
        let mut runs = runs.await?;
        let ids = runs.iter().flat_map(|run| &run.rejected);
        let ids = ids.map(|one| one.conversation.clone()).collect();
        let lines = self.list.lines_of(ids).await?;
        for run in &mut runs {
            run.days = DAYS;
            run.is_behind = is_behind;
            for one in &mut run.rejected {
                if let Some(line) = lines.get(&one.conversation) {
                    one.title.clone_from(&line.title);
                }
            }
        }
        Ok(runs)
    }

    /// Makes a rule from the approvals of a conversation.
    ///
    /// Errors: [`HubError::Invalid`] if such a rule may not be made, or not by this caller.
    pub async fn make(
        &self,
        by: &Caller,
        id: &str,
        scope: &str,
        conditions: Conditions,
        days: u16,
    ) -> HubResult<i64> {
        if !by.is_in_person() {
            return invalid(NO_TOKENS);
        }
        if let Err(error) = conditions.check(by.role == Role::Owner) {
            return invalid(error.0);
        }
        let journal = &self.rules.journal;
        let meta = known(journal, id).await?.meta;
        let scope = scope_of(by, scope, id, meta.repository.as_deref());
        let made_at = now();
        let rule = NewRule {
            person: by.person,
            maker: by.name.clone(),
            scope: serde_json::to_string(&scope).expect("scopes are plain data"),
            conditions: serde_json::to_string(&conditions).expect("conditions are plain data"),
            made_at,
            expires_at: (days > 0).then(|| made_at + i64::from(days) * DAY),
        };
        let (what, ratings) = (conditions.subject.in_words(), conditions.ratings_in_words());
        let action = AuditAction::new("create rule").within(id);
        let action = action
            .exactly(&rule.conditions)
            .detail(&format!("{what}, {ratings}, {}", rule.scope));
        let make = async {
            let number = journal.add_rule(rule).await?;
            number.ok_or_else(|| {
                HubError::Invalid("There are too many rules. End some first.".to_owned())
            })
        };
        self.audit.record(by, action, make).await
    }

    /// Ends a rule: its maker may, and owners.
    ///
    /// Errors: [`HubError::Invalid`] for everybody else.
    pub async fn end(&self, by: &Caller, number: i64) -> HubResult {
        let journal = &self.rules.journal;
        let record = journal
            .rule(number)
            .await?
            .ok_or(HubError::NotFound("rule"))?;
        if !may_end(by, &record) {
            return invalid("Only its maker and owners can end a rule.");
        }
        let action = AuditAction::new("end rule").detail(&format!("rule {number}"));
        let end = async { Ok(journal.end_rule(number, &by.name, now()).await.map(drop)?) };
        self.audit.record(by, action, end).await
    }

    /// Stops all rules at once, or resumes them for what is asked from now on.
    pub async fn stop(&self, by: &Caller, stop: bool) -> HubResult {
        let action = AuditAction::new(if stop { "stop rules" } else { "resume rules" });
        let journal = &self.rules.journal;
        let change = async { Ok(journal.stop_rules(stop, now()).await?) };
        self.audit.record(by, action, change).await
    }
}

/// The scope that a word names. An unknown word, and a scope that this caller or conversation cannot have, is the narrowest.
fn scope_of(by: &Caller, word: &str, id: &str, repository: Option<&str>) -> Scope {
    match (word, repository.filter(|name| !name.is_empty())) {
        ("own", _) if !by.signature().is_empty() => Scope::Own,
        ("repository", Some(name)) => Scope::Repository(name.to_owned()),
        ("all", _) => Scope::All,
        _ => Scope::Conversation(id.to_owned()),
    }
}

fn may_end(by: &Caller, record: &RuleRecord) -> bool {
    by.may(Right::Own) || (by.may(Right::Answer) && by.person == record.rule.person)
}

/// A subject from a form.
///
/// Errors: [`HubError::Invalid`] if it is none.
pub fn subject_of(text: &str) -> HubResult<Subject> {
    match serde_json::from_str(text) {
        Ok(subject) => Ok(subject),
        Err(_) => invalid("Choose what the rule allows."),
    }
}
