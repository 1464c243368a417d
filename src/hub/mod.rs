//! One supervised task per live conversation: backend → journal → followers.
//!
//! A conversation's task is its lock. It alone appends to the log, sends out what was appended, and starts new
//! followers, in sequence. It has at most one connection to the backend, while a user watches or the agent works, and
//! only if the sandbox is up: joining a stopped conversation would start it (`docs/protocol/v0.md` section 3).
//!
//! Invariant: a follower sees each change exactly once and in order, or is told that there is a gap.
//! Invariant: no answer leaves without a stored approval of exactly what was shown.
//! How the publish-subscribe vocabulary of OpenHands maps to this is in `docs/EVENT-SYSTEM.md`.
//!
//! # Errors
//! Methods fail with [`HubError::NotFound`] if there is no such conversation, backend, row or event, with
//! [`HubError::Imported`] or [`HubError::Elsewhere`] if a conversation has no backend in use, with [`HubError::Backend`] and
//! [`HubError::Journal`] if one of these fails, and with [`HubError::Closed`] if the conversation is closed meanwhile; changes
//! also with [`HubError::TooMuch`]. Those with further errors say so.
//!
//! Long because it puts the hub together: its parts, the handles, and what an actor sees of it.

mod actor;
mod actors;
mod audience;
mod audit_trail;
mod authorities;
mod authority;
mod backends;
mod budgets;
mod catalogue;
mod change_feed;
mod changes;
mod commands;
mod comments;
mod create;
mod creations;
mod deadlines;
mod deletions;
mod deputies;
mod dry_run;
mod error;
mod evidence;
mod export;
mod finding;
mod follower;
mod following;
mod handle;
mod import;
mod inbox;
mod insight;
mod limits;
mod lines;
mod list;
mod managing;
mod markdown;
mod message;
mod model;
mod older_approvals;
mod outgoing;
mod pages;
mod parts;
mod polling;
mod presence;
mod reading;
mod recent;
mod recording;
mod renderer;
mod replaying;
mod retention;
mod review;
mod review_message;
mod rule_book;
mod rules;
mod searching;
mod seen;
mod settings;
mod sharing;
mod since;
mod subscription;
mod support;
mod sweep;
mod targets;
mod touches;
mod touching;
mod unread;
mod view;
mod wait_clock;
mod workspace;

#[cfg(test)]
mod tests;

pub use actor::connection_states;
pub use authority::ApprovalAuthority;
pub use backends::{Backends, Target};
pub use budgets::BudgetBook;
pub use catalogue::Catalogue;
pub use change_feed::{Change, ChangeFeed, OpenApproval};
pub use commands::Commands;
pub use deputies::Deputies;
pub use error::{DATABASE_AWAY, DATABASE_LOST, DISK_FULL, HubError, HubResult};
pub use evidence::{Evidence, Verified, evidence_json, evidence_page, verify_evidence};
pub use export::{Exports, Masker, event_in_words};
pub use follower::{Follower, MOST_BYTES, MOST_FRAMES};
pub use insight::Insights;
pub use list::List;
pub use model::Asked;
pub use polling::Connections;
pub use presence::Presence;
pub use reading::Reader;
pub use retention::{Retention, retention_of};
pub use rule_book::{RuleBook, subject_of};
pub use searching::Searches;
pub use seen::MIN_VIEW_TIME;
pub use sharing::Sharings;
pub use subscription::Filter;
pub use support::NEW_DRAFT;
pub use touching::ApprovalTouches;
pub use workspace::Workspace;

use crate::clock::now;
use crate::journal::{Figures, Journal, ListedNode, Room, RoomState};
use crate::live::{NodeState, NodeView, NodesView};
use crate::metrics;
use crate::sync::{KeyedSemaphore, lock};
use actor::Context;
use actors::Actors;
use audit_trail::AuditTrail;
use authorities::Authorities;
use backends::{BackendRegistry, Connected};
use creations::Creations;
use deadlines::Deadlines;
use finding::Finding;
use limits::Limits;
use renderer::Renderer;
use rules::Rules;
use seen::Seen;
use std::sync::Arc;
use std::time::Duration;
use support::{Tasks, check_id, compute, invalid, known, permit};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use touches::KnownTouches;
use unread::Unread;

/// The hub: the services that it is composed of. Cheap to clone: all clones share one state.
#[derive(Clone)]
pub struct Hub {
    /// Which conversations there are: pages of the list, and requests for those that are not listed.
    pub catalogue: Arc<Catalogue>,
    /// The list: its followers, and what waits for a person.
    pub list: Arc<List>,
    /// Who may see each conversation.
    pub sharings: Arc<Sharings>,
    /// What has changed in the list, for notifications.
    pub changes: Arc<ChangeFeed>,
    /// The backends: addresses and settings.
    pub backends: Arc<Connections>,
    /// What people order.
    pub commands: Arc<Commands>,
    /// What is done without asking.
    pub policies: Policies,
    /// What people read of a conversation.
    pub reader: Arc<Reader>,
    /// Files and changes.
    pub workspace: Arc<Workspace>,
    /// Files of a conversation to take away.
    pub exports: Arc<Exports>,
    /// The search over all conversations.
    pub search: Arc<Searches>,
    /// Where time and money went.
    pub insights: Arc<Insights>,
}

/// What owners and approvers let Handrail do without asking, and who is asked.
#[derive(Clone)]
pub struct Policies {
    /// What is approved.
    pub approvals: Arc<RuleBook>,
    /// Who may approve what.
    pub authority: Arc<ApprovalAuthority>,
    /// What happens when nobody answers.
    pub deputies: Arc<Deputies>,
    /// Which approvals need a touch of a passkey.
    pub touches: Arc<ApprovalTouches>,
    /// What may be spent.
    pub budgets: Arc<BudgetBook>,
    /// What is deleted.
    pub deletions: Arc<Retention>,
}

/// How long a node may not say that it is there, in milliseconds.
const SILENT: i64 = 15_000;

/// The hub's health, for `/readyz`.
#[derive(Debug)]
pub struct Ready {
    /// Whether the journal can be read; else its error.
    pub journal: Result<(), String>,
    /// Whether it can be written.
    pub writable: bool,
    /// The backends, each with "ok" or the error of its last request.
    pub backends: Vec<(String, String)>,
}

impl Hub {
    /// Creates a hub. Backends come from the command line, else the settings, else the rehearsal; they may be
    /// unreachable, and detection of an unknown protocol is repeated. `base` is the pages' base path, ending in `/`.
    /// `min_view_time` is the minimum time between showing and answering an approval: [`MIN_VIEW_TIME`], except in tests.
    pub async fn new(
        journal: Journal,
        backends: impl Backends,
        base: &str,
        min_view_time: Duration,
    ) -> HubResult<Self> {
        let targets = targets::first_targets(&journal, &backends).await?;
        let backends = Arc::new(BackendRegistry::new(journal.clone(), backends, targets).await);
        let tasks = Tasks::default();
        let audit = Arc::new(AuditTrail::new(journal.clone()));
        let sharings = Arc::new(Sharings::new(journal.clone()));
        let list = Arc::new(List::new(journal.clone(), Arc::clone(&sharings)));
        let unread = Arc::new(Unread::new(journal.clone(), Arc::clone(&list)));
        let catalogue = Arc::new(Catalogue {
            journal: journal.clone(),
            audit: Arc::clone(&audit),
            backends: Arc::clone(&backends),
            list: Arc::clone(&list),
            unread: Arc::clone(&unread),
            creations: Creations::default(),
            finding: Finding::default(),
        });
        let rules = Arc::new(Rules {
            journal: journal.clone(),
            sharings: Arc::clone(&sharings),
        });
        let authorities = Arc::new(Authorities::load(&journal).await?);
        let presence = Presence::default();
        let deadlines = Arc::new(Deadlines::load(&journal, presence.clone()).await?);
        let touches = Arc::new(KnownTouches::load(&journal).await?);
        let limits = Arc::new(Limits::load(&journal).await?);
        let context = Context {
            limits: Arc::clone(&limits),
            rules: Arc::clone(&rules),
            authorities: Arc::clone(&authorities),
            deadlines: Arc::clone(&deadlines),
            touches: Arc::clone(&touches),
            journal: journal.clone(),
            backends: Arc::clone(&backends),
            list: Arc::clone(&list),
            renderer: Renderer::new(journal.clone(), base),
            seen: Arc::new(Seen::new(min_view_time)),
            tasks: tasks.clone(),
        };
        let actors = Arc::new(Actors {
            context: context.clone(),
            catalogue: Arc::clone(&catalogue),
            handles: Arc::default(),
        });
        let insights = Arc::new(Insights::new(Arc::clone(&actors), base));
        let commands = Arc::new(Commands {
            journal: journal.clone(),
            audit: Arc::clone(&audit),
            catalogue: Arc::clone(&catalogue),
            actors: Arc::clone(&actors),
            seen: Arc::clone(&context.seen),
            insights: Arc::clone(&insights),
            tasks: tasks.clone(),
        });
        let hub = Self {
            changes: Arc::new(ChangeFeed {
                list: Arc::clone(&list),
                actors: Arc::clone(&actors),
            }),
            backends: Arc::new(Connections {
                audit: Arc::clone(&audit),
                backends: Arc::clone(&backends),
                catalogue: Arc::clone(&catalogue),
                list: Arc::clone(&list),
                actors: Arc::clone(&actors),
                tasks: tasks.clone(),
            }),
            policies: Policies {
                approvals: Arc::new(RuleBook {
                    rules,
                    list: Arc::clone(&list),
                    actors: Arc::clone(&actors),
                    audit: Arc::clone(&audit),
                }),
                authority: Arc::new(ApprovalAuthority {
                    journal: journal.clone(),
                    audit: Arc::clone(&audit),
                    actors: Arc::clone(&actors),
                    known: authorities,
                }),
                deputies: Arc::new(Deputies {
                    journal: journal.clone(),
                    audit: Arc::clone(&audit),
                    actors: Arc::clone(&actors),
                    list: Arc::clone(&list),
                    known: deadlines,
                    touches: Arc::clone(&touches),
                    changing: tokio::sync::Mutex::default(),
                }),
                touches: Arc::new(ApprovalTouches {
                    journal: journal.clone(),
                    audit: Arc::clone(&audit),
                    actors: Arc::clone(&actors),
                    known: touches,
                    changing: tokio::sync::Mutex::default(),
                }),
                budgets: Arc::new(BudgetBook {
                    journal: journal.clone(),
                    audit: Arc::clone(&audit),
                    actors: Arc::clone(&actors),
                    list: Arc::clone(&list),
                    known: limits,
                }),
                deletions: Arc::new(Retention {
                    journal: journal.clone(),
                    audit: Arc::clone(&audit),
                    commands: Arc::clone(&commands),
                    list: Arc::clone(&list),
                    changing: tokio::sync::Mutex::default(),
                }),
            },
            commands,
            reader: Arc::new(Reader {
                journal: journal.clone(),
                catalogue: Arc::clone(&catalogue),
                actors,
                renderer: context.renderer,
                seen: context.seen,
                presence,
                drawing: Semaphore::new(reading::DRAWN_AT_ONCE),
            }),
            workspace: Arc::new(Workspace {
                audit,
                catalogue: Arc::clone(&catalogue),
            }),
            exports: Arc::new(Exports {
                journal: journal.clone(),
                backends: Arc::clone(&backends),
                making: Arc::new(Semaphore::new(export::PAGES_AT_ONCE)),
            }),
            search: Arc::new(Searches {
                journal,
                backends,
                list: Arc::clone(&list),
                running: KeyedSemaphore::default(),
            }),
            insights,
            sharings,
            list,
            catalogue,
        };
        hub.catalogue.forget_unfinished_imports().await?;
        hub.list.make_lines(&tasks).await;
        hub.backends.remember_list().await?;
        let list = Arc::clone(&hub.list);
        tasks.until_stopped(async move { list.keep_lines_written().await });
        let connections = Arc::clone(&hub.backends);
        tasks.until_stopped(async move { connections.keep_list_current().await });
        tasks.until_stopped(async move { unread.keep_seen_written().await });
        let deputies = Arc::clone(&hub.policies.deputies);
        tasks.until_stopped(async move { deputies.keep_watched().await });
        let rules = Arc::clone(&hub.policies.approvals);
        tasks.until_stopped(async move { rules.read_older().await });
        let retention = Arc::clone(&hub.policies.deletions);
        tasks.until_stopped(async move { retention.keep_applied().await });
        let search = Arc::clone(&hub.search);
        tasks.until_stopped(async move { search.keep_index_filled().await });
        Ok(hub)
    }

    /// The health of the journal and the backends.
    pub async fn ready(&self) -> Ready {
        let journal = self.catalogue.journal.setting("connection").await;
        let state = |one: Connected| {
            let trouble = one.trouble.unwrap_or_else(|| "ok".to_owned());
            (one.target.label(), trouble)
        };
        let connected = self.catalogue.backends.connected();
        Ready {
            journal: journal.map(drop).map_err(|error| error.to_string()),
            writable: self.catalogue.journal.is_writable().await,
            backends: connected.into_iter().map(state).collect(),
        }
    }

    /// The room on the disk of the journal, and whether it is enough.
    pub fn room(&self) -> (Room, RoomState) {
        self.catalogue.journal.room()
    }

    /// The figures of the journal.
    pub async fn figures(&self) -> HubResult<Figures> {
        Ok(self.catalogue.journal.figures().await?)
    }

    /// The nodes, and what this one carries.
    pub async fn nodes(&self) -> HubResult<NodesView> {
        let nodes = self.catalogue.journal.nodes().await?;
        let view = |node: ListedNode| NodeView {
            state: match node.is_serving {
                true => NodeState::Serving,
                false if node.now - node.seen < SILENT => NodeState::Waiting,
                false => NodeState::Silent,
            },
            address: node.address,
            version: node.version,
            started: node.started,
            seen: node.seen,
        };
        let connections = connection_states().into_iter();
        Ok(NodesView {
            nodes: nodes.into_iter().map(view).collect(),
            conversations: connections.map(|(_, count)| count).sum(),
            readers: usize::try_from(metrics::FOLLOWERS.get()).unwrap_or_default(),
        })
    }

    /// Closes all connections, within `grace` and at most 5 seconds. The journal keeps its content.
    pub async fn shutdown(&self) {
        let tasks = &self.backends.tasks;
        tasks.stopping.cancel();
        self.backends.actors.close(|_| true).await;
        tasks.tracker.close();
        let ended = timeout(Duration::from_secs(5), tasks.tracker.wait()).await;
        if ended.is_err() {
            tracing::warn!("some conversations did not end in time");
        }
        self.list.write_lines().await;
        self.catalogue.unread.write_seen().await;
    }
}
