//! A live connection: that of the conversation's agent-server, as long as its sandbox runs there.
//!
//! The connection ends when the sandbox is paused, gone, or has another address or key; the hub then asks how the
//! conversation is. A frozen sandbox keeps its WebSocket open: its missing answers to health checks tell
//! (`http/pulse.rs`).

use super::Directory;
use crate::backend::agent_server::AgentServer;
use crate::backend::{ConnectionState, ConversationApi, LiveStream};
use std::sync::Arc;
use tokio::time::sleep;

/// Runs a live connection until it is cancelled or its sandbox has left its place.
pub(super) async fn hold(directory: Arc<Directory>, id: String, stream: LiveStream) {
    let (cancel, state) = (stream.cancel.clone(), stream.state.clone());
    state.send_replace(ConnectionState::Connecting);
    let is_up = directory.comes_up(&id);
    let Some(agent) = cancel.run_until_cancelled(is_up).await else {
        return;
    };
    tokio::select! {
        () = agent.hold(&id, stream) => {}
        () = directory.sandboxes.leaves(&id, &agent) => {
            state.send_replace(ConnectionState::Idle);
        }
    }
}

impl Directory {
    /// Waits until the sandbox of a conversation runs.
    async fn comes_up(&self, id: &str) -> Arc<AgentServer> {
        loop {
            if let Some(agent) = self.sandboxes.agent(id) {
                return agent;
            }
            if let Err(error) = self.listed(id).await {
                tracing::debug!(conversation = id, %error, "the sandbox cannot be asked about");
            }
            sleep(self.poll).await;
        }
    }
}
