//! Other views of a conversation, beside its timeline: terminal, files, changes, browser, tasks, facts.
//!
//! Which one is shown, and what is selected in it, is in the address, so each view is a page that works
//! without a script. Two kinds of sources: rows of the log (`family.rs`: always there), and the workspace
//! (`workspace.rs`: only while the runtime is up, and on 0.62 only between two commands).

mod address;
mod asking;
mod browser;
mod changes;
mod commits;
mod entry;
mod family;
mod files;
mod info;
mod panel;
mod tabs;
mod tags;
mod tasks;
mod terminal;
mod usage;
mod workspace;

pub use panel::{Panel, panel};
pub use tabs::{PanelTabs, panel_name};
