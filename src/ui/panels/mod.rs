//! The panels of a conversation, beside its timeline: terminal, files, changes, browser, tasks, info, outline.
//!
//! The open panel and its selection are in the URL, so each panel is a page that works without JavaScript. There are
//! two data sources: rows of the log (`family.rs`, always available), and the workspace (`workspace.rs`, only while the
//! sandbox is running, and on 0.62 only between two commands).

mod address;
mod approval_policy;
mod browser;
mod changes;
mod entry;
mod family;
mod files;
mod info;
mod model;
mod open;
mod outline;
mod panel;
mod plain;
mod tabs;
mod tags;
mod tasks;
mod terminal;
pub(crate) mod text;
mod usage;
mod workspace;

pub use address::panel_address;
pub use entry::Shown;
pub use open::{Panel, drawn_panel};
pub use tabs::{OUTLINE, PanelItems, PanelTabs};
pub use terminal::StillCommand;
pub use usage::Usage;

use browser::BrowserPanel;
use changes::ChangesPanel;
use files::FilesPanel;
use info::InfoPanel;
use leptos::prelude::*;
use model::ModelPanel;
use outline::OutlinePanel;
use tasks::TasksPanel;
use terminal::TerminalPanel;

/// A panel by its name in the URL.
pub fn panel(name: &str) -> AnyView {
    match name {
        "terminal" => any_view! { <TerminalPanel/> },
        "files" => any_view! { <FilesPanel/> },
        "changes" => any_view! { <ChangesPanel/> },
        "browser" => any_view! { <BrowserPanel/> },
        "tasks" => any_view! { <TasksPanel/> },
        "info" => any_view! { <InfoPanel/> },
        "outline" => any_view! { <OutlinePanel/> },
        "model" => any_view! { <ModelPanel/> },
        _ => ().into_any(),
    }
}
