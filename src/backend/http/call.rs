//! One question to the server, before it is asked.

use super::refusal::Missing;
use reqwest::Method;
use serde_json::Value;

/// How long an answer may take.
#[derive(Debug, Clone, Copy)]
pub(in crate::backend) enum Patience {
    /// Answered by everything that lives: a busy 0.62 was seen to take 2 s.
    Brief,
    /// Answered from the server's memory or disk.
    Quick,
    /// Waits for the command that runs in the workspace, or for a runtime.
    Slow,
    /// Waits for the step of the agent that runs, or hands over a whole archive.
    Transfer,
}

impl Patience {
    pub(in crate::backend) fn seconds(self) -> u64 {
        match self {
            Self::Brief => 4,
            Self::Quick => 15,
            Self::Slow => 60,
            Self::Transfer => 600,
        }
    }
}

/// One question.
pub(in crate::backend) struct Call<'a> {
    pub method: Method,
    pub path: &'a [&'a str],
    pub query: &'a [(&'a str, &'a str)],
    /// Headers beside those that every question has.
    pub headers: &'a [(&'static str, &'static str)],
    pub body: Body,
    pub patience: Patience,
    pub missing: Missing,
}

/// What goes along with a question.
pub(in crate::backend) enum Body {
    None,
    Json(Value),
    Form(reqwest::multipart::Form),
}

impl<'a> Call<'a> {
    /// A quick question without parameters.
    pub(in crate::backend) fn get(path: &'a [&'a str]) -> Self {
        Self {
            method: Method::GET,
            path,
            query: &[],
            headers: &[],
            body: Body::None,
            patience: Patience::Quick,
            missing: Missing::Thing("this route"),
        }
    }

    /// A quick order with a JSON body.
    pub(in crate::backend) fn send(method: Method, path: &'a [&'a str], body: Value) -> Self {
        Self {
            method,
            body: Body::Json(body),
            ..Self::get(path)
        }
    }

    /// A question to the runtime of a conversation: slow, and impossible when it is down.
    pub(in crate::backend) fn runtime(path: &'a [&'a str]) -> Self {
        Self {
            patience: Patience::Slow,
            missing: Missing::Runtime,
            ..Self::get(path)
        }
    }
}
