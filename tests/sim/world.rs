//! Everything outside of Handrail: the agents of both dialects, their networks, and the ground truth for the checks. It
//! is one file because all models share this state.

use crate::clock;
use crate::dice::{Dice, Trace};
use rusqlite::{Connection, OpenFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

/// The protocol of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Zero,
    One,
}

/// The kind of an event, as far as the connection treats kinds differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Plain,
    /// A state of 0.x: a replay contains only the newest, in a different form.
    State,
    /// Left out of a replay of 0.x.
    Recall,
    /// Never delivered; it leaves a gap in the ids of 0.x.
    Null,
}

/// One event of the log. Its index is its position.
pub struct Logged {
    pub kind: Kind,
    pub raw: Arc<str>,
    /// Its live form, if different.
    pub live: Option<Arc<str>>,
    pub key: String,
}

/// A call that needs approval.
#[derive(Debug, Clone)]
pub struct Asked {
    pub mark: String,
    pub key: String,
    pub place: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    AwaitingInput,
    Running,
    Asking,
    Paused,
    Stopped,
    Error,
}

/// One conversation in the state of its server.
pub struct Conversation {
    pub number: usize,
    pub id: String,
    pub dialect: Dialect,
    pub log: Vec<Logged>,
    pub state: State,
    pub asked: Vec<Asked>,
    pub up: bool,
    /// How often the sandbox was started.
    pub starts: u32,
    pub gone: bool,
    pub updated_at: i64,
    /// How often each of Handrail's messages was received.
    pub received: BTreeMap<String, u32>,
    /// How often each command that needed approval was executed.
    pub done: BTreeMap<String, u32>,
    /// Commands that were dropped before any approval arrived.
    pub dropped: BTreeSet<String>,
    /// Commands approved by users outside of Handrail.
    pub foreign: BTreeSet<String>,
    /// How often Handrail has sent an approval of these calls.
    pub yeses: BTreeMap<String, u32>,
    /// When the approval of each command was requested.
    pub asked_at: BTreeMap<String, u64>,
    /// The mark of each call that needed approval, by its key.
    pub marks: BTreeMap<String, String>,
    /// Whether a message was stored without a run that reads it.
    pub unread: bool,
    /// Marks of commands that users asked for instead of others: the agent asks for them next.
    pub wished: Vec<String>,
    /// Marks of all commands that users have asked for instead of others.
    pub amended: BTreeSet<String>,
    /// What its agent has spent, in cents; `None` if it does not say so.
    pub spent: Option<u32>,
    /// When that was as much as its budget.
    pub used_up_at: Option<u64>,
    /// How its commands are rated, in the words of both dialects.
    pub rating: (&'static str, &'static str),
    /// Number of commands in flight.
    pub in_flight: usize,
    /// Changes whenever connections should check the state.
    pub changed: watch::Sender<()>,
}

impl Conversation {
    fn new(number: usize, dialect: Dialect) -> Self {
        Self {
            number,
            id: format!("c0{number:030x}"),
            dialect,
            log: Vec::new(),
            state: State::AwaitingInput,
            asked: Vec::new(),
            up: true,
            starts: 0,
            gone: false,
            updated_at: 0,
            received: BTreeMap::new(),
            done: BTreeMap::new(),
            dropped: BTreeSet::new(),
            foreign: BTreeSet::new(),
            yeses: BTreeMap::new(),
            asked_at: BTreeMap::new(),
            marks: BTreeMap::new(),
            unread: false,
            wished: Vec::new(),
            amended: BTreeSet::new(),
            spent: None,
            used_up_at: None,
            rating: LOW,
            in_flight: 0,
            changed: watch::Sender::new(()),
        }
    }
}

/// The network in front of one server.
#[derive(Debug, Default, Clone)]
pub struct Net {
    /// No connection succeeds before this time.
    pub down_until: u64,
    /// Open connections silently transfer nothing before this time.
    pub half_open_until: u64,
    /// How often all connections were cut.
    pub cuts: u64,
    /// Maximum latency in milliseconds.
    pub latency: u64,
    /// Percentage of commands that are lost or refused.
    pub trouble: u64,
}

/// Counters.
#[derive(Debug, Default, Clone, Copy)]
pub struct Counts {
    pub steps: u64,
    pub delivered: u64,
    pub frames: u64,
    pub clicks: u64,
    pub answers: u64,
    pub questions: u64,
    pub executed: u64,
    pub lives: u64,
}

pub struct World {
    pub dice: Dice,
    pub trace: Trace,
    pub counts: Counts,
    pub conversations: Vec<Conversation>,
    /// Further conversations that a backend lists and in which nothing happens.
    pub idle: usize,
    pub nets: [Net; 2],
    /// The first violated invariant.
    pub wrong: Option<String>,
    /// Maximum latency of a disk operation, in milliseconds.
    pub disk_latency: u64,
    /// Whether the journal may say that a message is being delivered although its delivery has ended: the update failed.
    pub outbox_is_stale: bool,
    /// Whether a socket delivers the oldest of many events last.
    pub oldest_is_late: bool,
    journal: Option<Connection>,
    /// SQLite's version of the data at the last check; 0 before the first.
    journal_version: i64,
    marks: usize,
}

/// Ratings, in the words of both dialects.
pub const LOW: (&str, &str) = ("0", "LOW");
pub const HIGH: (&str, &str) = ("2", "HIGH");
pub const UNRATED: (&str, &str) = ("-1", "UNKNOWN");

/// One of so many seeds has a list of many pages.
const IDLE_EACH: u64 = 16;
/// Conversations of such a list.
const IDLE: usize = 240;

/// The shared handle of the world.
pub type Shared = Arc<Mutex<World>>;

pub fn lock(world: &Shared) -> MutexGuard<'_, World> {
    world.lock().expect("the lock is not poisoned")
}

impl World {
    pub fn new(seed: u64, conversations: usize, words: bool) -> Self {
        let mut dice = Dice::of(seed);
        let flip = usize::from(dice.percent(50));
        let dialect = |number: usize| match number.is_multiple_of(2) {
            true => Dialect::Zero,
            false => Dialect::One,
        };
        let conversations =
            (flip..conversations + flip).map(|number| Conversation::new(number, dialect(number)));
        let mut trace = Trace::default();
        trace.lines = words.then(Vec::new);
        Self {
            dice,
            trace,
            counts: Counts::default(),
            conversations: conversations.collect(),
            idle: if seed.is_multiple_of(IDLE_EACH) {
                IDLE
            } else {
                0
            },
            nets: [Net::default(), Net::default()],
            wrong: None,
            disk_latency: 0,
            outbox_is_stale: false,
            oldest_is_late: false,
            journal: None,
            journal_version: 0,
            marks: 0,
        }
    }

    pub fn note(&mut self, line: std::fmt::Arguments<'_>) {
        self.trace.note(clock::now(), line);
    }

    /// Reports a violated invariant, if one is. Only the first report counts.
    pub fn is_wrong(&mut self, what: impl Into<Option<String>>) {
        if let Some(what) = what.into() {
            self.note(format_args!("WRONG: {what}"));
            self.wrong.get_or_insert(what);
        }
    }

    pub fn net(&mut self, dialect: Dialect) -> &mut Net {
        &mut self.nets[dialect as usize]
    }

    /// Whether a server is reachable now.
    pub fn reachable(&mut self, dialect: Dialect) -> bool {
        clock::now() >= self.net(dialect).down_until
    }

    /// The latency of one trip to or from a server.
    pub fn latency(&mut self, dialect: Dialect) -> u64 {
        match self.net(dialect).latency {
            0 => 0,
            most => self.dice.below(most + 1),
        }
    }

    pub fn by_id(&self, id: &str) -> Option<usize> {
        self.conversations.iter().position(|one| one.id == id)
    }

    /// Whether a conversation is one of those in which nothing happens.
    pub fn is_idle(&self, id: &str) -> bool {
        let number = id
            .strip_prefix("idle")
            .and_then(|number| number.parse().ok());
        number.is_some_and(|number: usize| number < self.idle)
    }

    /// A word that occurs in no other text.
    pub fn mark(&mut self, letter: char) -> String {
        self.marks += 1;
        format!("{letter}{:05}z", self.marks)
    }

    /// Handrail has a server create a conversation with this message. Returns its place.
    pub fn create(&mut self, dialect: Dialect, message: &str) -> usize {
        let at = self.conversations.len();
        let mut one = Conversation::new(at + 100, dialect);
        one.rating = self.conversations[0].rating;
        one.spent = self.conversations[0].spent.map(|_| 0);
        one.begin();
        one.receives(message);
        one.received.insert(message.to_owned(), 1);
        self.conversations.push(one);
        at
    }

    /// Cuts all connections to a server.
    pub fn cut(&mut self, dialect: Dialect) {
        self.net(dialect).cuts += 1;
        self.stir(dialect);
    }

    /// Makes connections check the state.
    pub fn stir(&self, dialect: Dialect) {
        for one in self
            .conversations
            .iter()
            .filter(|one| one.dialect == dialect)
        {
            one.changed.send_replace(());
        }
    }

    /// Opens the journal that is in use from now on, to read it independently.
    pub fn journal_is(&mut self, folder: &Path) {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(folder.join("handrail.db"), flags);
        self.journal = Some(opened.expect("it was just created"));
        self.journal_version = 0;
    }

    /// Whether the journal has changed since the last call.
    pub fn journal_has_changed(&mut self) -> bool {
        let version = self
            .journal()
            .query_row("PRAGMA data_version", [], |row| row.get(0));
        let version = version.expect("a healthy journal");
        std::mem::replace(&mut self.journal_version, version) != version
    }

    pub fn journal_is_closed(&mut self) {
        self.journal = None;
    }

    pub fn journal(&self) -> &Connection {
        self.journal.as_ref().expect("Handrail is running")
    }

    /// The tokens whose newest answer in the journal is an approval.
    pub fn approved(&self) -> Vec<String> {
        let approved = "SELECT token FROM approval WHERE approved = 1";
        let mut statement = self.journal().prepare_cached(approved).expect("it is SQL");
        let tokens = statement.query_map([], |row| row.get(0));
        let tokens = tokens.and_then(Iterator::collect);
        tokens.expect("a healthy journal")
    }

    /// The tokens that a rule or an amendment has answered, each with the marks of its actions.
    pub fn ruled(&self) -> Vec<(String, BTreeSet<String>)> {
        let mut all = self.shown_where("rule IS NOT NULL");
        all.extend(self.amended());
        all
    }

    /// The tokens that an amendment has answered, each with the marks of its actions.
    pub fn amended(&self) -> Vec<(String, BTreeSet<String>)> {
        self.shown_where("approved = 1 AND answered_by LIKE 'an amendment%'")
    }

    /// How many stored approvals were of this mark.
    pub fn approved_with(&self, mark: &str) -> usize {
        let all = self.shown_where("approval.approved = 1");
        all.iter().filter(|(_, marks)| marks.contains(mark)).count()
    }

    fn shown_where(&self, condition: &str) -> Vec<(String, BTreeSet<String>)> {
        let condition = condition.replace("approved = 1 AND", "approval.approved = 1 AND");
        let ruled = &format!(
            "SELECT approval.token, shown FROM reading JOIN approval USING (conversation, token) WHERE {condition}"
        );
        let mut statement = self.journal().prepare_cached(ruled).expect("it is SQL");
        let tokens = statement.query_map([], |row| {
            let shown: String = row.get(1)?;
            let marks = marks(&shown, 'c').into_iter().map(str::to_owned);
            Ok((row.get(0)?, marks.collect()))
        });
        let tokens = tokens.and_then(Iterator::collect);
        tokens.expect("a healthy journal")
    }

    /// The newest sequence number of all conversations.
    pub fn newest_seq(&self) -> i64 {
        let newest = "SELECT ifnull(max(seq), 0) FROM conversation";
        let newest = self.journal().query_row(newest, [], |row| row.get(0));
        newest.expect("a healthy journal")
    }

    /// Checks that no approval is sent while a message is being delivered, which may drop what is pending.
    pub fn check_no_message_leaves(&mut self, at: usize) {
        let id = self.conversations[at].id.clone();
        let sending = "SELECT count(*) FROM outbox JOIN conversation ON conversation.number = outbox.conversation
                       WHERE conversation.id = ?1 AND outbox.state = 'sending'";
        let sending = self.journal().query_row(sending, [&id], |row| row.get(0));
        let sending: i64 = sending.expect("a healthy journal");
        if sending > 0 && !self.outbox_is_stale {
            self.is_wrong(format!(
                "an approval was sent to {id} during the delivery of a message"
            ));
        }
    }

    /// Checks that the journal contains everything a user could have read of an approval, before the action is
    /// executed.
    pub fn check_approved(&mut self, at: usize, asked: &[Asked]) {
        let one = &self.conversations[at];
        let id = one.id.clone();
        let found = self.stored_approval(&id, asked);
        if let Err(why) = found {
            self.is_wrong(format!("{id} executed {asked:?}, but {why}"));
        }
    }

    fn stored_approval(&self, id: &str, asked: &[Asked]) -> Result<(), String> {
        let mut statement = self
            .journal()
            .prepare_cached(
                "SELECT shown FROM approval JOIN conversation ON conversation.number = approval.conversation
                 WHERE conversation.id = ?1 AND approved = 1 AND answered_by <> ''
                   AND state IN ('sent', 'approved', 'indeterminate')",
            )
            .map_err(|error| error.to_string())?;
        let shown = statement.query_map([id], |row| row.get::<_, String>(0));
        let shown: Result<Vec<String>, _> = shown.and_then(Iterator::collect);
        let shown = shown.map_err(|error| error.to_string())?;
        let wanted: BTreeSet<&str> = asked.iter().map(|one| one.mark.as_str()).collect();
        if shown.iter().any(|shown| marks(shown, 'c') == wanted) {
            Ok(())
        } else {
            Err(format!(
                "none of {} stored approvals has exactly this content",
                shown.len()
            ))
        }
    }
}

/// The marks of one kind in a text.
pub fn marks(text: &str, letter: char) -> BTreeSet<&str> {
    let is_mark = |mark: &&str| {
        mark.len() == 7
            && mark.starts_with(letter)
            && mark.ends_with('z')
            && mark[1..6].bytes().all(|one| one.is_ascii_digit())
    };
    text.split(|one: char| !one.is_ascii_alphanumeric())
        .filter(is_mark)
        .collect()
}
