//! Rendering: rows as ready-made HTML pieces for the page.
//!
//! Markdown, highlighting, terminal colours, diffs and hidden characters are rendered once, on the server, and
//! everything that an agent printed is sanitised here. The browser gets [`RowView`]s whose HTML can be inserted
//! unchanged; it knows nothing of agents, tools or protocols.
//!
//! Invariant: every `Html` in a view was produced by this layer's sanitising functions.

mod model_view;
mod number;
mod secret_kind;
mod spot;
mod view;

#[cfg(feature = "ssr")]
mod alike;
#[cfg(feature = "ssr")]
mod ansi;
#[cfg(feature = "ssr")]
mod code;
#[cfg(feature = "ssr")]
mod diff;
#[cfg(feature = "ssr")]
mod document;
#[cfg(feature = "ssr")]
mod evidence;
#[cfg(feature = "ssr")]
mod hidden;
#[cfg(feature = "ssr")]
mod insight;
#[cfg(feature = "ssr")]
mod markdown;
#[cfg(feature = "ssr")]
mod marked;
#[cfg(feature = "ssr")]
mod mask;
#[cfg(feature = "ssr")]
mod model;
#[cfg(feature = "ssr")]
mod picture;
#[cfg(feature = "ssr")]
mod recorded;
#[cfg(feature = "ssr")]
mod rows;
#[cfg(feature = "ssr")]
mod shaping;
#[cfg(feature = "ssr")]
mod since;
#[cfg(feature = "ssr")]
mod text;

#[cfg(all(test, feature = "ssr"))]
mod hostile_tests;
#[cfg(all(test, feature = "ssr"))]
mod recording_tests;

#[cfg(feature = "ssr")]
pub use {
    ansi::terminal_html,
    code::{code_html, file_view},
    diff::{DiffLimits, change_of_texts, change_within, diff_of_texts, unified_diff},
    document::Document,
    evidence::{EVIDENCE_DATA, EvidenceSection, evidence_html},
    hidden::reveal_hidden,
    insight::{Period, SpentBy, insight_html, overall_html, silent_in_words, stuck_in_words},
    markdown::{first_line, markdown_html},
    marked::{has_longer, marked},
    mask::{Masker, start_of},
    model::model_view,
    picture::Picture,
    recorded::recorded_changes,
    rows::{
        Limits, is_whole, notice_in_words, reason_in_words, render_row, render_step_in_full,
        tool_in_words,
    },
    since::{New, since_html, since_in_words},
};

pub use model_view::*;
pub use number::grouped;
pub use secret_kind::SecretKind;
pub use spot::{DiffSide, DiffSpot};
pub use view::*;
