//! Actions of a client, under the event name [`UserAction::EVENT`].
//!
//! A server silently drops a message with an unknown argument, so each
//! payload has exactly the arguments of upstream's class. `source` is not sent: it always becomes
//! `user`.

use super::{
    AgentState, BrowseInteractiveAction, BrowseURLAction, CmdRunAction, FileEditAction,
    FileReadAction, FileWriteAction, IPythonRunCellAction,
};
use serde::Serialize;

/// An action of a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "action", content = "args", rename_all = "snake_case")]
pub enum UserAction {
    /// Sends a message to the agent.
    Message {
        /// The text.
        content: String,
        /// `data:` URLs of images.
        image_urls: Vec<String>,
        /// Paths of uploaded files.
        file_urls: Vec<String>,
    },
    /// Requests a state: pause, resume, stop, confirm, reject.
    ChangeAgentState {
        /// The state, always sent in lower case.
        agent_state: AgentState,
    },
    /// Runs a command beside the agent.
    Run(CmdRunAction),
    /// Runs a cell beside the agent.
    RunIpython(IPythonRunCellAction),
    /// Reads a file.
    Read(FileReadAction),
    /// Writes a file.
    Write(FileWriteAction),
    /// Edits a file.
    Edit(FileEditAction),
    /// Opens a page.
    Browse(BrowseURLAction),
    /// Controls the browser.
    BrowseInteractive(BrowseInteractiveAction),
}

impl UserAction {
    /// The event name. 0.62 accepts `oh_action`, as in OpenHands' documentation, from old clients only.
    pub const EVENT: &'static str = "oh_user_action";
}
