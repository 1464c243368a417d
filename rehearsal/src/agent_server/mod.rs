//! The second dialect of the rehearsal: an agent-server 1.58 instead of an OpenHands 0.62.
//!
//! The scripts are the same. They are written as events of 0.x, the more limited of the two, and `translate` converts
//! them; everything else here is the behaviour of a 1.x server around them. It reproduces what makes such servers
//! dangerous: any message sent while an approval is pending approves it, a conversation is locked while a tool runs,
//! and snapshots grow with every model call.
//!
//! Modules in reading order: `translate` converts steps to events, `agent` emits them, `conversation` stores and `room`
//! distributes them, `snapshot` describes the current state, `sockets` and `rest` are the interfaces, `stage` is the
//! state they share.

mod agent;
mod conversation;
mod plan;
mod rest;
mod room;
mod snapshot;
mod sockets;
mod stage;
mod translate;

#[cfg(test)]
mod tests;

pub use rest::router;
pub use stage::Stage;
