//! The pieces that a page is made of. Shared by server and browser, small, and free of logic.

use crate::conversation::{Actor, Kind, Remedy, Risk, Task, Tone};
use serde::{Deserialize, Serialize};

/// HTML that is safe to insert: made only by this layer.
pub type Html = String;

/// One row of the timeline as the page shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowView {
    /// Identity in its conversation.
    pub id: i64,
    /// Where it stands; ties are broken by `id`.
    pub pos: i64,
    /// Version: the journal's `seq` of its newest part.
    pub seq: i64,
    /// Milliseconds since the Unix epoch.
    pub at: i64,
    /// Who began it.
    pub from: Actor,
    /// Name of the person who wrote or answered it, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Its family, for panels and filters.
    pub kind: Kind,
    /// What it shows.
    pub card: CardView,
}

/// What a row shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardView {
    /// Something said.
    Message(MessageView),
    /// A step of the agent: what it does and what came of it.
    Step(StepView),
    /// A remark, warning or error.
    Notice(NoticeView),
    /// Injected context, as small labels with texts behind them.
    Chips(ChipsView),
}

/// Something said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MessageView {
    /// The text.
    pub html: Html,
    /// The text as it was written, for the copy button; empty when it is too long to send twice.
    pub text: String,
    /// Addresses of images.
    pub images: Vec<String>,
    /// Paths of attached files.
    pub files: Vec<String>,
    /// The model's reasoning, or empty.
    pub reasoning: Html,
    /// What it brought before the agent: skills with their texts.
    #[serde(default, skip_serializing_if = "ChipsView::is_empty")]
    pub recall: ChipsView,
    /// There is more: the page asks for the whole.
    pub cut: bool,
}

/// A step of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// What is done, in one or two words: "Run", "Edit", "Read".
    pub verb: String,
    /// What it is done to, one line, plain text: the command, the path, the address.
    pub subject: String,
    /// Where it stands.
    pub state: StepState,
    /// One short word about the outcome: "exit 7", "+3 −1", or empty.
    pub outcome: String,
    /// How dangerous it was judged.
    pub risk: Risk,
    /// What the agent said beside it, or empty.
    pub thought: Html,
    /// The model's reasoning, or empty.
    pub reasoning: Html,
    /// What it shows, in order: request first, outcome after it.
    pub blocks: Vec<Block>,
    /// The conversation that it began, if it began one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Milliseconds from the call to its outcome.
    pub took: Option<i64>,
    /// The step is a detail: shown folded.
    pub folded: bool,
}

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Under way.
    Running,
    /// Waits for an answer.
    Waiting,
    /// Approved, under way.
    Approved,
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Turned down.
    Rejected,
    /// Never carried out.
    NotExecuted,
}

/// A piece of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Source code or a command, highlighted.
    Code {
        /// What it is: "Command", "Python", "file_text" ..., or empty.
        label: String,
        /// The lines.
        html: Html,
        /// The same as text, for the copy button.
        text: String,
        /// Characters were found that do not show (direction marks, zero width, look-alikes of
        /// nothing); the HTML marks them.
        hidden: bool,
        /// There is more: the page asks for the whole.
        cut: bool,
    },
    /// Output of a terminal.
    Terminal {
        /// The lines.
        html: Html,
        /// How many lines there are in all.
        lines: u32,
        /// How many of them are here.
        shown: u32,
        /// There is more: the page asks for the whole.
        cut: bool,
    },
    /// Lines of a file.
    File(FileView),
    /// A change of a file.
    Diff(DiffView),
    /// A picture.
    Image {
        /// Where it is served.
        src: String,
        /// What it shows, in words.
        alt: String,
        /// The page it was taken of, or empty.
        caption: String,
    },
    /// Prose.
    Prose(Html),
    /// Plain remark, one line or few.
    Remark {
        /// How bad.
        tone: Tone,
        /// What it says.
        text: String,
    },
    /// A JSON value, indented and highlighted.
    Json {
        /// What it is: "Arguments", "Result", "Event".
        label: String,
        /// The value.
        html: Html,
        /// There is more: the page asks for the whole.
        cut: bool,
    },
    /// A task list.
    Tasks(Vec<Task>),
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileView {
    /// Which file.
    pub path: String,
    /// Number of the first line.
    pub first: u32,
    /// One entry a line, highlighted.
    pub lines: Vec<Html>,
    /// How many lines there are in all.
    pub total: u32,
    /// There is more: the page asks for the whole.
    pub cut: bool,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiffView {
    /// Which file.
    pub path: String,
    /// Lines that came.
    pub added: u32,
    /// Lines that went.
    pub removed: u32,
    /// The passages that changed.
    pub hunks: Vec<Hunk>,
    /// There is more: the page asks for the whole.
    pub cut: bool,
}

/// A passage that changed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Hunk {
    /// Its lines, old before new.
    pub lines: Vec<DiffLine>,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffLine {
    /// What happened to it.
    pub change: Change,
    /// Its number in the old text.
    pub old: Option<u32>,
    /// Its number in the new text.
    pub new: Option<u32>,
    /// Highlighted; words that changed are in `<mark>`.
    pub html: Html,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Nothing.
    Same,
    /// It came.
    Added,
    /// It went.
    Removed,
}

/// A remark, warning or error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoticeView {
    /// How bad.
    pub tone: Tone,
    /// What happened, in a few words.
    pub title: String,
    /// The details, or empty.
    pub html: Html,
    /// More pieces: summary of what was condensed, JSON of what is not understood, the tools.
    pub blocks: Vec<Block>,
    /// What a person can do about it, where the backend says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

/// Injected context.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChipsView {
    /// The labels.
    pub chips: Vec<String>,
    /// Name, trigger and text of what was injected.
    pub knowledge: Vec<(String, String, Html)>,
}

impl ChipsView {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.chips.is_empty() && self.knowledge.is_empty()
    }
}
