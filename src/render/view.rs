//! The data that a page is built of: small types, shared by server and browser.
//!
//! Long because the types of rows, cards and blocks refer to each other.

use crate::conversation::{Actor, Kind, Remedy, Risk, Task, Tone};
use serde::{Deserialize, Serialize};

/// HTML that is safe to insert: produced only by this layer.
pub type Html = String;

/// A row of the timeline, as shown on the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RowView {
    /// Id in its conversation.
    pub id: i64,
    /// Position; ties are broken by `id`.
    pub pos: i64,
    /// Version: the journal's `seq` of its newest part.
    pub seq: i64,
    /// Time of its start, milliseconds since the Unix epoch.
    pub at: i64,
    /// Its source.
    pub from: Actor,
    /// Name of the person who wrote or answered it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether a rule that this person made has answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_rule: bool,
    /// Whether this person asked for exactly this instead of something else, which has answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub amended: bool,
    /// Whether this person has touched a passkey for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub touched: bool,
    /// Its kind, for panels and filters.
    pub kind: Kind,
    /// Its content.
    pub card: CardView,
}

/// The content of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardView {
    /// A message.
    Message(MessageView),
    /// A step of the agent: an action and its result.
    Step(StepView),
    /// A remark, warning or error.
    Notice(NoticeView),
    /// Injected context, as labels with expandable texts.
    Chips(ChipsView),
}

/// A message.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MessageView {
    /// The rendered text.
    pub html: Html,
    /// The source text, for the copy button; empty if it is too long to send twice.
    pub text: String,
    /// URLs of images.
    pub images: Vec<String>,
    /// Paths of attached files.
    pub files: Vec<String>,
    /// The model's reasoning, or empty.
    pub reasoning: Html,
    /// Context that the message triggered: skills with their texts.
    #[serde(default, skip_serializing_if = "ChipsView::is_empty")]
    pub recall: ChipsView,
    /// Whether the text is truncated; the page can request all of it.
    pub cut: bool,
}

/// A step of the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepView {
    /// The action, in one or two words: "Run", "Edit", "Read".
    pub verb: String,
    /// The object of the action, on one line of plain text: the command, the path, the URL.
    pub subject: String,
    /// Its state.
    pub state: StepState,
    /// The outcome, in one short word: "exit 7", "+3 −1", or empty.
    pub outcome: String,
    /// Risk rating.
    pub risk: Risk,
    /// The agent's text beside the call, or empty.
    pub thought: Html,
    /// The model's reasoning, or empty.
    pub reasoning: Html,
    /// Its blocks in order: the request, then the outcome.
    pub blocks: Vec<Block>,
    /// The conversation that it started, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// If it started a sub-agent whose steps follow on this timeline: the time of its end, or `i64::MAX` while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_agent: Option<i64>,
    /// Why it was rejected, on one line of plain text, or empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// How long it waited for the person who answered, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<i64>,
    /// Time from the call to its outcome, in milliseconds, without the time that it waited.
    pub took: Option<i64>,
    /// Whether the step is a detail, shown collapsed.
    pub folded: bool,
}

impl StepView {
    /// Removes from its blocks what its heading says: a command that the heading has whole, and the path of its file. An
    /// action that waits for approval stays whole. Returns whether the heading alone has the command now.
    pub fn say_once(&mut self) -> bool {
        if self.state == StepState::Waiting {
            return false;
        }
        let (subject, count) = (&self.subject, self.blocks.len());
        self.blocks.retain(|block| !block.is_only(subject));
        for block in &mut self.blocks {
            let path = match block {
                Block::Diff(view) => &mut view.path,
                Block::File(view) => &mut view.path,
                _ => continue,
            };
            if subject.starts_with(path.as_str()) {
                path.clear();
            }
        }
        self.blocks.len() < count
    }
}

/// State of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Running.
    Running,
    /// Needs approval.
    Waiting,
    /// Approved and running.
    Approved,
    /// Done.
    Done,
    /// Failed.
    Failed,
    /// Rejected.
    Rejected,
    /// Never executed.
    NotExecuted,
    /// It may have been executed; its result is not known.
    Unknown,
}

impl StepState {
    /// Its word in the markup.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Approved => "approved",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Rejected => "rejected",
            Self::NotExecuted => "not_executed",
            Self::Unknown => "unknown",
        }
    }
}

/// A block of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Source code or a command, highlighted.
    Code {
        /// Label: "Command", "Python", "file_text" ..., or empty.
        label: String,
        /// The lines.
        html: Html,
        /// The source text, for the copy button.
        text: String,
        /// Whether hidden characters (direction marks, zero-width characters, look-alikes of spaces) were found; the
        /// HTML marks them.
        hidden: bool,
        /// Whether it is truncated; the page can request all of it.
        cut: bool,
    },
    /// Terminal output.
    Terminal {
        /// The lines.
        html: Html,
        /// Total number of lines.
        lines: u32,
        /// Number of lines included.
        shown: u32,
        /// Whether it is truncated; the page can request all of it.
        cut: bool,
    },
    /// Lines of a file.
    File(FileView),
    /// A change of a file.
    Diff(DiffView),
    /// An image.
    Image {
        /// Its URL.
        src: String,
        /// Its description.
        alt: String,
        /// URL of the page in the screenshot, or empty.
        caption: String,
    },
    /// Rendered prose.
    Prose(Html),
    /// A plain remark of one or a few lines.
    Remark {
        /// Severity.
        tone: Tone,
        /// Its text.
        text: String,
    },
    /// A JSON value, indented and highlighted.
    Json {
        /// Label: "Arguments", "Result", "Event".
        label: String,
        /// The value.
        html: Html,
        /// Whether it is truncated; the page can request all of it.
        cut: bool,
    },
    /// A task list.
    Tasks(Vec<Task>),
}

impl Block {
    /// Whether it holds nothing but this text.
    fn is_only(&self, whole: &str) -> bool {
        match self {
            Self::Code {
                text, hidden, cut, ..
            } => !hidden && !cut && !text.is_empty() && text == whole,
            _ => false,
        }
    }
}

/// Lines of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FileView {
    /// Path of the file.
    pub path: String,
    /// Number of the first line.
    pub first: u32,
    /// Highlighted lines, one entry per line.
    pub lines: Vec<Html>,
    /// Total number of lines.
    pub total: u32,
    /// Whether it is truncated; the page can request all of it.
    pub cut: bool,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DiffView {
    /// Path of the file.
    pub path: String,
    /// Number of lines added.
    pub added: u32,
    /// Number of lines removed.
    pub removed: u32,
    /// The changed passages.
    pub hunks: Vec<Hunk>,
    /// What its lines do not show: other line endings, for example.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether it is truncated; the page can request all of it.
    pub cut: bool,
}

/// Weight of a line or name in bytes of HTML beside its text: its number, and the elements around it.
#[cfg(feature = "ssr")]
pub(super) const AROUND: usize = 64;

/// A changed passage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Hunk {
    /// Its lines, old ones before new ones.
    pub lines: Vec<DiffLine>,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiffLine {
    /// Kind of change.
    pub change: Change,
    /// Its line number in the old text.
    pub old: Option<u32>,
    /// Its line number in the new text.
    pub new: Option<u32>,
    /// Highlighted HTML; changed words are in `<mark>`.
    pub html: Html,
}

/// How a line changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Unchanged.
    Same,
    /// Added.
    Added,
    /// Removed.
    Removed,
}

/// A remark, warning or error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NoticeView {
    /// Severity.
    pub tone: Tone,
    /// What happened, in a few words.
    pub title: String,
    /// The details, or empty.
    pub html: Html,
    /// Further blocks: the summary of condensed events, the JSON of an unknown event, the tools.
    pub blocks: Vec<Block>,
    /// What a person can do about it, if the backend says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
}

/// Injected context.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChipsView {
    /// The labels.
    pub chips: Vec<String>,
    /// Name, trigger and text of each injected text.
    pub knowledge: Vec<(String, String, Html)>,
}

impl ChipsView {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.chips.is_empty() && self.knowledge.is_empty()
    }
}

/// A piece of an excerpt: plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked {
    /// The text.
    pub text: String,
    /// Whether it is a word that was searched for.
    pub hit: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_the_heading_shows_whole_is_not_shown_twice() {
        let is_only = |text: &str, hidden, cut, whole| {
            let block = Block::Code {
                label: "Command".to_owned(),
                html: String::new(),
                text: text.to_owned(),
                hidden,
                cut,
            };
            block.is_only(whole)
        };
        assert!(is_only("make", false, false, "make"));
        assert!(!is_only("make\nrm -rf /", false, false, "make rm -rf /"));
        assert!(!is_only("make", true, false, "make"));
        assert!(!is_only("make", false, true, "make"));
    }
}
