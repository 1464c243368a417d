//! The second dialect of the rehearsal: an agent-server 1.58 instead of an OpenHands 0.62.
//!
//! The scripts are the same, as events of 0.x, the more limited of the two; `translate` converts them. The rest is what
//! a 1.x server does around them, dangers included: any message approves what is pending, a conversation is locked
//! while a tool runs, and snapshots grow with every model call.
//!
//! Modules in reading order: `translate` converts steps to events, `agent` emits them, `conversation` stores and `followers`
//! distributes them, `snapshot` describes the state, `sockets` and `rest` are the interfaces, `stage` their state.

mod agent;
mod conversation;
mod ending;
mod followers;
mod plan;
mod rest;
mod snapshot;
mod sockets;
mod stage;
mod translate;

#[cfg(test)]
mod tests;

pub use agent::take_message;
pub use conversation::Conversation;
pub use ending::interrupt;
pub use rest::{merge, merge_agent, router, too_small};
pub use snapshot::PROFILES;
pub use stage::{HOME, Stage};
