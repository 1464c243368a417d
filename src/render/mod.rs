//! Rendering: rows as ready-made HTML pieces for the page.
//!
//! Markdown, highlighting, terminal colours, diffs and hidden characters are rendered once, on the server, and
//! everything that an agent printed is sanitised here. The browser gets [`RowView`]s whose HTML can be inserted
//! unchanged; it knows nothing of agents, tools or protocols.
//!
//! Invariant: every `Html` in a view was produced by this layer's sanitising functions.

mod number;
mod view;

#[cfg(feature = "ssr")]
mod ansi;
#[cfg(feature = "ssr")]
mod code;
#[cfg(feature = "ssr")]
mod diff;
#[cfg(feature = "ssr")]
mod excerpt;
#[cfg(feature = "ssr")]
mod hidden;
#[cfg(feature = "ssr")]
mod markdown;
#[cfg(feature = "ssr")]
mod picture;
#[cfg(feature = "ssr")]
mod rows;
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
    diff::{diff_of_texts, unified_diff},
    excerpt::excerpted,
    hidden::reveal_hidden,
    markdown::{first_line, markdown_html},
    picture::Picture,
    rows::{
        Limits, is_whole, notice_in_words, reason_in_words, render_row, render_step_in_full,
        unknown_json,
    },
};

pub use number::grouped;
pub use view::*;
