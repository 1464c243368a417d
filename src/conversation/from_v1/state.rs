//! Translating changes of state.

use super::risk;
use crate::conversation::{Body, Goal, Metrics, Policy, StateChange, Status, Usage};
use crate::wire::v1;
use crate::wire::v1::{
    AcpState, Agent, ConfirmationPolicy, ConversationInfo, ExecutionStatus, StateUpdate, Stats,
};
use serde_json::Value;

/// Maximum number of separate usages: the session must stay small.
const USAGES: usize = 16;

pub(super) fn body(update: &StateUpdate) -> (Body, Option<Metrics>) {
    let change = match update {
        StateUpdate::ExecutionStatus(word) => {
            let body = Body::Status {
                status: status(word),
                reason: String::new(),
            };
            return (body, None);
        }
        StateUpdate::FullState(info) => return snapshot(info),
        StateUpdate::Stats(stats) => {
            return (Body::State(Box::default()), Some(metrics(stats)));
        }
        StateUpdate::Agent(agent) => StateChange {
            model: model(agent),
            asks_nobody: asks_nobody(agent),
            ..StateChange::default()
        },
        StateUpdate::AgentState(state) => of_acp(state),
        StateUpdate::ConfirmationPolicy(held) => StateChange {
            policy: Some(policy(held)),
            ..StateChange::default()
        },
        StateUpdate::SecurityAnalyzer(analyzer) => StateChange {
            analyzer: Some(analyzer.clone().unwrap_or_default().kind),
            ..StateChange::default()
        },
        StateUpdate::Goal(told) => StateChange {
            goal: Some(told.as_ref().map(goal)),
            ..StateChange::default()
        },
        // Other known keys are covered by other events; unknown keys change nothing on the page.
        StateUpdate::LastUserMessageId(_)
        | StateUpdate::HookConfig(_)
        | StateUpdate::BlockedActions(_)
        | StateUpdate::BlockedMessages(_)
        | StateUpdate::Unknown(_) => StateChange::default(),
    };
    (Body::State(Box::new(change)), None)
}

/// Translates a snapshot or a REST response with the full state.
pub(super) fn snapshot(info: &ConversationInfo) -> (Body, Option<Metrics>) {
    let acp = info
        .agent_state
        .as_ref()
        .filter(|state| !state.acp_agent_name.is_empty())
        .map(of_acp)
        .unwrap_or_default();
    let agent = info.agent.as_ref();
    let change = StateChange {
        status: info.execution_status.as_ref().map(status),
        title: info.title.clone(),
        model: acp
            .model
            .or_else(|| info.current_model_id.clone())
            .or_else(|| agent.and_then(model)),
        policy: info.confirmation_policy.as_ref().map(policy),
        // A snapshot without an analyzer means that there is none.
        analyzer: Some(info.security_analyzer.clone().unwrap_or_default().kind),
        goal: info.goal.as_ref().map(|told| Some(goal(told))),
        about: acp.about,
        asks_nobody: agent.and_then(asks_nobody),
    };
    (
        Body::State(Box::new(change)),
        info.stats.as_ref().map(metrics),
    )
}

fn of_acp(state: &AcpState) -> StateChange {
    let about = [&state.acp_agent_name, &state.acp_agent_version];
    let about: Vec<String> = about
        .into_iter()
        .filter(|text| !text.is_empty())
        .cloned()
        .collect();
    StateChange {
        model: state.acp_current_model_id.clone(),
        about: (!about.is_empty()).then(|| vec![about.join(" ")]),
        ..StateChange::default()
    }
}

/// Whether an agent is a program of ACP. OpenHands answers each of its permission requests with yes.
fn asks_nobody(agent: &Agent) -> Option<bool> {
    (!agent.kind.is_empty()).then(|| agent.kind == "ACPAgent")
}

/// The model of an agent. For an ACP agent the server's "acp-managed" is not the real name.
fn model(agent: &Agent) -> Option<String> {
    let own = Some(&agent.llm.model).filter(|model| !model.is_empty() && *model != "acp-managed");
    agent.acp_model.as_ref().or(own).cloned()
}

pub(super) fn status(word: &ExecutionStatus) -> Status {
    match word {
        ExecutionStatus::Idle => Status::Idle,
        ExecutionStatus::Running => Status::Running,
        ExecutionStatus::Paused => Status::Paused,
        ExecutionStatus::WaitingForConfirmation => Status::AwaitingConfirmation,
        ExecutionStatus::Finished => Status::Finished,
        ExecutionStatus::Error => Status::Error,
        ExecutionStatus::Stuck => Status::Stuck,
        ExecutionStatus::Deleting => Status::Deleting,
        ExecutionStatus::Unknown(word) => Status::Other(word.clone()),
    }
}

fn policy(held: &ConfirmationPolicy) -> Policy {
    match held.kind.as_str() {
        "NeverConfirm" => Policy::Never,
        "AlwaysConfirm" => Policy::Always,
        "ConfirmRisky" => Policy::Risky {
            threshold: risk(&held.threshold),
            unknown: held.confirm_unknown,
        },
        other => Policy::Other(other.to_owned()),
    }
}

fn goal(told: &v1::Goal) -> Goal {
    let missing = told
        .verdict
        .as_ref()
        .and_then(|verdict| verdict.get("missing"));
    Goal {
        objective: told.objective.clone(),
        status: told.status.as_str().to_owned(),
        round: told.iteration,
        rounds: told.max_iterations,
        missing: missing
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
    }
}

/// The sums and their parts by purpose. The context is that of the main agent.
pub(super) fn metrics(stats: &Stats) -> Metrics {
    let mut sums = Metrics::default();
    for (name, told) in &stats.usage_to_metrics {
        let tokens = &told.accumulated_token_usage;
        let add = |sum: &mut u64, more: u64| *sum = sum.saturating_add(more);
        sums.cost += told.accumulated_cost;
        add(&mut sums.prompt_tokens, tokens.prompt_tokens);
        add(&mut sums.completion_tokens, tokens.completion_tokens);
        add(&mut sums.cache_read_tokens, tokens.cache_read_tokens);
        add(&mut sums.cache_write_tokens, tokens.cache_write_tokens);
        if name == "default" || stats.usage_to_metrics.len() == 1 {
            sums.context_window = tokens.context_window;
            sums.per_turn_token = tokens.per_turn_token;
            sums.budget = told.max_budget_per_task;
        }
        // Each sub-agent has a usage of its own; they are grouped by the prefix of the name.
        let name = name
            .split_once(':')
            .map_or(name.as_str(), |(family, _)| family);
        let known = sums.usages.iter().position(|usage| usage.name == name);
        let place = match known {
            Some(place) => place,
            None if sums.usages.len() < USAGES => {
                sums.usages.push(Usage {
                    name: name.to_owned(),
                    model: told.model_name.clone(),
                    ..Usage::default()
                });
                sums.usages.len() - 1
            }
            None => continue,
        };
        let usage = &mut sums.usages[place];
        usage.cost += told.accumulated_cost;
        add(&mut usage.prompt_tokens, tokens.prompt_tokens);
        add(&mut usage.completion_tokens, tokens.completion_tokens);
        add(&mut usage.cache_read_tokens, tokens.cache_read_tokens);
    }
    sums
}
