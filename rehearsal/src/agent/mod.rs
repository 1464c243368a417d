//! The agent of one running conversation: 0.62's state machine around a script instead of a model.
//!
//! One task owns all of its state. It waits for user input, for the end of a "model call" and for the end of
//! "commands", and handles each event immediately, so that no two of them interleave. Its quirks are those of the real
//! server. `steps` is what the agent does on its own, `control_input` how the user changes its state.

mod control_input;
mod steps;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use crate::conversation::{Conversation, Status};
use crate::execution::{self, Execution};
use crate::script::{Act, Asks};
use crate::sync::lock;
use crate::world::World;
use crate::{event, plan::Plan, scripts, stats::Tally};

pub enum AgentMessage {
    Message {
        content: String,
        images: Value,
        files: Value,
    },
    /// A requested state; it is not validated.
    State(String),
    /// Any other action of the user, unchanged.
    Act { kind: String, args: Value },
    /// An observation sent by the user: it poisons the conversation.
    Observation(Value),
    /// Shutdown; the reply is sent once the last event is stored.
    Stop(oneshot::Sender<()>),
}

/// The user's answer to a pending action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Approved,
    Rejected,
    /// The user sent a message instead.
    Ignored,
}

/// An action without an observation yet.
struct Pending {
    id: i64,
    act: Act,
    asked: bool,
}

/// The agent and its upcoming work.
pub struct Agent {
    conversation: Arc<Conversation>,
    tally: Arc<Tally>,
    pace: Duration,
    /// Which actions need approval by the settings.
    settings: Option<Asks>,
    state: String,
    /// A state requested during a model call; applied after the call.
    wanted: Option<String>,
    starting: Option<Instant>,
    initial: Option<(String, Value)>,
    thinking: Option<Instant>,
    executions: Vec<Execution>,
    plan: Plan<Option<Pending>>,
    poisoned: bool,
}

impl Agent {
    /// An agent for a conversation that starts or restarts.
    pub fn new(
        world: &World,
        conversation: Arc<Conversation>,
        initial: Option<(String, Value)>,
    ) -> Self {
        let settings = lock(&world.settings).stored().unwrap_or_default();
        let pace = world.options.pace;
        let (known, _) = conversation.events(0, i64::MAX, false, usize::MAX);
        let is_message = |event: &&Value| event["action"] == "message" && event["source"] == "user";
        let messages = known.iter().filter(is_message).count();
        let asks = match settings["security_analyzer"] {
            Value::Null => Asks::Everything,
            _ => Asks::High,
        };
        Self {
            conversation,
            tally: world.tally.clone(),
            pace,
            settings: (settings["confirmation_mode"] == true).then_some(asks),
            state: String::from("loading"),
            wanted: None,
            starting: Some(Instant::now() + pace * 3),
            initial,
            thinking: None,
            executions: Vec::new(),
            plan: Plan {
                messages: messages as u64,
                ..Plan::default()
            },
            poisoned: false,
        }
    }

    /// Announces the start. Call it before [`Agent::run`], so that the start is stored when its request is answered.
    pub fn announce(&self) {
        self.emit(event::state("loading", ""));
        let starting = event::status("info", "STATUS$STARTING_RUNTIME", "");
        self.conversation.send(&starting);
        self.conversation.send(&starting);
    }

    /// Runs until the agent is stopped.
    pub async fn run(mut self, mut inbox: UnboundedReceiver<AgentMessage>) {
        loop {
            let due = self.executions.iter().map(|execution| execution.due);
            let next = due.chain(self.starting).chain(self.thinking).min();
            tokio::select! {
                biased;
                input = inbox.recv() => match input {
                    Some(AgentMessage::Stop(done)) => {
                        self.reset();
                        self.set_state("stopped");
                        // The caller of stop may have gone.
                        let _ = done.send(());
                        return;
                    }
                    Some(input) => self.receive(input),
                    None => return,
                },
                () = until(next) => self.advance(),
            }
        }
    }

    fn advance(&mut self) {
        let now = Instant::now();
        let mut executions = self.executions.iter();
        let over = executions.position(|execution| execution.due <= now);
        if self.starting.is_some_and(|due| due <= now) {
            self.starting = None;
            self.ready();
        } else if let Some(position) = over {
            let execution = self.executions.remove(position);
            self.complete(execution);
        } else if self.thinking.is_some_and(|due| due <= now) {
            self.thinking = None;
            self.step();
            if let Some(wanted) = self.wanted.take() {
                self.change_state(&wanted);
            }
        }
    }

    fn ready(&mut self) {
        let conversation = self.conversation.clone();
        conversation.set_status(Status::Running);
        conversation.send(&event::status("info", "STATUS$READY", ""));
        let (known, _) = conversation.events(1, i64::MAX, false, 1);
        if known.is_empty() {
            conversation.append(scripts::system());
        }
        match self.initial.take() {
            Some((content, images)) => {
                conversation.append(event::user_message(&content, images, json!([])));
                conversation.append(event::change_state("running", "environment"));
                self.on_message(&content);
            }
            None => {
                conversation.append(event::change_state("awaiting_user_input", "environment"));
                self.set_state("awaiting_user_input");
            }
        }
    }

    fn receive(&mut self, input: AgentMessage) {
        match input {
            AgentMessage::Message {
                content,
                images,
                files,
            } => {
                self.emit(event::user_message(&content, images, files));
                // During the start the message is stored and never answered, as by the real server.
                if self.starting.is_none() {
                    self.on_message(&content);
                }
            }
            AgentMessage::State(wanted) => {
                if matches!(wanted.as_str(), "user_confirmed" | "user_rejected") {
                    let yes = wanted == "user_confirmed";
                    self.tally.answered(&self.conversation.id, yes);
                }
                self.emit(event::change_state(&wanted, "user"));
                if self.thinking.is_some() {
                    self.wanted = Some(wanted);
                } else {
                    self.change_state(&wanted);
                }
            }
            AgentMessage::Act { kind, args } => {
                let act = execution::of_the_user(&kind, &args);
                let id = self.emit(act.event.clone());
                if matches!(kind.as_str(), "run" | "read") {
                    self.execute(id, act);
                }
            }
            AgentMessage::Observation(observation) => {
                self.emit(observation);
                self.poisoned = true;
            }
            AgentMessage::Stop(_) => unreachable!("the loop handles the end"),
        }
    }

    fn on_message(&mut self, content: &str) {
        let conversation = self.conversation.clone();
        let first = self.plan.take_message(content);
        let recall = conversation.append(execution::recall(content, first));
        // A pending action is dropped without an event.
        if let Some(pending) = self.plan.pending.take()
            && self.state == "awaiting_user_confirmation"
        {
            self.note(&pending, Answer::Ignored);
        }
        let resumes = self.state != "running";
        if first {
            self.state = String::from("running");
            // The order of these two events differs in about half of the recordings.
            let live = match content.len().is_multiple_of(2) {
                true => [0, 1],
                false => [1, 0],
            };
            let events = vec![execution::recalled(recall), event::state("running", "")];
            conversation.append_in_order(events, &live);
            conversation.set_title(&scripts::title(content));
        } else {
            if resumes {
                self.set_state("running");
            }
            conversation.append(json!({
                "observation": "null", "source": "environment", "message": "No observation", "content": "",
                "extras": {}, "cause": recall,
            }));
        }
        self.think();
    }

    /// Stores an event and sends it; returns its id.
    fn emit(&self, event: Value) -> i64 {
        self.conversation.append(event)
    }

    fn think(&mut self) {
        self.thinking.get_or_insert(Instant::now() + self.pace);
    }

    fn set_state(&mut self, state: &str) {
        state.clone_into(&mut self.state);
        self.emit(event::state(state, ""));
    }
}

/// Waits until a time. One that is due needs no timer: timers tick in milliseconds, and without pace must be fast.
async fn until(time: Option<Instant>) {
    match time {
        Some(time) if time > Instant::now() => sleep_until(time).await,
        Some(_) => tokio::task::yield_now().await,
        None => std::future::pending().await,
    }
}
