//! The agent of one conversation: the runs of a 1.x server around a script instead of a model. `wishes` is what people
//! make of it, `saying` how it speaks.
//!
//! A run first carries out whatever has no result yet: that is why anything that begins a run while calls wait for an
//! answer is a yes to all of them, be it an approval, a message or "go on".

mod saying;
mod wishes;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::super::execution;
use super::super::script::{Act, Asks, Step};
use super::super::scripts;
use super::super::world::lock;
use super::conversation::Conversation;
use super::plan::Pending;
use super::snapshot;
use super::stage::Stage;
use super::words;

pub use wishes::{answer, hear, interrupt, pause, recover};

/// Begins a run; false when one is under way.
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
            // The server has died: nothing more is said by this run.
            () = over.cancelled() => {}
            () = agent.run() => {}
        }
    });
    true
}

/// One run.
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
            // Whoever waited for the step before this one comes first: a pause ends the run here.
            let held = self.conversation.busy.clone().lock_owned().await;
            let goes_on = self.conversation.status() == "running" && self.step(streamed);
            if !goes_on {
                self.conversation.tell_all();
                // Before anybody else can hold the conversation: what they begin is a new run.
                self.conversation.end_run();
                return;
            }
            drop(held);
        }
    }

    /// One call of the model; false when the run is over. `streamed` is the id of what was told piece by piece.
    fn step(&self, streamed: Option<String>) -> bool {
        let conversation = &self.conversation;
        let (step, calls, answers) = {
            let mut plan = lock(&conversation.plan);
            plan.calls += 1;
            let step = plan.script.steps.pop_front();
            (step, plan.calls, plan.answers.clone())
        };
        conversation.update("stats", snapshot::stats(calls));
        match step.unwrap_or_else(|| Step::Say(scripts::honest_reply())) {
            Step::Act(act) => self.act(vec![act], calls),
            Step::Together(acts) => self.act(acts, calls),
            Step::Say(text) => {
                self.say(&text, streamed);
                conversation.set_status("finished");
                false
            }
            Step::Finish(text) => self.finish(&text, calls),
            Step::Report => {
                lock(&conversation.plan).answers.clear();
                self.finish(&scripts::report(&answers), calls)
            }
            Step::Fail(failure) => {
                let (status, event) = words::failure(&failure);
                conversation.set_status(status);
                event.map(|event| conversation.append(event));
                false
            }
            Step::Events(events) => {
                for event in events.into_iter().filter_map(words::odd) {
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

    /// Calls of one answer of the model; false when they have to wait.
    fn act(&self, acts: Vec<Act>, response: u64) -> bool {
        let conversation = &self.conversation;
        let standing = conversation.standing();
        let own = lock(&conversation.plan).script.asks;
        let judged = match own {
            Asks::BySettings => !standing.analyzer.is_null(),
            Asks::High => true,
            Asks::Everything => false,
        };
        let mut risks = serde_json::Map::new();
        let mut waits = false;
        for (number, act) in acts.into_iter().enumerate() {
            if self.is_condensation(&act) {
                continue;
            }
            let said = words::risk(&act);
            let risk = if judged { said } else { "UNKNOWN" };
            let asked = match own {
                Asks::BySettings => holds(&standing.policy, risk),
                Asks::High => risk == "HIGH",
                Asks::Everything => true,
            };
            let words::Call { tool, action } = words::call(&act, &conversation.folder);
            let call_id = format!("call_{response:05}_{number}");
            let mut arguments = action.clone();
            arguments.as_object_mut().map(|map| map.remove("kind"));
            let written = arguments.to_string();
            arguments["security_risk"] = said.into();
            let thought = act.event["args"]["thought"].as_str();
            let thought = thought.filter(|text| !text.is_empty() && tool != "think");
            let event_id = conversation.append(json!({
                "kind": "ActionEvent", "source": "agent", "thought": thought.map_or_else(|| json!([]), words::text),
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

    /// Condensing is no call of a tool here.
    fn is_condensation(&self, act: &Act) -> bool {
        match act.event["action"].as_str() {
            Some("condensation_request") => {
                let asked = json!({"kind": "CondensationRequest", "source": "environment"});
                self.conversation.append(asked);
            }
            Some("condensation") => {
                let events = self.conversation.events();
                let forgotten: Vec<&Value> = events
                    .iter()
                    .skip(4)
                    .take(6)
                    .map(|event| &event["id"])
                    .collect();
                self.conversation.append(json!({"kind": "Condensation", "source": "environment",
                    "forgotten_event_ids": forgotten, "summary": act.event["args"]["summary"], "summary_offset": 4}));
            }
            _ => return false,
        }
        true
    }

    /// Carries calls out, one after the other; false when somebody stopped them.
    async fn execute(&self, calls: Vec<Pending>) -> bool {
        let conversation = &self.conversation;
        let held = conversation.busy.clone().lock_owned().await;
        // Should the server die now, it finds them again.
        lock(&conversation.plan).pending.clone_from(&calls);
        for (number, call) in calls.iter().enumerate() {
            let name = execution::name(&call.act.event);
            self.stage.world.tally.executed(&conversation.id, &name);
            let lasts = self.stage.world.options.pace + call.act.lasts;
            tokio::select! {
                biased;
                () = self.interrupt.cancelled() => {
                    let said = "Tool call interrupted before completion. The conversation was paused.";
                    for call in &calls[number..] {
                        conversation.append(wishes::error_of(call, said, "agent_action", true, "retry"));
                    }
                    lock(&conversation.plan).pending.clear();
                    self.stopped();
                    return false;
                }
                () = sleep(lasts) => {}
            }
            let observed = words::observe(
                &call.act,
                &mut lock(&conversation.workspace),
                &conversation.folder,
            );
            if let Some(observation) = observed {
                self.result(call, observation);
            }
            lock(&conversation.plan)
                .pending
                .retain(|open| open.event_id != call.event_id);
        }
        drop(held);
        true
    }

    fn result(&self, call: &Pending, observation: Value) {
        self.conversation.append(
            json!({"kind": "ObservationEvent", "source": "environment", "tool_name": call.tool,
            "tool_call_id": call.call_id, "action_id": call.event_id, "observation": observation,
            "extended_content": []}),
        );
    }

    /// Somebody stopped the model.
    async fn stop(&self) {
        let _held = self.conversation.busy.lock().await;
        self.stopped();
    }

    /// Somebody stopped the run; the conversation is held.
    fn stopped(&self) {
        self.conversation.set_status("paused");
        let event = json!({"kind": "InterruptEvent", "source": "user"});
        self.conversation.append(event);
        self.conversation.tell_all();
        self.conversation.end_run();
    }
}

/// Whether a policy holds a call of this risk back.
fn holds(policy: &Value, risk: &str) -> bool {
    const RISKS: [&str; 3] = ["LOW", "MEDIUM", "HIGH"];
    let place = |risk: &str| RISKS.iter().position(|known| *known == risk);
    match policy["kind"].as_str() {
        Some("AlwaysConfirm") => true,
        Some("ConfirmRisky") => match place(risk) {
            Some(risk) => {
                risk >= place(policy["threshold"].as_str().unwrap_or("HIGH")).unwrap_or(2)
            }
            None => policy["confirm_unknown"] != false,
        },
        _ => false,
    }
}
