//! A copy of `rust_socketio` 0.6.0 without its synchronous client, its tests and its macros, and with one change: events can be
//! had as text (see `README.md`). Everything else is upstream's, faults included.
#![allow(warnings)]

pub mod asynchronous;
pub mod error;
pub mod event;
pub(crate) mod packet;
pub mod payload;

pub use error::Error;
pub use {event::Event, payload::Payload};

/// Flavor of Engine.IO transport.
#[derive(Clone, Eq, PartialEq)]
pub enum TransportType {
    /// Handshakes with polling, upgrades if possible
    Any,
    /// Handshakes with websocket. Does not use polling.
    Websocket,
    /// Handshakes with polling, errors if upgrade fails
    WebsocketUpgrade,
    /// Handshakes with polling
    Polling,
}
