//! Asking a backend over HTTP, whichever protocol it speaks: one client with budget, patience and limits.
//!
//! Nothing here knows a route. What goes into an address passes [`connection`] first, every failure comes
//! out as a [`super::BackendError`], and identical questions share one answer.

mod addresses;
mod budget;
mod call;
mod connection;
mod pulse;
mod refusal;
mod rest;
mod shared;

pub use connection::Connection;

pub(super) use {
    budget::Budget,
    call::{Body, Call, Patience},
    connection::{conversation_id, file_name, secret_name, workspace_path},
    pulse::{SILENCE, alive, stops},
    refusal::{Missing, NO_REPOSITORY, words},
    rest::Rest,
    shared::{LIST_FRESH, OPTIONS_FRESH},
};
