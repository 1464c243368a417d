//! What Handrail uses of `rust_socketio` 0.6.0: one connection over a WebSocket, whose events are handed over as text (see
//! `README.md`). Everything else is upstream's, faults included.
#![allow(warnings)]

pub mod asynchronous;
pub mod error;
pub mod event;
pub(crate) mod packet;
pub mod payload;

pub use error::Error;
pub use {event::Event, payload::Payload};
