//! The enumerations of 1.x: sources, states, risks, kinds of failure.

use crate::wire::open_words::open_words;

open_words! {
    /// Source of an event.
    pub enum EventSource {
        /// The agent.
        Agent = "agent",
        /// A person, or the goal loop on behalf of one.
        User = "user",
        /// The server and its tools.
        Environment = "environment",
        /// A hook script.
        Hook = "hook",
    }
}

open_words! {
    /// State of the agent.
    pub enum ExecutionStatus {
        /// Idle; also after a rejection.
        Idle = "idle",
        /// Running.
        Running = "running",
        /// Paused or interrupted by a person.
        Paused = "paused",
        /// All open calls wait for one approval.
        WaitingForConfirmation = "waiting_for_confirmation",
        /// Finished, by a `finish` call or a plain last message.
        Finished = "finished",
        /// Failed.
        Error = "error",
        /// Stuck in a loop.
        Stuck = "stuck",
        /// Being deleted.
        Deleting = "deleting",
    }
}

open_words! {
    /// Risk rating of an action. `unknown` unless an analyzer is set, regardless of the model's own rating.
    pub enum SecurityRisk {
        /// Not rated.
        Unjudged = "unknown",
        /// Harmless.
        Low = "low",
        /// Makes changes.
        Medium = "medium",
        /// May do damage.
        High = "high",
    }
}

open_words! {
    /// Kind of failure.
    pub enum FailureKind {
        /// The key was rejected.
        Auth = "auth",
        /// The account has no credit.
        Quota = "quota",
        /// Too many requests.
        RateLimit = "rate_limit",
        /// The settings do not match the model.
        Config = "config",
        /// Temporary.
        Transient = "transient",
        /// Caused by the agent.
        AgentAction = "agent_action",
        /// Internal error of the server.
        Internal = "internal",
        /// Unknown to the server, too.
        Unclassified = "unknown",
    }
}

open_words! {
    /// Suggested remedy for a failure.
    pub enum UserAction {
        /// None.
        None = "none",
        /// Retry.
        Retry = "retry",
        /// Change the settings.
        Settings = "settings",
    }
}

open_words! {
    /// Who rejected a call.
    pub enum RejectionSource {
        /// A person.
        User = "user",
        /// A hook script.
        Hook = "hook",
    }
}

open_words! {
    /// Status of the goal loop.
    pub enum GoalStatus {
        /// Running.
        Running = "running",
        /// The judge is satisfied.
        Complete = "complete",
        /// All rounds are used up.
        Capped = "capped",
        /// Stopped by a person.
        Interrupted = "interrupted",
    }
}

open_words! {
    /// Kind of a chunk.
    pub enum DeltaKind {
        /// Text.
        Text = "text",
        /// Reasoning.
        Reasoning = "reasoning",
    }
}
