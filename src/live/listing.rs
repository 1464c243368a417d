//! The list of conversations: what is asked of it, and a page of it.
//!
//! Long because filters, orders and places are each a type of their own.

use super::search::query_of;
use super::{BackendView, ConversationSummary};
use crate::backend::Runtime;
use crate::conversation::Status;
use crate::words::words;
use serde::{Deserialize, Serialize};

/// Conversations of a page, and the most that stand above it because they need a person.
pub const PAGE: usize = 50;

/// Conversations with a pending approval that the inbox has, and the most that are counted.
pub const MOST_WAITING: usize = 100;

/// Stands for the order that the reader has chosen last, in place of the word of a [`Sort`].
pub const OWN_ORDER: &str = "own";

/// What the URL asks of the list: empty where nothing is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ListAsk {
    /// A part of the title, the repository or a tag.
    pub q: String,
    /// Word of a [`Show`].
    pub show: String,
    /// Word of a [`Sort`], or [`OWN_ORDER`].
    pub sort: String,
    /// Repository or folder.
    pub repository: String,
    /// A tag, `urgent` or `team=infra`.
    pub tag: String,
    /// Label of a backend.
    pub backend: String,
    /// Where to continue, from [`ListView::older`].
    pub before: String,
    /// Id of the conversation that the reader has open: it is listed wherever it stands.
    pub open: String,
}

impl ListAsk {
    /// Its fields by their names in the URL. The open conversation has a URL of its own.
    pub fn fields(&self) -> [(&'static str, &str); 7] {
        [
            ("q", &self.q),
            ("show", &self.show),
            ("sort", &self.sort),
            ("repository", &self.repository),
            ("tag", &self.tag),
            ("backend", &self.backend),
            ("before", &self.before),
        ]
    }

    /// Takes its fields from a URL.
    pub fn read(get: impl Fn(&str) -> Option<String>) -> Self {
        let get = |name: &str| get(name).unwrap_or_default().trim().to_owned();
        Self {
            q: get("q"),
            show: get("show"),
            sort: get("sort"),
            repository: get("repository"),
            tag: get("tag"),
            backend: get("backend"),
            before: get("before"),
            open: String::new(),
        }
    }

    /// The query string for a link, with its `?`.
    pub fn query(&self) -> String {
        query_of(self.fields())
    }

    /// Whether only some conversations are asked for.
    pub fn is_narrow(&self) -> bool {
        let all = [
            &self.q,
            &self.show,
            &self.repository,
            &self.tag,
            &self.backend,
        ];
        all.iter().any(|value| !value.trim().is_empty())
    }

    /// Whether words are asked for: archived conversations are found, too.
    pub fn is_search(&self) -> bool {
        !self.q.trim().is_empty()
    }

    /// Whether a conversation is asked for, by the person with this name.
    pub fn takes(&self, one: &ConversationSummary, name: &str) -> bool {
        let is = |wanted: &str, value: &str| wanted.is_empty() || wanted == value;
        let show = Show::of(&self.show);
        one.holds(&self.q)
            && show.takes(one, name)
            && (!one.archived || show == Show::Archived || self.is_search())
            && is(
                &self.repository,
                one.repository.as_deref().unwrap_or_default(),
            )
            && is(&self.backend, &one.backend)
            && (self.tag.is_empty() || one.tags.labels().any(|label| label == self.tag))
    }
}

/// Asks for what contains a text.
impl From<&str> for ListAsk {
    fn from(q: &str) -> Self {
        let q = q.to_owned();
        Self {
            q,
            ..Self::default()
        }
    }
}

/// Which conversations are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// All of them.
    #[default]
    All,
    /// Those with a pending approval.
    Approval,
    /// Those whose agent works.
    Running,
    /// Those whose agent waits for a message.
    YourTurn,
    /// Those whose agent is paused.
    Paused,
    /// Those whose agent has finished.
    Done,
    /// Those whose agent or sandbox has failed, or gets no further.
    Failed,
    /// Those whose agent or sandbox was stopped.
    Stopped,
    /// Those of which nothing else is known.
    Unknown,
    /// Those with an approval that has ended without an answer.
    Unanswered,
    /// Those that the reader has created.
    Mine,
    /// Those that were archived.
    Archived,
}

// In the order of the page.
words! {
    Show, word: All "", Approval "approval", Running "running", YourTurn "turn", Paused "paused", Done "done", Failed "failed",
    Stopped "stopped", Unknown "unknown", Unanswered "unanswered", Mine "mine", Archived "archived"
}

impl Show {
    /// The filter of a value in the URL; an unknown one shows everything.
    pub fn of(word: &str) -> Self {
        Self::from_word(word).unwrap_or_default()
    }

    /// Whether a conversation is shown to the person with this name.
    pub fn takes(self, one: &ConversationSummary, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Unanswered => one.lapsed,
            Self::Archived => one.archived,
            Self::Mine => !name.is_empty() && one.creator.eq_ignore_ascii_case(name),
            _ => one.state() == self,
        }
    }
}

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The last change, newest first.
    #[default]
    Activity,
    /// The creation, newest first.
    Created,
    /// The title.
    Title,
    /// Grouped by repository or folder, in each the last change first.
    Repository,
    /// Grouped by backend, in each the last change first.
    Backend,
}

// In the order of the menu.
words! { Sort, word: Activity "", Created "created", Title "title", Repository "repository", Backend "backend" }

impl Sort {
    /// The order of a value in the URL; an unknown one sorts by activity.
    pub fn of(word: &str) -> Self {
        Self::from_word(word).unwrap_or_default()
    }
}

/// The place of a conversation in the list. Places sort as the list does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// What is sorted by before the time: the title in lower case, or what it is grouped by; empty if that is nothing.
    pub text: String,
    /// The negated time, in milliseconds since the Unix epoch; 0 if the list is sorted by title.
    pub at: i64,
    /// Id of the conversation.
    pub id: String,
}

/// A text in lower case. In a page the browser does it, so that no tables of letters are loaded.
pub fn lower_case(text: &str) -> String {
    #[cfg(feature = "ssr")]
    return text.to_lowercase();
    #[cfg(not(feature = "ssr"))]
    js_sys::JsString::from(text).to_lower_case().into()
}

impl Position {
    /// The place of a conversation in this order.
    pub fn of(one: &ConversationSummary, sort: Sort) -> Self {
        let changed = one.updated_at.saturating_neg();
        let (at, text) = match sort {
            Sort::Activity => (changed, String::new()),
            Sort::Created => (one.created_at.saturating_neg(), String::new()),
            Sort::Title => (0, lower_case(&one.title)),
            Sort::Repository => (changed, one.home().to_owned()),
            Sort::Backend => (changed, one.backend.clone()),
        };
        let id = one.id.clone();
        Self { text, at, id }
    }

    /// As it stands in the URL.
    pub fn in_address(&self) -> String {
        format!("{}~{}~{}", self.at, self.id, self.text)
    }

    /// Reads what [`Self::in_address`] wrote.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '~');
        let at = parts.next()?.parse().ok()?;
        let id = parts.next()?.to_owned();
        let text = parts.next()?.to_owned();
        Some(Self { text, at, id })
    }
}

/// A page of the conversation list, with the backends.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ListView {
    /// The conversations: on the first page those that need a person and those that are pinned; then those of the page
    /// in its order.
    pub conversations: Vec<ConversationSummary>,
    /// Where the next page begins; empty at the end of the list.
    #[serde(default)]
    pub older: String,
    /// Whether more conversations need a person than stand above the page.
    #[serde(default)]
    pub more_need_you: bool,
    /// Word of the order: what was asked for, or what the reader has chosen last.
    #[serde(default)]
    pub sort: String,
    /// The backends with their problems; conversations of an unreachable one are shown as last known.
    pub backends: Vec<BackendView>,
    /// What an owner has to know about the room on the disk of Handrail, in whole sentences, or empty.
    #[serde(default)]
    pub disk: String,
    /// Ids of the listed conversations that the reader has pinned.
    #[serde(default)]
    pub pinned: Vec<String>,
    /// The first message of a conversation that could not be started from a page without a script; empty if there is none.
    #[serde(default)]
    pub draft: String,
}

/// Where an agent works, in words: repository or folder, branch, backend, as far as they are known.
pub fn whereabouts(place: Option<&str>, branch: Option<&str>, backend: &str) -> String {
    let parts = [place, branch, Some(backend)].into_iter().flatten();
    let parts = parts.filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

/// A repository or folder that tells people something: not the folder that was created for one conversation alone, which is
/// named after its `id`.
pub fn own_place<'p>(place: Option<&'p str>, id: &str) -> Option<&'p str> {
    place.filter(|place| !place.ends_with(id))
}

impl ConversationSummary {
    /// Repository or folder; `None` for a folder created for this conversation alone, which is named after its id.
    pub fn place(&self) -> Option<&str> {
        own_place(self.repository.as_deref(), &self.id)
    }

    /// Where its agent works, in words.
    pub fn whereabouts(&self) -> String {
        whereabouts(self.place(), self.branch.as_deref(), &self.backend)
    }

    /// What it is grouped by: its place, or a text behind all others.
    pub fn home(&self) -> &str {
        let place = self.place().filter(|place| !place.is_empty());
        place.unwrap_or("\u{10FFFF}")
    }

    /// What a search looks through, in lower case: title, repository and tags, one a line.
    pub fn words(&self) -> String {
        let mut words = lower_case(&self.title);
        let labels = self.tags.labels();
        for text in self.repository.iter().cloned().chain(labels) {
            words.push('\n');
            words.push_str(&lower_case(&text));
        }
        words
    }

    /// Whether title, repository or a tag contains `wanted`, ignoring case.
    pub fn holds(&self, wanted: &str) -> bool {
        self.words().contains(&lower_case(wanted.trim()))
    }

    /// Whether an approval is pending.
    pub fn asks(&self) -> bool {
        self.waiting > 0 || self.status == Status::AwaitingConfirmation
    }

    /// Which of the filters for a state it belongs to.
    pub fn state(&self) -> Show {
        if self.asks() {
            return Show::Approval;
        }
        match self.shown_status() {
            Status::Loading | Status::Running | Status::Confirmed | Status::UserRejected => {
                Show::Running
            }
            Status::AwaitingConfirmation => Show::Approval,
            Status::Idle | Status::AwaitingInput => Show::YourTurn,
            Status::Paused => Show::Paused,
            Status::Finished => Show::Done,
            Status::Error | Status::Stuck | Status::RateLimited | Status::Declined => Show::Failed,
            Status::Stopped => Show::Stopped,
            Status::Deleting | Status::Other(_) => Show::Unknown,
        }
    }

    /// The status in the list: without a sandbox no agent is running, whatever status was reported last.
    pub fn shown_status(&self) -> Status {
        match (self.runtime, &self.status) {
            (Runtime::Starting | Runtime::Preparing, _) => Status::Loading,
            (Runtime::Error, _) => Status::Error,
            (
                Runtime::Stopped | Runtime::Paused | Runtime::Gone,
                Status::Loading
                | Status::Idle
                | Status::Running
                | Status::Confirmed
                | Status::AwaitingInput,
            ) => Status::Stopped,
            (_, status) => status.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_goes_into_the_address_and_back() {
        let place = Position {
            text: "a~b".to_owned(),
            at: -5,
            id: "c-0".to_owned(),
        };
        assert_eq!(Position::read(&place.in_address()), Some(place));
        for bad in ["", "1", "1~a", "x~a~b"] {
            assert_eq!(Position::read(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_asked_goes_into_the_address_and_back() {
        let ask = ListAsk {
            q: "a&b".to_owned(),
            tag: "team=infra".to_owned(),
            ..ListAsk::default()
        };
        assert_eq!(ask.query(), "?q=a%26b&tag=team%3Dinfra");
        let fields = ask.fields().map(|(name, value)| (name, value.to_owned()));
        let read = ListAsk::read(|wanted| {
            let found = fields.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| value.clone())
        });
        assert_eq!(read, ask);
        assert!(ask.is_narrow() && !ListAsk::default().is_narrow());
    }
}
