//! The states of the agent.

use crate::wire::open_words::open_words;

open_words! {
    /// State of the agent. Sent in lower case only: 0.62 stores any other spelling as a state of
    /// its own, and the agent hangs.
    pub enum AgentState {
        /// Starting up.
        Loading = "loading",
        /// Ready (only in OpenHands' documentation, never sent by 0.62).
        Init = "init",
        /// Running.
        Running = "running",
        /// Waiting for a message.
        AwaitingUserInput = "awaiting_user_input",
        /// Paused by a person.
        Paused = "paused",
        /// Stopped.
        Stopped = "stopped",
        /// Finished.
        Finished = "finished",
        /// The agent refuses the task.
        Rejected = "rejected",
        /// Failed.
        Error = "error",
        /// The model's rate limit is reached.
        RateLimited = "rate_limited",
        /// Waiting for approval.
        AwaitingUserConfirmation = "awaiting_user_confirmation",
        /// Approved.
        UserConfirmed = "user_confirmed",
        /// Rejected.
        UserRejected = "user_rejected",
    }
}
