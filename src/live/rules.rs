//! Rules as pages show them.

use crate::conversation::Risk;
use crate::rules::Scope;
use serde::{Deserialize, Serialize};

/// The page of rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesView {
    /// Whether all rules are stopped.
    pub stopped: bool,
    /// Whether the reader may resume them.
    pub may_resume: bool,
    /// The rules, those in force first.
    pub rules: Vec<RuleView>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleView {
    /// Its number.
    pub number: i64,
    /// What it allows, in words.
    pub what: String,
    /// The ratings that it allows, in words.
    pub ratings: String,
    /// Where it applies.
    pub scope: Scope,
    /// Who made it; empty for the local user.
    pub maker: String,
    /// When it was made, milliseconds since the Unix epoch.
    pub made_at: i64,
    /// When it ends by itself.
    pub expires_at: Option<i64>,
    /// Whether the reader may end it.
    pub may_end: bool,
    /// Whether it is in force.
    pub state: RuleState,
    /// How often it answered.
    pub used: i64,
    /// When it answered last.
    pub used_at: Option<i64>,
}

/// Whether a rule is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleState {
    /// It answers.
    InForce,
    /// Its end has come.
    Expired,
    /// Its maker has lost the right.
    RightLost,
    /// This person has ended it.
    Ended(String),
}

/// The rules that an approval suggests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleChoices {
    /// Why no rule can answer it, or empty.
    pub reason: String,
    /// What a rule could be about, narrowest first.
    pub choices: Vec<RuleChoice>,
    /// Whether it can be for the conversations of its maker.
    pub own: bool,
    /// The repository that it can be for, or empty.
    pub repository: String,
    /// The title of the conversation.
    pub title: String,
    /// Whether the action is not rated.
    pub unrated: bool,
    /// The rating of the action.
    pub highest: Risk,
    /// Where it was tried.
    pub scope: Scope,
}

impl RuleChoices {
    /// None, and why.
    pub fn none(reason: &str) -> Self {
        Self {
            reason: reason.to_owned(),
            choices: Vec::new(),
            own: false,
            repository: String::new(),
            title: String::new(),
            unrated: false,
            highest: Risk::Unknown,
            scope: Scope::All,
        }
    }
}

/// A rule that can be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleChoice {
    /// What it would allow, in words.
    pub what: String,
    /// The same for the form.
    pub subject: String,
    /// What it would have answered: up to medium risk or unrated, or up to high risk if the action is rated so.
    pub run: DryRun,
}

/// What a rule would have answered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DryRun {
    /// How many days were looked at.
    pub days: i64,
    /// How many questions there were where the rule would apply.
    pub asked: u32,
    /// How many of them it would have answered.
    pub answered: u32,
    /// How many of these were not rated.
    pub unrated: u32,
    /// How many of these were rated medium risk.
    pub medium: u32,
    /// How many of these a person has rejected.
    pub refused: u32,
    /// The newest of those.
    pub rejected: Vec<RefusedView>,
    /// Whether older questions are not looked at yet.
    pub is_behind: bool,
}

/// A question that a person has rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedView {
    /// Id of the conversation.
    pub conversation: String,
    /// Its title.
    pub title: String,
    /// The row of the action.
    pub row: i64,
    /// Its position.
    pub pos: i64,
    /// When it was asked, milliseconds since the Unix epoch.
    pub at: i64,
    /// The action, in a line.
    pub what: String,
}
