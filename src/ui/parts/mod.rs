//! Generic widgets that know nothing about conversations; all pages are built from them.
//!
//! Each is rendered completely on the server and works as plain HTML where HTML can do it; JavaScript only adds comfort
//! (local times, closing by a tap outside). No widget sends requests.

mod answered;
mod arming;
mod badges;
mod budget;
mod choice;
mod copy;
mod dialog;
mod each;
mod exact_time;
mod field;
mod icon;
mod menu;
mod money;
mod notes;
mod one_time_secret;
mod press;
mod search;
pub(crate) mod text;
mod time;
mod toasts;
mod varying;

pub use answered::{Answered, answered};
pub use arming::{Arming, TooEarly};
pub use badges::{RiskBadge, StatusBadge, status_word};
pub use budget::budget_in_words;
pub use choice::Choice;
pub use copy::{CopyButton, copy_code};
pub use dialog::Dialog;
pub use each::Each;
pub use exact_time::tell_time;
pub use field::{Field, Outcome, PasswordField, Submit, TextField, Toggle, empty_form, in_field};
pub use icon::{Icon, named_icon};
pub use menu::Menu;
pub use money::dollars;
pub use notes::{Banner, EmptyState, ErrorNote, Loading, title_or_default};
pub use one_time_secret::OneTimeSecret;
pub use press::composes;
pub use search::SearchForm;
pub use time::{Clock, Elapsed, Time, localise_times, span, use_clock};
pub use toasts::{Toasts, provide_toasts, use_toasts};
pub use varying::varying;
