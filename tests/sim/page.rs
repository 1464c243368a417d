//! Pages without a screen: they store what they receive like the browser does, and check it strictly.

use crate::people::caller;
use crate::world::marks;
use futures_util::{FutureExt, StreamExt};
use handrail::hub::{Follower, Hub, MOST_BYTES, MOST_FRAMES};
use handrail::live::{
    ConversationSummary, ConversationView, FromServer, ListAsk, SessionView, Verdict,
};
use handrail::store::Rows;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// The pending subscription of a page that is being opened.
pub type Coming = Arc<Mutex<Option<Option<(Option<ConversationView>, Follower)>>>>;

/// A page that shows one conversation.
pub struct Page {
    pub person: usize,
    pub at: usize,
    pub id: String,
    /// Its rows, stored by the browser's own code.
    pub store: Rows,
    pub seq: i64,
    pub session: Option<SessionView>,
    pub follower: Option<Follower>,
    pub coming: Option<Coming>,
    pub slow_until: u64,
    /// Whether its state is outdated, so that it needs a new snapshot.
    pub gap: bool,
    /// Whether it was told that the conversation is gone.
    pub gone: bool,
}

/// What a page has learnt from its frames.
#[derive(Default)]
pub struct Learnt {
    pub frames: u64,
    /// Tokens of approvals, with the marks that each shows.
    pub tokens: Vec<(String, BTreeSet<String>)>,
    pub wrong: Option<String>,
}

impl Page {
    pub fn new(person: usize, at: usize, id: &str) -> Self {
        Self {
            person,
            at,
            id: id.to_owned(),
            store: Rows::new(Vec::new(), false),
            seq: 0,
            session: None,
            follower: None,
            coming: None,
            slow_until: 0,
            gap: false,
            gone: false,
        }
    }

    /// Drops the connection; the shown state stays.
    pub fn lose(&mut self) {
        (self.follower, self.coming) = (None, None);
    }

    /// Handles all frames that have arrived.
    pub fn drain(&mut self, now: u64) -> Learnt {
        let mut learnt = Learnt::default();
        if now < self.slow_until {
            return learnt;
        }
        let came = self
            .coming
            .as_ref()
            .and_then(|coming| coming.lock().expect("the lock is not poisoned").take());
        if let Some(came) = came {
            self.coming = None;
            if let Some((picture, follower)) = came {
                if let Some(picture) = picture {
                    self.show(picture, &mut learnt);
                }
                self.follower = Some(follower);
            }
        }
        let (mut bytes, mut largest) = (0, 0);
        while let Some(follower) = &mut self.follower {
            match follower.next().now_or_never() {
                None => break,
                Some(None) => self.follower = None,
                Some(Some(frame)) => {
                    learnt.frames += 1;
                    bytes += frame.len();
                    largest = largest.max(frame.len());
                    match serde_json::from_slice(&frame) {
                        Ok(frame) => self.take(frame, &mut learnt),
                        Err(error) => {
                            learnt.wrong = Some(format!("a frame cannot be read: {error}"))
                        }
                    }
                }
            }
        }
        if learnt.frames > MOST_FRAMES as u64 + 1 || bytes > MOST_BYTES + largest {
            learnt.wrong = Some(format!(
                "a queue exceeds its limits: {} frames with {bytes} bytes for one page",
                learnt.frames
            ));
        }
        learnt
    }

    fn show(&mut self, picture: ConversationView, learnt: &mut Learnt) {
        self.store.refresh(picture.rows, picture.older);
        self.seq = picture.seq;
        self.gap = false;
        self.shows(picture.session, learnt);
    }

    fn shows(&mut self, session: SessionView, learnt: &mut Learnt) {
        if let Some(approval) = &session.approval {
            let shown = serde_json::to_string(&approval.rows).expect("plain data");
            let marks = marks(&shown, 'c').into_iter().map(str::to_owned).collect();
            learnt.tokens.push((approval.token.clone(), marks));
        }
        self.session = Some(session);
    }

    fn take(&mut self, frame: FromServer, learnt: &mut Learnt) {
        let mut wrong = |what: String| {
            learnt.wrong.get_or_insert(what);
        };
        match frame {
            FromServer::Rows {
                conversation,
                seq,
                rows,
                session,
            } => {
                if conversation != self.id {
                    wrong(format!(
                        "a page of {} received rows of {conversation}",
                        self.id
                    ));
                }
                if seq <= self.seq {
                    wrong(format!(
                        "rows are out of order: those of {seq} arrived after those of {}",
                        self.seq
                    ));
                }
                for row in &rows {
                    if row.seq <= self.seq || row.seq > seq {
                        wrong(format!(
                            "rows are out of order: row {} with version {} arrived between {} and {seq}",
                            row.id, row.seq, self.seq
                        ));
                    }
                }
                self.store.upsert(rows);
                self.seq = seq;
                if let Some(session) = session {
                    self.shows(*session, learnt);
                }
            }
            FromServer::Session {
                conversation,
                session,
            } => {
                if conversation != self.id {
                    wrong(format!(
                        "a page of {} received the session of {conversation}",
                        self.id
                    ));
                }
                self.shows(*session, learnt);
            }
            FromServer::Verdict {
                verdict: Verdict::Gap,
                ..
            } => {
                self.gap = true;
                self.follower = None;
            }
            FromServer::Gone { .. } => {
                self.gone = true;
                self.follower = None;
            }
            _ => {}
        }
    }
}

/// A user's list of conversations.
pub struct ListPage {
    pub person: usize,
    pub follower: Follower,
    pub shown: BTreeMap<String, ConversationSummary>,
    /// Those that it was told to hide: a page that was read before may have them.
    hidden: BTreeSet<String>,
    /// Whether its state is outdated.
    pub gap: bool,
    /// Whether it says that a backend's list is still being read, or could not be read last.
    pub is_being_read: bool,
}

impl ListPage {
    /// Reads the first page, follows the list, and reads the other pages.
    pub async fn open(hub: &Hub, person: usize) -> Self {
        let by = caller(person);
        let first = hub.catalogue.page(&by, "").await;
        let mut list = Self {
            person,
            follower: hub.list.follow_list(&by),
            shown: BTreeMap::new(),
            hidden: BTreeSet::new(),
            // A journal that cannot be read.
            gap: first.is_err(),
            is_being_read: false,
        };
        let Ok(first) = first else { return list };
        let mut backends = first.backends.iter();
        list.is_being_read = backends.any(|one| one.read_so_far.is_some() || one.trouble.is_some());
        let shown = first.conversations.into_iter();
        list.shown = shown.map(|one| (one.id.clone(), one)).collect();
        let mut before = first.older;
        while !before.is_empty() {
            let ask = ListAsk {
                before,
                ..ListAsk::default()
            };
            let Ok(page) = hub.catalogue.page(&by, ask).await else {
                list.gap = true;
                return list;
            };
            list.drain();
            for one in page.conversations {
                if !list.hidden.contains(&one.id) {
                    list.shown.entry(one.id.clone()).or_insert(one);
                }
            }
            before = page.older;
        }
        list
    }

    /// Handles all frames that have arrived; returns the ids of the updated rows.
    pub fn drain(&mut self) -> Vec<String> {
        let mut came = Vec::new();
        while let Some(frame) = self.follower.next().now_or_never() {
            let Some(frame) = frame else {
                self.gap = true;
                break;
            };
            match serde_json::from_slice(&frame) {
                Ok(FromServer::Summary { summary }) => {
                    came.push(summary.id.clone());
                    self.hidden.remove(&summary.id);
                    self.shown.insert(summary.id.clone(), *summary);
                }
                Ok(FromServer::Gone { conversation }) => {
                    self.shown.remove(&conversation);
                    self.hidden.insert(conversation);
                }
                _ => self.gap = true,
            }
        }
        came
    }
}
