//! HTTP requests to a backend of either protocol: a client with rate limiter, timeouts and size limits.
//!
//! This module knows no routes but the start of those about one conversation, and the description of the API.
//! [`connection`] validates everything that goes into a URL, all failures are [`super::BackendError`]s, and identical
//! requests share one response.

mod addresses;
mod call;
mod connection;
mod kept;
mod outgoing;
mod permitted;
mod pulse;
mod rate_limiter;
mod reading;
mod refusal;
mod rest;
mod shared;
pub(super) mod tls;

pub use connection::Connection;
pub use outgoing::{is_blocked, outgoing_client, with_shared_tls};
#[cfg(test)]
pub(crate) use rate_limiter::goes_first;
pub use rate_limiter::{for_guess, for_order, for_reader};

pub(super) use {
    call::{Body, Call, TimeoutClass},
    connection::{conversation_id, created, file_name, secret_name, workspace_path},
    pulse::{SILENCE, alive, stops},
    rate_limiter::RateLimiter,
    refusal::{NO_REPOSITORY, error_text},
    rest::Rest,
    shared::{LIST_FRESH, OPTIONS_FRESH},
};
