//! Scripts in which the model or the agent fails.

use std::iter::repeat_with;

use super::step;
use crate::script::{Failure, Script, Step, done, shell, steps};

/// The failure of every step in a poisoned conversation.
pub const POISONED: Failure = Failure {
    status_first: true,
    ..stopping(
        "RuntimeError: There was an unexpected error while running the agent: ValueError. You can refresh the page or ask the agent to try again.",
    )
};

const fn stopping(reason: &'static str) -> Failure {
    Failure {
        state: "error",
        reason,
        status: Some("STATUS$ERROR"),
        status_first: false,
    }
}

/// A failure of the model, with the same id as status and as reason.
fn model_error(id: &'static str, status_first: bool, end: &str) -> Script {
    let failure = Failure {
        status: Some(id),
        status_first,
        ..stopping(id)
    };
    Script::new(steps![step(1), Step::Fail(failure), done(end)])
}

/// An invalid API key; the state comes before the status.
pub fn error401() -> Script {
    let id = "STATUS$ERROR_LLM_AUTHENTICATION";
    model_error(id, false, "The key is right now.")
}

/// A server error of the model; the status comes before the state.
pub fn error500() -> Script {
    let id = "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR";
    model_error(id, true, "The model works again.")
}

/// Rate limiting: a state without a reason and without a status, until a message arrives. Twice.
pub fn error429() -> Script {
    const LIMITED: Failure = Failure {
        state: "rate_limited",
        status: None,
        ..stopping("")
    };
    let limited = || Step::Fail(LIMITED);
    let end = done("The model has time again.");
    Script::new(steps![step(1), limited(), limited(), step(2), end])
}

/// The same command again and again, until the loop is detected.
pub fn stuck() -> Script {
    let output = "cat: missing.txt: No such file or directory";
    let again = || Step::Act(shell("cat missing.txt", output, 1).because("Once more."));
    let reason = "AgentStuckInLoopError: Agent got stuck in a loop";
    let end = [Step::Fail(stopping(reason)), done("I try something else.")];
    Script::new(repeat_with(again).take(4).chain(end))
}

/// Four steps, the limit, four more, the limit again.
pub fn max_iterations() -> Script {
    let first =
        "RuntimeError: Agent reached maximum iteration. Current iteration: 4, max iteration: 4";
    let second =
        "RuntimeError: Agent reached maximum iteration. Current iteration: 8, max iteration: 8";
    let four = |first| (first..first + 4).map(|number| Step::Act(step(number)));
    let limit = |reason| [Step::Fail(stopping(reason))];
    let steps = four(1).chain(limit(first)).chain(four(5));
    Script::new(steps.chain(limit(second)).chain([done("Just in time.")]))
}
