//! The replay of a conversation: any place of it, as it was then.
//!
//! The place is in the URL, and the server draws it, so a link opens it without a script. With a script the slider and
//! the player fetch one place at a time. Nothing on this page changes or answers anything.

mod controls;
mod keys;
mod page;
mod panels;
mod player;
mod track;

pub(crate) mod text;

pub use page::ReplayPage;
