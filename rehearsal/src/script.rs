//! Scripts of the rehearsal: a list of steps, one per simulated model call.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use crate::event;

/// A script and its approval rule.
#[derive(Default)]
pub struct Script {
    pub steps: VecDeque<Step>,
    /// Which actions need approval.
    pub asks: Asks,
}

/// Which actions need approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// As the settings said when the conversation started.
    #[default]
    BySettings,
    /// Like confirmation mode with the `llm` analyzer: actions of high risk.
    High,
    /// Like confirmation mode without an analyzer: all actions that can wait.
    Everything,
    /// Like the policy "always" of 1.x with an analyzer: all actions, each with its risk. In 0.x as [`Self::Everything`].
    Rated,
}

/// The result of one model call.
pub enum Step {
    /// An action and, later, its observation.
    Act(Act),
    /// Parallel actions: from one model response in 1.x, one after the other in 0.x.
    Together(Vec<Act>),
    /// A message, after which the agent waits.
    Say(String),
    /// The end of the task.
    Finish(String),
    /// The end of the task, with a list of approved and rejected actions.
    Report,
    Fail(Failure),
    /// Events that are stored and sent unchanged; the agent's own state does not change.
    Events(Vec<Value>),
    /// Text frames that are sent unchanged and never stored.
    Frames(Vec<String>),
}

#[derive(Clone)]
pub struct Act {
    pub event: Value,
    pub effect: Effect,
    /// Its duration in addition to the pace of the rehearsal.
    pub lasts: Duration,
}

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
    /// The notebook prints this and shows these images.
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
    /// The tool returns a text.
    Tool { text: String, is_error: bool },
    /// A plain acknowledgement: `think` and `task_tracking`.
    Acknowledged,
    /// Exactly this observation.
    Observation(Value),
    /// No observation: the agent continues.
    Nothing,
}

/// The effect of a command on the files.
#[derive(Clone)]
pub enum Change {
    Write(&'static str, &'static str),
    Remove(&'static str),
}

pub struct Failure {
    /// The agent's state afterwards: `error` or `rate_limited`.
    pub state: &'static str,
    pub reason: &'static str,
    /// The id of the status frame, if there is one; its message is the reason.
    pub status: Option<&'static str>,
    /// Whether the status frame precedes the state: the order varies in the real server.
    pub status_first: bool,
}

impl Script {
    /// A script with the approval rule of the settings.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self::with_approval_policy(Asks::BySettings, steps)
    }

    /// A script with its own approval rule.
    pub fn with_approval_policy(asks: Asks, steps: impl IntoIterator<Item = Step>) -> Self {
        let steps = steps.into_iter().collect();
        Self { steps, asks }
    }
}

/// The steps of a script, as an array: actions and other steps may be mixed.
macro_rules! steps {
    ($($step:expr),* $(,)?) => { [$($crate::script::Step::from($step)),*] };
}
pub(crate) use steps;

impl From<Act> for Step {
    fn from(act: Act) -> Self {
        Self::Act(act)
    }
}

impl Act {
    pub fn new(event: Value, effect: Effect) -> Self {
        Self {
            event,
            effect,
            lasts: Duration::ZERO,
        }
    }

    /// The same with the agent's reason for it.
    pub fn because(mut self, thought: &str) -> Self {
        self.event["args"]["thought"] = thought.into();
        self
    }

    /// The same with a security risk: 0 is low, 1 medium, 2 high.
    pub fn risk(mut self, risk: i8) -> Self {
        self.event["args"]["security_risk"] = risk.into();
        self
    }

    /// The same with this duration, in milliseconds.
    pub fn lasting(mut self, milliseconds: u64) -> Self {
        self.lasts = Duration::from_millis(milliseconds);
        self
    }
}

impl Effect {
    /// A command prints this and changes nothing.
    pub fn prints(content: impl Into<String>, exit_code: i64) -> Self {
        Self::Output {
            content: content.into(),
            exit_code,
            changes: Vec::new(),
        }
    }

    /// A command prints nothing and changes files.
    pub fn changes(changes: impl Into<Vec<Change>>) -> Self {
        Self::Output {
            content: String::new(),
            exit_code: 0,
            changes: changes.into(),
        }
    }
}

/// A command with any effect.
pub fn command(command: &str, effect: Effect) -> Act {
    Act::new(event::run(command, "", 0), effect)
}

/// A command that prints something and changes nothing.
pub fn shell(line: &str, content: impl Into<String>, exit_code: i64) -> Act {
    command(line, Effect::prints(content, exit_code))
}

/// A notebook cell that prints something and shows images.
pub fn cell(code: &str, content: &str, images: impl Into<Vec<String>>) -> Act {
    let (content, images) = (content.to_owned(), images.into());
    let effect = Effect::Cell { content, images };
    Act::new(event::run_ipython(code, "", 0), effect)
}

pub fn create(path: &str, text: &str) -> Act {
    edit("create", path, json!({"file_text": text}))
}

/// An editor command with the arguments specific to it.
pub fn edit(command: &str, path: &str, fields: Value) -> Act {
    Act::new(event::edit(command, path, fields, "", 0), Effect::Editor)
}

/// Reading a file, or some of its lines.
pub fn read(path: &str, range: Option<(usize, usize)>) -> Act {
    Act::new(event::read(path, range, "", 0), Effect::Editor)
}

/// A browser action after which the browser shows this text.
pub fn browse(actions: &str, url: &str, text: &str) -> Act {
    let effect = Effect::Page {
        url: url.to_owned(),
        text: text.to_owned(),
        error: String::new(),
    };
    Act::new(event::browse(actions, "", 0), effect)
}

/// A call of an MCP tool that returns a text.
pub fn tool(name: &str, arguments: Value, text: &str, is_error: bool) -> Act {
    let text = text.to_owned();
    let effect = Effect::Tool { text, is_error };
    Act::new(event::call_mcp(name, arguments, ""), effect)
}

pub fn think(thought: &str) -> Act {
    Act::new(event::think(thought), Effect::Acknowledged)
}

pub fn done(text: &str) -> Step {
    Step::Finish(text.to_owned())
}
