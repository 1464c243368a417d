//! One wire event, said neutrally.
//!
//! The shape serves both protocols (0.x Socket.IO events, 1.x agent-server events); what a protocol
//! lacks is `None` or empty. The raw JSON is not here: the journal keeps it.

use super::{
    Confirmation, HookRun, Metrics, Recall, Remedy, Risk, StateChange, Status, SystemPrompt, Task,
    Tool,
};
use serde::{Deserialize, Serialize};

/// One event of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogItem {
    /// Upstream's identity of the event, unique in its conversation (0.x: the integer id as text;
    /// 1.x: the UUID). `None` for frames that have none (0.x status updates and error frames).
    pub key: Option<String>,
    /// Upstream's order (0.x: the id; 1.x: the durable sequence number).
    pub pos: Option<i64>,
    /// When it happened, as upstream says.
    pub at: Stamp,
    /// Who did it.
    pub from: Actor,
    /// The earlier event that this one answers.
    pub answers: Option<Answer>,
    /// Running totals that ride on an event (0.x `llm_metrics`).
    pub metrics: Option<Metrics>,
    /// What it says.
    pub body: Body,
}

/// A moment as upstream wrote it.
///
/// 0.x events carry naive server-local time without a zone, so the text is kept and milliseconds are
/// read as if it were UTC; `zoned` says whether a zone was given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Milliseconds since the Unix epoch; 0 when there was no readable time.
    pub millis: i64,
    /// Whether upstream gave a zone.
    pub zoned: bool,
}

/// Who an event comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// A person.
    Human,
    /// The agent.
    Agent,
    /// The runtime, the server, the loop around the agent.
    Environment,
    /// A hook script (1.x).
    Hook,
}

/// Which earlier event is answered.
///
/// The id of the call is used where there is no key: 0.x delegates' observations have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// By the key of the event (0.x `cause`, 1.x `action_id`).
    Key(String),
    /// By the id of the tool call (1.x `tool_call_id`). A call that carries it tells more of that call.
    Call(String),
}

/// What an event says.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Somebody says something.
    Message(Message),
    /// The agent (or a person) wants something done.
    Call(Call),
    /// What came of a call.
    Result(ToolResult),
    /// A call was turned down.
    Rejected {
        /// Why, in the words of whoever turned it down.
        reason: String,
    },
    /// A call could not be made at all (unknown tool, unreadable arguments, stopped before it ran).
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
        /// What a person can do, where upstream says so (1.x).
        remedy: Option<Remedy>,
    },
    /// The agent's status changed.
    Status {
        /// The new status.
        status: Status,
        /// Why, mostly for errors; else empty.
        reason: String,
    },
    /// A person asked for a status (0.x `change_agent_state`): who paused, confirmed, stopped.
    Steered {
        /// The status that was asked for.
        status: Status,
    },
    /// The conversation was given a title.
    Title(String),
    /// What is so of the conversation beside its status (1.x).
    State(Box<StateChange>),
    /// A passing word of the server about its own state (0.x `status_update` of type info).
    Progress {
        /// Upstream's code, for example `STATUS$READY`.
        code: String,
        /// Its text, often empty.
        text: String,
    },
    /// Context that was put before the agent (0.x `recall`, 1.x skills).
    Recall(Recall),
    /// Older events were folded into a summary.
    Condensed {
        /// How many events were forgotten, if it was said.
        forgotten: Option<u64>,
        /// What replaces them.
        summary: String,
    },
    /// A hook ran (1.x).
    Hook(HookRun),
    /// The run was paused (`hard` false) or interrupted (`hard` true) (1.x).
    Stopped {
        /// Interrupted at once rather than after the step.
        hard: bool,
    },
    /// The agent's instructions and tools.
    System(SystemPrompt),
    /// A plain remark worth showing (0.x `success`, `loop_recovery`, ...).
    Note(String),
    /// The backend has lost events that it had told; from here on ids are counted otherwise. Our own word, not upstream's.
    Lost {
        /// [`super::Shift::by`] from here on.
        by: i64,
    },
    /// Known to carry nothing for a reader (0.x `null`, the log line of a thought): journal only.
    Nothing,
    /// Not understood: shown with its JSON.
    Unknown {
        /// The best name we can give it (its tag, else "event").
        kind: String,
    },
}

/// Something said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Message {
    /// The text, Markdown.
    pub text: String,
    /// `data:` or `http(s):` URLs of images.
    pub images: Vec<String>,
    /// Paths of attached files.
    pub files: Vec<String>,
    /// The model's reasoning, if it was sent along.
    pub reasoning: String,
    /// The agent waits for an answer.
    pub waits: bool,
    /// What it brought before the agent: skills that a word in it has woken (1.x).
    #[serde(default, skip_serializing_if = "Recall::is_empty")]
    pub recall: Recall,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Upstream's id of the tool call (`toolu_..`, `call_..`), if known.
    pub call_id: Option<String>,
    /// Calls that came in one answer of the model share a group (1.x; 0.x leaves it out).
    pub group: Option<String>,
    /// What is to be done.
    pub tool: Tool,
    /// The tool's own name on the wire (`run`, `execute_bash`, `str_replace_editor`, ...).
    pub tool_name: String,
    /// Upstream's ready-made sentence, often empty.
    pub summary: String,
    /// What the agent said beside the call.
    pub thought: String,
    /// The model's reasoning, if it was sent along.
    pub reasoning: String,
    /// How dangerous it was judged.
    pub risk: Risk,
    /// Whether and how a person decided (0.x `confirmation_state`).
    pub confirmation: Confirmation,
    /// The server holds this kind of call back until it is answered (0.x: commands, cells, browsing
    /// yes; edits and reads are carried out before the answer, `protocol/v0.md` section 6; 1.x: all
    /// that can be carried out).
    pub held: bool,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolResult {
    /// What was printed, read or answered.
    pub text: String,
    /// Which reading of `text` fits.
    pub shape: ResultShape,
    /// `data:` URLs of images.
    pub images: Vec<String>,
    /// Exit code of a command; `None` when there is none (yet).
    pub exit_code: Option<i64>,
    /// The command was still running when this was sent (0.x exit code -1).
    pub unfinished: bool,
    /// The call failed.
    pub failed: bool,
    /// Unified diff of an edit.
    pub diff: Option<String>,
    /// Whole text of the file before and after an edit, where that was sent instead (1.x).
    pub texts: Option<(String, String)>,
    /// Address of a visited page.
    pub url: Option<String>,
    /// The file or directory it is about: path of a read or edit, working directory of a command.
    pub path: Option<String>,
    /// Remarks around the output (0.x `metadata.prefix` and `suffix`).
    pub remarks: Vec<String>,
    /// A task list that came back.
    pub tasks: Option<Vec<Task>>,
    /// The conversation that was begun (1.x).
    pub conversation: Option<String>,
}

impl ToolResult {
    /// Whether it shows what was changed in a file.
    pub fn shows_change(&self) -> bool {
        let drawn = self.diff.as_ref();
        drawn.is_some_and(|diff| !diff.trim().is_empty())
            || self.texts.as_ref().is_some_and(|(old, new)| old != new)
    }
}

/// How the text of a result reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResultShape {
    /// Plain text.
    #[default]
    Plain,
    /// Output of a terminal: may hold escape sequences.
    Terminal,
    /// Lines of a file, numbered as `cat -n` does.
    NumberedFile,
    /// Markdown.
    Markdown,
    /// JSON.
    Json,
}
