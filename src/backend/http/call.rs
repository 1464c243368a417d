//! A request to the backend, before it is sent.

use super::connection::conversation_id;
use super::refusal::Missing;
use crate::backend::Answer;
use reqwest::Method;
use serde_json::Value;

#[derive(Debug, Clone, Copy)]
pub(in crate::backend) enum TimeoutClass {
    /// Every healthy server responds quickly; a busy 0.62 was seen to take 2 s.
    Brief,
    /// Served from memory or disk.
    Quick,
    /// Waits for the running command in the workspace, or for a sandbox.
    Slow,
    /// Waits for the agent's current step, or transfers a whole archive.
    Transfer,
}

impl TimeoutClass {
    pub(in crate::backend) fn seconds(self) -> u64 {
        match self {
            Self::Brief => 4,
            Self::Quick => 15,
            Self::Slow => 60,
            Self::Transfer => 600,
        }
    }
}

pub(in crate::backend) struct Call {
    pub method: Method,
    pub path: Vec<String>,
    pub query: Vec<(&'static str, String)>,
    /// Headers in addition to the client's default ones.
    pub headers: &'static [(&'static str, &'static str)],
    pub body: Body,
    pub timeout_class: TimeoutClass,
    pub missing: Missing,
    /// Size limit of the response, in bytes.
    pub most: usize,
}

/// Default size limit of a response, in bytes.
const MOST_BYTES: usize = 16 << 20;

pub(in crate::backend) enum Body {
    None,
    Json(Value),
    Form(reqwest::multipart::Form),
}

impl Call {
    /// A quick request without parameters and body.
    pub(in crate::backend) fn new(method: Method, path: &[&str]) -> Self {
        Self {
            method,
            path: path.iter().map(|&part| part.to_owned()).collect(),
            query: Vec::new(),
            headers: &[],
            body: Body::None,
            timeout_class: TimeoutClass::Quick,
            missing: Missing::Thing("this API route"),
            most: MOST_BYTES,
        }
    }

    /// A quick GET request.
    pub(in crate::backend) fn get(path: &[&str]) -> Self {
        Self::new(Method::GET, path)
    }

    /// A quick request about one conversation, whose routes both protocols have in the same place. Errors: an invalid id.
    pub(in crate::backend) fn conversation(method: Method, id: &str, end: &[&str]) -> Answer<Self> {
        let path = [&["api", "conversations", conversation_id(id)?], end].concat();
        Ok(Self::new(method, &path).missing("this conversation"))
    }

    /// Adds a query parameter; `None` adds nothing.
    pub(in crate::backend) fn query<'a>(
        mut self,
        name: &'static str,
        value: impl Into<Option<&'a str>>,
    ) -> Self {
        let value = value.into().map(|value| (name, value.to_owned()));
        self.query.extend(value);
        self
    }

    pub(in crate::backend) fn json(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self
    }

    pub(in crate::backend) fn within(mut self, timeout_class: TimeoutClass) -> Self {
        self.timeout_class = timeout_class;
        self
    }

    /// Names what does not exist if the response is a 404.
    pub(in crate::backend) fn missing(mut self, thing: &'static str) -> Self {
        self.missing = Missing::Thing(thing);
        self
    }

    /// Makes it a request that the sandbox of a conversation answers: slow, and impossible while the sandbox is down.
    pub(in crate::backend) fn in_sandbox(mut self) -> Self {
        self.missing = Missing::Runtime;
        self.within(TimeoutClass::Slow)
    }
}
