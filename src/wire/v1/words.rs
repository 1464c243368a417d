//! The words of 1.x: sources, states, risks, kinds of failure.

use crate::wire::open_words::open_words;

open_words! {
    /// Who an event comes from.
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
    /// What the agent is doing.
    pub enum ExecutionStatus {
        /// Nothing; also after a rejection.
        Idle = "idle",
        /// At work.
        Running = "running",
        /// Paused or interrupted by a person.
        Paused = "paused",
        /// All open calls wait for one answer.
        WaitingForConfirmation = "waiting_for_confirmation",
        /// Done, by a `finish` call or a plain last message.
        Finished = "finished",
        /// Failed.
        Error = "error",
        /// Goes in circles.
        Stuck = "stuck",
        /// Being removed.
        Deleting = "deleting",
    }
}

open_words! {
    /// How dangerous an action was judged. `unknown` unless an analyzer is set, whatever the model said.
    pub enum SecurityRisk {
        /// Nobody judged.
        Unjudged = "unknown",
        /// Harmless.
        Low = "low",
        /// Changes something.
        Medium = "medium",
        /// Could do damage.
        High = "high",
    }
}

open_words! {
    /// What kind of failure it is.
    pub enum FailureKind {
        /// The key was refused.
        Auth = "auth",
        /// The account is empty.
        Quota = "quota",
        /// Too many requests.
        RateLimit = "rate_limit",
        /// The settings do not fit the model.
        Config = "config",
        /// Will pass.
        Transient = "transient",
        /// What the agent did.
        AgentAction = "agent_action",
        /// The server's own fault.
        Internal = "internal",
        /// Not known to the server either.
        Unclassified = "unknown",
    }
}

open_words! {
    /// What a person can do about a failure.
    pub enum UserAction {
        /// Nothing.
        None = "none",
        /// Run again.
        Retry = "retry",
        /// Change the settings.
        Settings = "settings",
    }
}

open_words! {
    /// Who turned a call down.
    pub enum RejectionSource {
        /// A person.
        User = "user",
        /// A hook script.
        Hook = "hook",
    }
}

open_words! {
    /// How far the goal loop is.
    pub enum GoalStatus {
        /// At work.
        Running = "running",
        /// The judge is content.
        Complete = "complete",
        /// All rounds are used up.
        Capped = "capped",
        /// Stopped by a person.
        Interrupted = "interrupted",
    }
}

open_words! {
    /// What a piece of a stream is.
    pub enum DeltaKind {
        /// Of the text.
        Text = "text",
        /// Of the reasoning.
        Reasoning = "reasoning",
    }
}
