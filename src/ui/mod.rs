//! What the user sees: one folder per thing on screen.
//!
//! Pages read the [`crate::store`] and the address; what is selected is always in the address. A click
//! is a form or a link first, so everything works before the program has loaded.

pub mod parts;
pub mod shell;

pub mod doors;

pub mod inbox;
pub mod list;
pub mod new;
pub mod people;
pub mod settings;

pub mod approval;
pub mod composer;
pub mod conversation;
pub mod panels;
pub mod timeline;

pub mod aside;
