//! The API for programs, version 1: its types, and how they are made of what pages show.
//!
//! The routes are in `server/v1/`, and the program's own client is in `client/`. Times are milliseconds since the Unix epoch.

mod of_views;
mod types;

pub use of_views::actions;
pub use types::*;
