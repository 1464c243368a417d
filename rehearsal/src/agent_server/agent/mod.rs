//! The agent of one conversation: 1.x runs around a script. `control_input`: the user's control,
//! `saying`: messages. Its ends from outside are in `ending.rs`.
//!
//! A run first executes all calls without a result. Therefore whatever starts a run while calls are pending approves
//! all of them, be it an approval, a message or "resume".

mod control_input;
mod saying;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{
    conversation::Conversation, ending::error_of, plan::Pending, snapshot, stage::Stage, translate,
};
use crate::script::{Act, Asks, Step};
use crate::{execution, sync::lock};

pub use control_input::{answer, take_message};

/// Starts a run; returns `false` if one is active.
pub fn begin(stage: &Arc<Stage>, conversation: &Arc<Conversation>) -> bool {
    let Some(run) = conversation.begin_run() else {
        return false;
    };
    conversation.set_status("running");
    let agent = Agent {
        stage: stage.clone(),
        conversation: conversation.clone(),
        interrupt: run.interrupt,
    };
    let ended = stage.world.ended.clone();
    stage.world.tasks.spawn(async move {
        let over = run.over;
        tokio::select! {
            () = ended.cancelled() => {}
            // The server has died: this run emits nothing more.
            () = over.cancelled() => {}
            () = agent.run() => {}
        }
    });
    true
}

struct Agent {
    stage: Arc<Stage>,
    conversation: Arc<Conversation>,
    interrupt: CancellationToken,
}

impl Agent {
    async fn run(&self) {
        loop {
            let pending = std::mem::take(&mut lock(&self.conversation.plan).pending);
            if !pending.is_empty() {
                if !self.execute(pending).await {
                    return;
                }
                continue;
            }
            tokio::select! {
                biased;
                () = self.interrupt.cancelled() => return self.stop().await,
                () = sleep(self.stage.world.options.pace) => {}
            }
            let Ok(streamed) = self.stream().await else {
                return self.stop().await;
            };
            // Requests that waited for the end of the previous step are served first; a pause ends the run here.
            let held = self.conversation.busy.clone().lock_owned().await;
            let goes_on = self.conversation.status() == "running" && self.step(streamed);
            if !goes_on {
                self.conversation.tell_all();
                // Before the lock is released, so that the next request starts a new run.
                self.conversation.end_run();
                return;
            }
            drop(held);
        }
    }

    /// One model call; returns `false` if the run is over. `streamed` is the id of the message that was streamed.
    fn step(&self, streamed: Option<String>) -> bool {
        let conversation = &self.conversation;
        let (step, calls) = {
            let mut plan = lock(&conversation.plan);
            (plan.next_step(), plan.calls)
        };
        conversation.update("stats", snapshot::stats(calls));
        match step {
            Step::Act(act) => self.act(vec![act], calls),
            Step::Together(acts) => self.act(acts, calls),
            Step::Say(text) => {
                self.say(&text, streamed);
                conversation.set_status("finished");
                false
            }
            Step::Finish(text) => self.finish(&text, calls),
            Step::Report => {
                let report = lock(&conversation.plan).report();
                self.finish(&report, calls)
            }
            Step::Fail(failure) => {
                let (status, event) = translate::failure(&failure);
                conversation.set_status(status);
                event.map(|event| conversation.append(event));
                false
            }
            Step::Events(events) => {
                for event in events.into_iter().filter_map(translate::odd) {
                    conversation.append(event);
                }
                true
            }
            Step::Frames(frames) => {
                frames.iter().for_each(|frame| conversation.tell_raw(frame));
                true
            }
        }
    }

    /// Emits the tool calls of one model response; returns `false` if they need approval.
    fn act(&self, acts: Vec<Act>, response: u64) -> bool {
        let conversation = &self.conversation;
        let standing = conversation.standing();
        let own = lock(&conversation.plan).script.asks;
        let judged = match own {
            Asks::BySettings => !standing.analyzer.is_null(),
            Asks::High | Asks::Rated => true,
            Asks::Everything => false,
        };
        let mut risks = serde_json::Map::new();
        // A thought alone never waits, whatever the policy says.
        let is_thought = acts.len() == 1 && acts[0].event["action"] == "think";
        let mut waits = false;
        for (number, act) in acts.into_iter().enumerate() {
            if self.is_condensation(&act) {
                continue;
            }
            let said = translate::risk(&act);
            let risk = if judged { said } else { "UNKNOWN" };
            let asked = match own {
                // An ACP agent answers every permission request of its program with yes.
                _ if is_thought || !standing.acp.is_null() => false,
                Asks::BySettings => holds(&standing.policy, risk),
                Asks::High => risk == "HIGH",
                Asks::Everything | Asks::Rated => true,
            };
            let translate::Call { tool, action } = translate::call(&act, &conversation.folder);
            let call_id = format!("call_{response:05}_{number}");
            let mut arguments = action.clone();
            arguments.as_object_mut().map(|map| map.remove("kind"));
            let written = arguments.to_string();
            arguments["security_risk"] = said.into();
            let thought = act.event["args"]["thought"].as_str();
            let thought = thought.filter(|text| !text.is_empty() && tool != "think");
            let event_id = conversation.append(json!({
                "kind": "ActionEvent", "source": "agent", "thought": thought.map_or_else(|| json!([]), translate::part),
                "thinking_blocks": [], "action": action, "tool_name": tool, "tool_call_id": call_id,
                "tool_call": {"id": call_id, "name": tool, "arguments": arguments.to_string(), "origin": "completion"},
                "llm_response_id": format!("chatcmpl-rehearsal-{response:05}"), "security_risk": risk,
                "summary": format!("{tool}: {written}"),
            }));
            risks.insert(event_id.clone(), risk.into());
            waits |= asked;
            let pending = Pending {
                event_id,
                call_id,
                tool,
                act,
                asked,
            };
            lock(&conversation.plan).pending.push(pending);
        }
        if judged && !risks.is_empty() {
            let analyzer = standing.analyzer["kind"].as_str();
            conversation.append(json!({"kind": "SecurityAnalysisEvent", "source": "environment",
                "analyzer": analyzer.unwrap_or("LLMSecurityAnalyzer"), "policy": standing.policy["kind"], "risks": risks, "details": {}}));
        }
        if waits {
            conversation.set_status("waiting_for_confirmation");
        }
        !waits
    }

    /// Condensation is not a tool call in 1.x.
    fn is_condensation(&self, act: &Act) -> bool {
        match act.event["action"].as_str() {
            Some("condensation_request") => self.conversation.request_condensation(),
            Some("condensation") => {
                let summary = &act.event["args"]["summary"];
                self.conversation.condense(4, 6, summary);
            }
            _ => return false,
        }
        true
    }

    /// Executes calls one after the other; returns `false` if the run was interrupted.
    async fn execute(&self, calls: Vec<Pending>) -> bool {
        let conversation = &self.conversation;
        let held = conversation.busy.clone().lock_owned().await;
        // A server that restarts now finds the calls again.
        lock(&conversation.plan).pending.clone_from(&calls);
        for (number, call) in calls.iter().enumerate() {
            let name = execution::name(&call.act.event);
            self.stage.world.tally.executed(&conversation.id, &name);
            let lasts = self.stage.world.options.pace + call.act.lasts;
            tokio::select! {
                biased;
                () = self.interrupt.cancelled() => {
                    let said = "Tool call interrupted before completion. The conversation was paused.";
                    let classification = json!({"kind": "agent_action", "retryable": true, "user_action": "retry"});
                    for call in &calls[number..] {
                        conversation.append(error_of(call, said, &classification));
                    }
                    lock(&conversation.plan).pending.clear();
                    self.stopped();
                    return false;
                }
                () = sleep(lasts) => {}
            }
            let mut files = lock(&conversation.workspace);
            let observed = translate::observe(&call.act, &mut files, &conversation.folder);
            drop(files);
            if let Some(observed) = observed {
                let (call_id, event_id) = (&call.call_id, &call.event_id);
                conversation.append(translate::result(&call.tool, call_id, event_id, observed));
            }
            let pending = &mut lock(&conversation.plan).pending;
            pending.retain(|open| open.event_id != call.event_id);
        }
        drop(held);
        true
    }

    /// Handles an interrupt during a model call.
    async fn stop(&self) {
        let _held = self.conversation.busy.lock().await;
        self.stopped();
    }

    /// Ends the run after an interrupt; the caller holds the conversation's lock.
    fn stopped(&self) {
        self.conversation.set_status("paused");
        let event = json!({"kind": "InterruptEvent", "source": "user"});
        self.conversation.append(event);
        self.conversation.tell_all();
        self.conversation.end_run();
    }
}

/// Whether a policy requires approval for a call of this risk.
fn holds(policy: &Value, risk: &str) -> bool {
    const RISKS: [&str; 3] = ["LOW", "MEDIUM", "HIGH"];
    let place = |risk: &str| RISKS.iter().position(|known| *known == risk);
    match policy["kind"].as_str() {
        Some("AlwaysConfirm") => true,
        Some("ConfirmRisky") => match place(risk) {
            Some(risk) => risk >= policy["threshold"].as_str().and_then(place).unwrap_or(2),
            None => policy["confirm_unknown"] != false,
        },
        _ => false,
    }
}
