//! Data sent to pages: plain types shared by hub, server functions and browser.
//!
//! No logic and no I/O; compiled for both sides. The hub produces these types, `api` passes them on, and the pages show
//! them. Pages import them from `crate::api`.

mod budgets;
mod deputies;
mod export;
mod frames;
mod insight;
mod listing;
mod nodes;
mod notifications;
mod orders;
mod outbox;
mod read;
mod replay;
mod retention;
mod review;
mod rules;
mod search;
mod settings;
mod trouble;
mod views;
mod workspace;

pub use crate::conversation::IMPORTED;
pub use budgets::{BudgetItem, BudgetView, BudgetsHere};
pub use deputies::{DeputyTrouble, DeputyView, EscalationItem, NewEscalation};
pub use export::{ExportView, SecretKind, SecretView, Secrets};
pub use frames::{FromBrowser, FromServer, Verdict};
pub use insight::{InsightView, OverallView};
pub use listing::{
    ListAsk, ListView, MOST_WAITING, OWN_ORDER, PAGE, Position, Show, Sort, lower_case, own_place,
    whereabouts,
};
pub use nodes::{NodeState, NodeView, NodesView};
pub use notifications::{
    ChannelKind, ChannelView, Choices, NotificationsView, Occasion, QuietHours, Scope,
};
pub use orders::{Decision, LastMessage, Steering};
pub use outbox::{OutboxState, OutboxView};
pub use read::{Unreadable, read};
pub use replay::{MarkView, Pace, ReplayView, TrackView};
pub use retention::{RetentionPlan, RetentionRule, RetentionRun, RetentionView};
pub use review::{
    CommentState, CommentView, LONGEST_COMMENT, ReviewView, ReviewedChange, ReviewedFile,
};
pub use rules::{DryRun, RefusedView, RuleChoice, RuleChoices, RuleState, RuleView, RulesView};
pub use search::{FoundView, HitView, SearchAsk, SearchChoices, WalkView, query_of};
pub use settings::{ConnectionReport, ConnectionView, SavedSettings, SettingsView};
pub use trouble::ApiErrorKind;
pub use views::{
    ApprovalView, BackendView, CareView, ConversationSummary, ConversationView, DraftView,
    EscalationView, HereView, InboxItem, OutlineEntry, OutlineView, RowsView, SessionView,
    SinceView, UNREAD, for_visitors,
};
pub use workspace::{FileEntry, FileShown, Part};
