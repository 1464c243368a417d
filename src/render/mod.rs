//! How it reads: rows as ready-made pieces for the page.
//!
//! Markdown, highlighting, colours of a terminal, diffs and hidden characters are worked out once, on
//! the server, and everything that an agent printed is made harmless here. The browser gets [`RowView`]s
//! whose HTML may be inserted as it is, and knows nothing of agents, tools or protocols.
//!
//! Invariant: every `Html` in a view came out of this layer's sanitising functions.

mod number;
mod view;

#[cfg(feature = "ssr")]
mod ansi;
#[cfg(feature = "ssr")]
mod code;
#[cfg(feature = "ssr")]
mod diff;
#[cfg(feature = "ssr")]
mod hidden;
#[cfg(feature = "ssr")]
mod markdown;
#[cfg(feature = "ssr")]
mod picture;
#[cfg(feature = "ssr")]
mod rows;

#[cfg(all(test, feature = "ssr"))]
mod hostile_tests;
#[cfg(all(test, feature = "ssr"))]
mod recording_tests;

#[cfg(feature = "ssr")]
pub use {
    ansi::terminal_html,
    code::{code_html, file_view},
    diff::{diff_of_texts, unified_diff},
    hidden::reveal_hidden,
    markdown::markdown_html,
    picture::Picture,
    rows::{Limits, notice_in_words, render_row, render_step_in_full, unknown_json},
};

pub use number::grouped;
pub use view::*;
