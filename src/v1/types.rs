//! What requests and responses consist of. Their descriptions are those of the OpenAPI document.
//!
//! Long because the types of a version stand together.

use crate::people::{Role, Scope};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema};

/// An error, as in RFC 9457.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: `code` says what kind of problem it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened and what to do, in whole sentences.
    pub detail: String,
    /// The kind in one word: `invalid`, `signed_out`, `forbidden`, `scope`, `passkey_required`, `not_found`, `conflict`,
    /// `changed`, `too_soon`, `answered`, `key_reused`, `too_many`, `too_large`, `backend_away`, `backend_refuses`,
    /// `indeterminate`, `full`, `away`, `internal`.
    pub code: String,
}

/// Who the credential of a request belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Me {
    /// Name; empty for the local user.
    pub name: String,
    /// The role that applies to the request.
    #[schema(value_type = String)]
    pub role: Role,
    /// What the credential is for.
    #[schema(value_type = Vec<String>)]
    pub scopes: Vec<Scope>,
}

/// A conversation in the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// Its title, or empty.
    pub title: String,
    /// Status of the agent, in one word: `running`, `awaiting_confirmation`, `finished`, …
    pub status: String,
    /// Number of actions that need approval.
    pub waiting: u32,
    /// The pending action, the running step or the latest message, in one line.
    pub excerpt: String,
    /// Cost so far, in US dollars.
    pub cost: f64,
    /// Repository or folder.
    pub repository: Option<String>,
    /// Branch that it started from.
    pub branch: Option<String>,
    /// Labels, with values that may be empty.
    pub tags: BTreeMap<String, String>,
    /// Label of its backend.
    pub backend: String,
    /// Name of its creator, or empty.
    pub creator: String,
    /// Time of creation.
    pub created_at: i64,
    /// Time of the last change.
    pub updated_at: i64,
    /// Whether it is archived.
    pub archived: bool,
}

/// A page of the list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Conversations {
    /// On the first page those that need a person or are pinned come first.
    pub conversations: Vec<Conversation>,
    /// Cursor of the next page; `null` at the end.
    pub next: Option<String>,
}

/// What is asked of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct ListQuery {
    /// A part of the title, the repository or a tag.
    pub q: String,
    /// Which: `approval`, `running`, `turn`, `paused`, `done`, `failed`, `stopped`, `unanswered`, `mine` or `archived`.
    pub show: String,
    /// Order: `created`, `title`, `repository` or `backend`; otherwise the last change.
    pub sort: String,
    /// Repository or folder.
    pub repository: String,
    /// A tag, `urgent` or `team=infra`.
    pub tag: String,
    /// Label of a backend.
    pub backend: String,
    /// The cursor `next` of the page before.
    pub cursor: String,
}

/// A conversation as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConversationState {
    /// Its id.
    pub id: String,
    /// Its title, or empty.
    pub title: String,
    /// Status of the agent, in one word.
    pub status: String,
    /// Reason of the status, mostly for errors; else empty.
    pub reason: String,
    /// The model in use, or empty.
    pub model: String,
    /// Cost so far, in US dollars.
    pub cost: f64,
    /// Tokens sent to the model.
    pub prompt_tokens: u64,
    /// Tokens written by the model.
    pub completion_tokens: u64,
    /// Repository or folder.
    pub repository: Option<String>,
    /// Branch that it started from.
    pub branch: Option<String>,
    /// Labels, with values that may be empty.
    pub tags: BTreeMap<String, String>,
    /// Label of its backend.
    pub backend: String,
    /// Name of its creator, or empty.
    pub creator: String,
    /// Whether it is archived.
    pub archived: bool,
    /// The caller's role in it.
    #[schema(value_type = String)]
    pub role: Role,
    /// Number of the newest event.
    pub seq: i64,
    /// Whether an action needs approval.
    pub waiting: bool,
}

/// An event of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    /// Its number in the conversation, without gaps.
    pub seq: i64,
    /// When it was received.
    pub received_at: i64,
    /// Id of its row on the timeline, if it has one.
    pub row: Option<i64>,
    /// Its kind in one word: `message`, `call`, `result`, `status`, …
    pub kind: String,
    /// Its source: `human`, `agent`, `environment` or `hook`.
    pub source: String,
    /// What it says, shortened; empty for most that is not on the timeline.
    pub text: String,
    /// Its JSON, as stored.
    #[schema(value_type = Object)]
    pub data: Value,
}

/// A page of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Events {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The cursor `after` for what follows.
    pub next: i64,
    /// Whether more was there when this was read.
    pub more: bool,
}

/// What is asked of the events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct EventsQuery {
    /// Only events with a greater `seq`. For server-sent events the header `Last-Event-ID` goes before it.
    #[param(minimum = 0)]
    pub after: i64,
    /// Most events of the page, at most 200; 100 without it. Pages of large events have fewer.
    #[param(minimum = 1, maximum = 200)]
    pub limit: Option<u32>,
}

/// A message for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewMessage {
    /// The text. While an action needs approval it rejects the action and is the reason, unless `alone` is true or the
    /// token lacks the scope `approve`: then it is refused with 409.
    pub text: String,
    /// Refuse the message with 409 while an action needs approval.
    #[serde(default)]
    pub alone: bool,
}

/// A new conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct NewConversation {
    /// The first message.
    pub message: String,
    /// Label of the backend; without it the first one.
    #[serde(default)]
    pub backend: String,
    /// Repository as `owner/name`, where the backend has repositories.
    #[serde(default)]
    pub repository: String,
    /// Branch to start from.
    #[serde(default)]
    pub branch: String,
    /// Full path of a folder, where the backend has folders.
    #[serde(default)]
    pub folder: String,
    /// Instructions for this conversation alone.
    #[serde(default)]
    pub instructions: String,
}

/// What was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Created {
    /// The id of the conversation.
    pub id: String,
}

/// It was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {
    /// Always true.
    pub done: bool,
}

/// What waits for approval in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pending {
    /// The approval; `null` if nothing waits.
    pub approval: Option<Approval>,
}

/// A pending approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Approval {
    /// Identifies exactly what is shown. An answer must carry it.
    pub token: String,
    /// The actions in full, as Markdown. The token is made of this text. `null` if they are too large or the text could not
    /// be stored: then a program can reject them, but not approve them, and they do not count as shown.
    pub shown: Option<String>,
    /// The same in one line for each action.
    pub actions: Vec<Action>,
    /// How the backend treats these actions if it does not hold them back.
    pub caution: Option<String>,
    /// Whether an answer is on its way.
    pub answering: bool,
    /// Whether approving it needs a passkey: programs are refused with `passkey_required`, people approve it on the page.
    pub needs_passkey: bool,
}

/// A pending action, in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Action {
    /// Id of its row.
    pub row: i64,
    /// The action, in one or two words.
    pub verb: String,
    /// Its object: the command, the path, the URL.
    pub subject: String,
    /// Its rating: `low`, `medium`, `high` or `unknown`.
    pub risk: String,
}

/// An approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Approve {
    /// The token of what was shown.
    pub token: String,
}

/// A rejection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reject {
    /// The token of what was shown.
    pub token: String,
    /// The reason, for the agent.
    #[serde(default)]
    pub reason: String,
}

/// What is searched for; empty where nothing is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct SearchQuery {
    /// The words.
    pub q: String,
    /// Id of a conversation.
    pub conversation: String,
    /// `message`, `command`, `output`, `file`, `tool`, `error` or `other`.
    pub kind: String,
    /// `human`, `agent`, `environment` or `hook`.
    pub source: String,
    /// Name of a person.
    pub person: String,
    /// First day, `2026-11-21`, UTC.
    pub from: String,
    /// Last day.
    pub to: String,
    /// Label of a backend.
    pub backend: String,
    /// A file, or a part of its path.
    pub path: String,
    /// The cursor `next` of the page before.
    pub cursor: String,
}

/// A page of what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Found {
    /// The hits, newest first.
    pub hits: Vec<Hit>,
    /// Cursor of the next page; `null` at the end.
    pub next: Option<String>,
    /// If the time was up: what was received before this time was not looked at yet.
    pub back_to: Option<i64>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hit {
    /// Id of the conversation.
    pub conversation: String,
    /// Its title, or empty.
    pub title: String,
    /// Number of the event.
    pub seq: i64,
    /// Its timestamp.
    pub at: i64,
    /// Its kind, as in the query.
    pub kind: String,
    /// Its source.
    pub source: String,
    /// Name of its author, or empty.
    pub author: String,
    /// The text around the first word that was found.
    pub text: String,
}

/// The pending approvals of all conversations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Inbox {
    /// At most 100, those that the caller may answer first.
    pub waiting: Vec<InboxEntry>,
}

/// A conversation with a pending approval. What is to be approved, and its token, is at `/conversations/{id}/approval`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InboxEntry {
    /// The conversation.
    pub conversation: Conversation,
    /// The actions, in one line each.
    pub actions: Vec<Action>,
    /// Whether the caller's role allows an answer.
    pub answerable: bool,
}

/// A period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct UsageQuery {
    /// Number of days, counted back from today; 30 without it.
    #[param(minimum = 1, maximum = 366)]
    pub days: Option<u32>,
}

/// Cost and tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// The number of days.
    pub days: u32,
    /// Whether it has the conversations of all people, or the caller's own.
    pub everybody: bool,
    /// The sum.
    pub total: Spent,
    /// By day, oldest first.
    pub by_day: Vec<Spent>,
    /// By model, the highest first.
    pub by_model: Vec<Spent>,
    /// By person, the highest first.
    pub by_person: Vec<Spent>,
    /// The highest conversations, by id.
    pub by_conversation: Vec<Spent>,
}

/// Cost and tokens of one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Spent {
    /// Day (`2026-11-21`), model, person or id; empty for a sum or if it is not known.
    pub name: String,
    /// Cost in US dollars.
    pub cost: f64,
    /// Tokens sent to the model.
    pub prompt_tokens: u64,
    /// Tokens written by the model.
    pub completion_tokens: u64,
}

/// The rules that the caller may see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rules {
    /// Whether all of them are stopped.
    pub stopped: bool,
    /// The rules, those in force first.
    pub rules: Vec<Rule>,
}

/// A rule by which actions are approved without asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rule {
    /// Its number.
    pub number: i64,
    /// What it allows, in words.
    pub what: String,
    /// The ratings that it allows, in words.
    pub ratings: String,
    /// Where it applies: `conversation`, `own`, `repository` or `all`.
    pub scope: String,
    /// The conversation's id or the repository's name, or empty.
    #[serde(rename = "where")]
    pub place: String,
    /// Who made it; empty for the local user.
    pub maker: String,
    /// When it was made.
    pub made_at: i64,
    /// When it ends by itself.
    pub expires_at: Option<i64>,
    /// `in_force`, `expired`, `right_lost` or `ended`.
    pub state: String,
    /// How often it answered.
    pub used: i64,
}

/// What is asked of the accounts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct PeopleQuery {
    /// A part of the name.
    pub q: String,
    /// The cursor `next` of the page before.
    pub cursor: String,
}

/// A page of the accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct People {
    /// The accounts, by name.
    pub people: Vec<Person>,
    /// Cursor of the next page; `null` at the end.
    pub next: Option<String>,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Person {
    /// Their name.
    pub name: String,
    /// Their role.
    #[schema(value_type = String)]
    pub role: Role,
    /// Whether logging in is blocked.
    pub disabled: bool,
    /// Time of creation.
    pub created_at: i64,
    /// Time of last use.
    pub seen_at: Option<i64>,
}

/// Which file is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct FileQuery {
    /// Of an export `json`, `md` or `html`; of evidence `json` or `html`. Without it JSON.
    pub format: String,
    /// `keep` leaves secrets of known kinds in the file; they are masked otherwise.
    pub secrets: String,
}

/// What a stream says of a conversation beside its events, when that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateEvent {
    /// Status of the agent, in one word.
    pub status: String,
    /// Whether an action needs approval.
    pub waiting: bool,
}
