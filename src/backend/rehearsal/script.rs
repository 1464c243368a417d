//! What an agent does in a rehearsal: a list of steps, one for each call of the model it does not have.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::Value;

/// A play with its rules about asking.
pub struct Script {
    /// What is left to do.
    pub steps: VecDeque<Step>,
    /// Which actions wait for the user.
    pub asks: Asks,
}

/// Which actions wait for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// What the settings said when the conversation started.
    BySettings,
    /// As with confirmation mode and the analyzer `llm`: actions of high risk.
    High,
    /// As with confirmation mode and no analyzer: all that can wait.
    Everything,
}

/// What one call of the model yields.
pub enum Step {
    /// An action and, later, its observation.
    Act(Act),
    /// Actions side by side: of one answer of the model in 1.x, one after the other in 0.x.
    Together(Vec<Act>),
    /// A message; then the agent waits.
    Say(String),
    /// The end of the task.
    Finish(String),
    /// The end of the task, with an account of what was approved and what was not.
    Report,
    /// The call fails.
    Fail(Failure),
    /// Events that are stored and sent as they are; the agent's own state stays what it is.
    Events(Vec<Value>),
    /// Text frames that are sent as they are and never stored.
    Frames(Vec<String>),
}

/// An action which has yet to happen.
#[derive(Clone)]
pub struct Act {
    /// The action event.
    pub event: Value,
    /// What comes of it.
    pub effect: Effect,
    /// How long it takes beyond the pace of the rehearsal.
    pub lasts: Duration,
}

/// What comes of an action.
#[derive(Clone)]
pub enum Effect {
    /// The shell prints this and the files change.
    Output {
        content: String,
        exit_code: i64,
        changes: Vec<Change>,
    },
    /// The workspace decides: `edit` and `read`.
    Editor,
    /// The notebook prints this and shows these pictures.
    Cell {
        content: String,
        images: Vec<String>,
    },
    /// The browser shows a page, or an error.
    Page {
        url: String,
        text: String,
        error: String,
    },
    /// The tool answers with a text.
    Tool { text: String, is_error: bool },
    /// It is noted: `think` and `task_tracking`.
    Noted,
    /// This very observation.
    Observation(Value),
    /// No observation: the agent goes on.
    Nothing,
}

/// What a command does to the files.
#[derive(Clone)]
pub enum Change {
    Write(&'static str, &'static str),
    Remove(&'static str),
}

/// How the model fails.
pub struct Failure {
    /// The state afterwards: `error` or `rate_limited`.
    pub state: &'static str,
    /// Its reason.
    pub reason: &'static str,
    /// The id of the status frame, if there is one; its message is the reason.
    pub status: Option<&'static str>,
    /// The order of the two varies in the real server.
    pub status_first: bool,
}

impl Script {
    /// A script that asks as the settings say.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            asks: Asks::BySettings,
        }
    }

    /// A script with its own rule.
    pub fn asking(asks: Asks, steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            asks,
            ..Self::new(steps)
        }
    }
}

/// An action with its effect.
pub fn act(event: Value, effect: Effect) -> Step {
    Step::Act(Act {
        event,
        effect,
        lasts: Duration::ZERO,
    })
}

/// A command that prints something and changes nothing.
pub fn shell(command: &str, thought: &str, content: impl Into<String>, exit_code: i64) -> Step {
    let effect = Effect::Output {
        content: content.into(),
        exit_code,
        changes: Vec::new(),
    };
    act(super::event::run(command, thought, 0), effect)
}
