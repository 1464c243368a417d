//! One wire event in neutral form.
//!
//! The same types serve both protocols (0.x Socket.IO events, 1.x agent-server events); what a protocol lacks is `None`
//! or empty. The raw JSON is not included: the journal keeps it.

use super::{
    Confirmation, HookRun, Metrics, Recall, Remedy, Risk, StateChange, Status, SystemPrompt, Task,
    Tool,
};
use crate::words::words;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One event of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogItem {
    /// Upstream's id of the event, unique in its conversation (0.x: the integer id as text; 1.x: the UUID). `None` for
    /// frames without one (0.x status updates and error frames).
    pub key: Option<String>,
    /// Upstream's position (0.x: the id; 1.x: the durable sequence number).
    pub pos: Option<i64>,
    /// Upstream's timestamp.
    pub at: Stamp,
    /// The source of the event.
    pub from: Actor,
    /// The earlier event that this one answers.
    pub answers: Option<Answer>,
    /// Running totals attached to the event (0.x `llm_metrics`).
    pub metrics: Option<Metrics>,
    /// The content.
    pub body: Body,
}

/// A timestamp as upstream wrote it.
///
/// 0.x events have the server's local time without a time zone, so the milliseconds are computed as if it were UTC;
/// `zoned` states whether a zone was given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Milliseconds since the Unix epoch; 0 if there was no readable time.
    pub millis: i64,
    /// Whether the time zone is known.
    pub zoned: bool,
}

/// The source of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person.
    Human,
    /// The agent.
    Agent,
    /// The sandbox, the server, or the loop around the agent.
    Environment,
    /// A hook script (1.x).
    Hook,
}

words! { Actor, as_str: Human "human", Agent "agent", Environment "environment", Hook "hook" }

/// Reference to an earlier event.
///
/// The tool call id is used where there is no key: in 0.x the observations of delegates have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The key of the event (0.x `cause`, 1.x `action_id`).
    Key(String),
    /// The tool call id (1.x `tool_call_id`). A call with this reference is an update of that call.
    Call(String),
    /// The event directly before it, if that is a call of this tool without a key (old 0.x files, whose events have no ids).
    Before(String),
}

/// The content of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A message.
    Message(Message),
    /// A tool call, of the agent or a person.
    Call(Call),
    /// The result of a call.
    Result(ToolResult),
    /// A call was rejected.
    Rejected {
        /// The reason, in the words of the person or hook that rejected it.
        reason: String,
    },
    /// A call could not be executed (unknown tool, unreadable arguments, stopped before it ran).
    CallError {
        /// What went wrong.
        text: String,
        /// Upstream's code for it, or empty.
        code: String,
    },
    /// The run itself failed.
    RunError {
        /// Upstream's code for it, or empty.
        code: String,
        /// What went wrong.
        text: String,
        /// What a person can do about it, if upstream says so (1.x).
        remedy: Option<Remedy>,
    },
    /// The agent's status changed.
    Status {
        /// The new status.
        status: Status,
        /// Reason, mostly for errors; else empty.
        reason: String,
    },
    /// A person requested a status (0.x `change_agent_state`): paused, confirmed, stopped.
    Steered {
        /// The requested status.
        status: Status,
    },
    /// The conversation was given a title.
    Title(String),
    /// A change of the conversation's state other than its status (1.x).
    State(Box<StateChange>),
    /// A transient message of the server about its own state (0.x `status_update` of type info).
    Progress {
        /// Upstream's code, for example `STATUS$READY`.
        code: String,
        /// Its text, often empty.
        text: String,
    },
    /// Context injected for the agent (0.x `recall`, 1.x skills).
    Recall(Recall),
    /// Older events were condensed into a summary.
    Condensed {
        /// Number of condensed events, if known.
        forgotten: Option<u64>,
        /// The summary.
        summary: String,
    },
    /// A hook ran (1.x).
    Hook(HookRun),
    /// The run was paused (`hard` false) or interrupted (`hard` true) (1.x).
    Stopped {
        /// Interrupted at once rather than after the current step.
        hard: bool,
    },
    /// The agent's instructions and tools.
    System(SystemPrompt),
    /// A remark worth showing (0.x `success`, `loop_recovery`, ...).
    Note(String),
    /// The backend has lost events that it had sent; from here on positions have another offset. Generated by Handrail.
    Lost {
        /// The new [`super::PositionOffset::by`].
        by: i64,
    },
    /// No content for a reader (0.x `null`, the log line of a thought): stored, but not shown.
    Nothing,
    /// Not understood: shown as JSON.
    Unknown {
        /// The best available name (its tag, else "event").
        kind: String,
        /// Its JSON.
        json: String,
        /// The text of a result, if it answers a call.
        result: Option<String>,
    },
}

/// A message.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Message {
    /// The text, Markdown.
    pub text: String,
    /// `data:` or `http(s):` URLs of images.
    pub images: Vec<String>,
    /// Paths of attached files.
    pub files: Vec<String>,
    /// The model's reasoning, if included.
    pub reasoning: String,
    /// Whether the agent waits for a reply.
    pub waits: bool,
    /// Context that the message triggered: skills by keyword (1.x).
    #[serde(default, skip_serializing_if = "Recall::is_empty")]
    pub recall: Recall,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Upstream's id of the tool call (`toolu_..`, `call_..`), if known.
    pub call_id: Option<String>,
    /// Calls of one model response share a group (1.x; 0.x has none).
    pub group: Option<String>,
    /// The tool with its arguments.
    pub tool: Tool,
    /// Further arguments, by their names on the wire, that `tool` has no field for.
    pub more: Map<String, Value>,
    /// The tool's own name on the wire (`run`, `execute_bash`, `str_replace_editor`, ...).
    pub tool_name: String,
    /// Upstream's summary, often empty.
    pub summary: String,
    /// The agent's text beside the call.
    pub thought: String,
    /// The model's reasoning, if included.
    pub reasoning: String,
    /// Risk rating.
    pub risk: Risk,
    /// State of the approval (0.x `confirmation_state`).
    pub confirmation: Confirmation,
    /// Whether the server holds this kind of call back until it is answered. 0.x holds commands, cells and browsing,
    /// but carries out edits and reads before the answer (`docs/protocol/v0.md` section 6); 1.x holds every executable
    /// call.
    pub held: bool,
}

impl Call {
    /// A call of which nothing but its tool is known.
    pub fn of(tool: Tool) -> Self {
        Self {
            call_id: None,
            group: None,
            tool,
            more: Map::new(),
            tool_name: String::new(),
            summary: String::new(),
            thought: String::new(),
            reasoning: String::new(),
            risk: Risk::Unknown,
            confirmation: Confirmation::NotAsked,
            held: false,
        }
    }
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolResult {
    /// The text that was printed, read or returned.
    pub text: String,
    /// Format of `text`.
    pub shape: ResultShape,
    /// `data:` URLs of images.
    pub images: Vec<String>,
    /// Exit code of a command; `None` if there is none (yet).
    pub exit_code: Option<i64>,
    /// The command was still running at that time (0.x exit code -1).
    pub unfinished: bool,
    /// The call failed.
    pub failed: bool,
    /// Unified diff of an edit.
    pub diff: Option<String>,
    /// Full text of the file before and after an edit, if sent instead of a diff (1.x, and 0.x where a model edits).
    pub texts: Option<(String, String)>,
    /// Address of a visited page.
    pub url: Option<String>,
    /// The file or directory: path of a read or edit, working directory of a command.
    pub path: Option<String>,
    /// Remarks before and after the output (0.x `metadata.prefix` and `suffix`).
    pub remarks: Vec<String>,
    /// The returned task list.
    pub tasks: Option<Vec<Task>>,
    /// Id of the conversation that was started (1.x).
    pub conversation: Option<String>,
}

impl ToolResult {
    /// Whether it contains a change of a file.
    pub fn shows_change(&self) -> bool {
        let drawn = self.diff.as_ref();
        drawn.is_some_and(|diff| !diff.trim().is_empty())
            || self.texts.as_ref().is_some_and(|(old, new)| old != new)
    }
}

/// Format of a result's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResultShape {
    /// Plain text.
    #[default]
    Plain,
    /// Terminal output, possibly with escape sequences.
    Terminal,
    /// Lines of a file, numbered as `cat -n` does.
    NumberedFile,
    /// Markdown.
    Markdown,
    /// JSON.
    Json,
}
