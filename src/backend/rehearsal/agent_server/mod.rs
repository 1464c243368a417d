//! The second dialect of the rehearsal: an agent-server 1.58 instead of an OpenHands 0.62.
//!
//! The scripts are the same. They are written in the words of 0.x, the narrower of the two, and `words` says them
//! anew: everything else here is how a 1.x server behaves around them. It is honest about what makes such servers
//! dangerous: whatever is said while something waits counts as a yes, a conversation is locked while a tool runs, and
//! snapshots grow with every call of the model.
//!
//! Modules in reading order: `words` turns steps into events, `agent` lets them happen, `conversation` stores and
//! `room` distributes them, `snapshot` says how things stand, `sockets` and `rest` are the doors, `stage` is what they share.

mod agent;
mod conversation;
mod plan;
mod rest;
mod room;
mod snapshot;
mod sockets;
mod stage;
mod words;

#[cfg(test)]
mod tests;

pub use rest::router;
pub use stage::Stage;
