//! Rules in force: which one covers what is pending.
//!
//! Nothing is kept in memory: rules, the rights of their makers and the switch are read for each question, and compared again
//! where the answer is stored.

use super::sharing::Sharings;
use crate::clock::now;
use crate::journal::{AuditEntry, ConversationMeta, Journal, RuleRecord};
use crate::people::{AuditAction, Caller, Credential, Right, Role};
use crate::rules::{Conditions, Reading, Scope};
use std::sync::Arc;

/// A rule that can be tried.
pub struct RuleInForce {
    /// Its number; 0 before it is made.
    pub(super) number: i64,
    /// Its maker, as they are now.
    pub(super) maker: Caller,
    /// Where it applies.
    pub(super) scope: Scope,
    /// What it allows.
    pub(super) conditions: Conditions,
}

impl RuleInForce {
    /// A stored rule; `None` if its maker has no account any more, or it cannot be read.
    pub(super) fn of(record: &RuleRecord) -> Option<Self> {
        let rule = &record.rule;
        let maker = match rule.person {
            0 => Caller::at_the_machine(),
            person => Caller {
                person,
                name: rule.maker.clone(),
                // A word that we do not know allows the least.
                role: record.role.as_ref()?.parse().unwrap_or_default(),
                address: String::new(),
                credential: Credential::Machine,
            },
        };
        Some(Self {
            number: record.number,
            maker,
            scope: serde_json::from_str(&rule.scope).ok()?,
            conditions: serde_json::from_str(&rule.conditions).ok()?,
        })
    }

    /// Whether it covers what was read.
    pub(super) fn covers(&self, reading: &Reading) -> bool {
        let by_owner = self.maker.role == Role::Owner;
        self.conditions.covers(reading, by_owner)
    }

    /// The audit entry of an answer.
    pub(super) fn entry(&self, conversation: &str, token: &str, at: i64) -> AuditEntry {
        let what = self.conditions.subject.in_words();
        let detail = format!("rule {}: {what}", self.number);
        let action = AuditAction::new("approve by rule").within(conversation);
        action.hashed(token).detail(&detail).entry(&self.maker, at)
    }
}

/// Finds the rule that covers what is pending.
pub struct Rules {
    pub(super) journal: Journal,
    pub(super) sharings: Arc<Sharings>,
}

impl Rules {
    /// The oldest rule in force that covers all of what was read, in this conversation. None if the rules cannot be read.
    pub(super) async fn find(
        &self,
        conversation: &ConversationMeta,
        reading: &Reading,
    ) -> Option<RuleInForce> {
        let records = match self.journal.rules_in_force(now()).await {
            Ok(records) => records,
            Err(error) => {
                tracing::warn!(%error, "the rules could not be read: a person is asked");
                return None;
            }
        };
        let mut rules = records.iter().filter_map(RuleInForce::of);
        rules.find(|rule| {
            rule.covers(reading)
                && self.applies(rule, &conversation.id, conversation.repository.as_deref())
        })
    }

    /// Whether a rule may answer in a conversation: it is made for it, and its maker may answer there.
    pub(super) fn applies(&self, rule: &RuleInForce, id: &str, repository: Option<&str>) -> bool {
        let role = self.sharings.role_in(&rule.maker, id);
        if !role.is_some_and(|role| role.may(Right::Answer)) {
            return false;
        }
        match &rule.scope {
            Scope::Conversation(own) => own == id,
            Scope::Repository(name) => !name.is_empty() && repository == Some(name),
            Scope::Own => {
                let creator = self.sharings.of(id).creator;
                !creator.is_empty() && creator.eq_ignore_ascii_case(rule.maker.signature())
            }
            Scope::All => true,
        }
    }
}
