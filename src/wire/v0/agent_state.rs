//! The states of the agent.

use crate::wire::open_words::open_words;

open_words! {
    /// What the agent is doing. Sent in small letters only: 0.62 stores any other spelling as a state of
    /// its own and the agent hangs in it.
    pub enum AgentState {
        /// Starting up.
        Loading = "loading",
        /// Ready (specification only, never sent by 0.62).
        Init = "init",
        /// At work.
        Running = "running",
        /// Waits for a message.
        AwaitingUserInput = "awaiting_user_input",
        /// Paused by a person.
        Paused = "paused",
        /// Stopped.
        Stopped = "stopped",
        /// Done.
        Finished = "finished",
        /// Will not do it.
        Rejected = "rejected",
        /// Failed.
        Error = "error",
        /// The model refused for now.
        RateLimited = "rate_limited",
        /// Waits for a yes or a no.
        AwaitingUserConfirmation = "awaiting_user_confirmation",
        /// Was given a yes.
        UserConfirmed = "user_confirmed",
        /// Was given a no.
        UserRejected = "user_rejected",
    }
}
