//! Widgets without knowledge of conversations: what every page is assembled from.
//!
//! Each renders whole on the server and works as plain HTML where HTML can do it; a script only adds
//! comfort (local times, closing by a tap outside). Nothing here asks the server for anything.

mod answered;
mod badges;
mod copy;
mod dialog;
mod field;
mod icon;
mod made;
mod menu;
mod money;
mod notes;
mod search;
mod time;
mod toasts;

pub use answered::{Answered, answered};
pub use badges::{RiskBadge, StatusBadge, status_word};
pub use copy::CopyButton;
pub use dialog::Dialog;
pub use field::{Field, Outcome, Toggle};
pub use icon::Icon;
pub use made::Made;
pub use menu::Menu;
pub use money::dollars;
pub use notes::{EmptyState, ErrorNote, Loading};
pub use search::SearchForm;
pub use time::{Duration, Time};
pub use toasts::{Toasts, provide_toasts, use_toasts};
