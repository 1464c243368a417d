//! Scripts in which the model or the agent fails.

use super::super::script::{Failure, Script, Step, shell};
use super::done;

/// What every step of a poisoned conversation ends with.
pub const POISONED: Failure = Failure {
    state: "error",
    reason: "RuntimeError: There was an unexpected error while running the agent: ValueError. You can refresh the page or ask the agent to try again.",
    status: Some("STATUS$ERROR"),
    status_first: true,
};

/// The key is wrong; the state comes before the status.
pub fn error401() -> Script {
    let id = "STATUS$ERROR_LLM_AUTHENTICATION";
    failing(
        Failure {
            state: "error",
            reason: id,
            status: Some(id),
            status_first: false,
        },
        "The key is right now.",
    )
}

/// Too many requests: a state without a reason and without a status, until a message comes. Twice.
pub fn error429() -> Script {
    let limited = || {
        Step::Fail(Failure {
            state: "rate_limited",
            reason: "",
            status: None,
            status_first: false,
        })
    };
    Script::new([
        step(1),
        limited(),
        limited(),
        step(2),
        done("The model has time again."),
    ])
}

/// The model breaks; the status comes before the state.
pub fn error500() -> Script {
    let id = "STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR";
    failing(
        Failure {
            state: "error",
            reason: id,
            status: Some(id),
            status_first: true,
        },
        "The model works again.",
    )
}

/// The same command until it is noticed.
pub fn stuck() -> Script {
    let reason = "AgentStuckInLoopError: Agent got stuck in a loop";
    let stuck = Failure {
        state: "error",
        reason,
        status: Some("STATUS$ERROR"),
        status_first: false,
    };
    let again = || {
        shell(
            "cat missing.txt",
            "Once more.",
            "cat: missing.txt: No such file or directory",
            1,
        )
    };
    let steps = std::iter::repeat_with(again).take(4);
    Script::new(steps.chain([Step::Fail(stuck), done("I try something else.")]))
}

/// Four steps, the limit, four more, the limit again.
pub fn max_iterations() -> Script {
    let limit = |reason| {
        Step::Fail(Failure {
            state: "error",
            reason,
            status: Some("STATUS$ERROR"),
            status_first: false,
        })
    };
    let first =
        "RuntimeError: Agent reached maximum iteration. Current iteration: 4, max iteration: 4";
    let second =
        "RuntimeError: Agent reached maximum iteration. Current iteration: 8, max iteration: 8";
    let steps = (1..=4)
        .map(step)
        .chain([limit(first)])
        .chain((5..=8).map(step))
        .chain([limit(second)]);
    Script::new(steps.chain([done("Just in time.")]))
}

fn failing(failure: Failure, end: &str) -> Script {
    Script::new([step(1), Step::Fail(failure), done(end)])
}

fn step(number: u64) -> Step {
    shell(
        &format!("echo step {number}"),
        "",
        format!("step {number}"),
        0,
    )
}
