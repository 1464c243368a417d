//! The nodes of a database, as owners see them.

use serde::{Deserialize, Serialize};

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NodeState {
    /// It serves.
    Serving,
    /// It forwards, and would take over.
    Waiting,
    /// It has not said for a while that it is there.
    Silent,
}

/// A node. Times are milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeView {
    /// Where other nodes reach it.
    pub address: String,
    /// The version of its program.
    pub version: String,
    /// What it does.
    pub state: NodeState,
    /// When it was started.
    pub started: i64,
    /// When it last said that it is there.
    pub seen: i64,
}

/// All nodes, and what the one that serves carries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NodesView {
    /// The nodes; none if there is one process only.
    pub nodes: Vec<NodeView>,
    /// Conversations with a connection to their backend.
    pub conversations: usize,
    /// Readers of conversations and of the list.
    pub readers: usize,
}
