//! What a person is told when something did not work.
//!
//! Policy: an [`ApiError`] is for the person in front of the page: a whole sentence that says what
//! happened and what to do next. It never holds a key, an address with a query, or a path of the
//! server. Errors of the layers below are logged once, where they become an `ApiError`.

use crate::live::ApiErrorKind;
use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a person is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiError {
    /// What kind of trouble it is: the page chooses picture and buttons by it.
    pub kind: ApiErrorKind,
    /// The sentence.
    pub text: String,
}

impl ApiError {
    /// An error of the given kind.
    pub fn new(kind: ApiErrorKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for ApiError {}

impl FromServerFnError for ApiError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(value: ServerFnErrorErr) -> Self {
        match value {
            // What we read in a browser is an answer: something between us and the server gave one of its own.
            ServerFnErrorErr::Deserialization(_) if cfg!(feature = "hydrate") => Self::new(
                ApiErrorKind::Connection,
                "The response did not come from Handrail, but perhaps from a proxy. Try again in a moment.",
            ),
            ServerFnErrorErr::Args(text)
            | ServerFnErrorErr::MissingArg(text)
            | ServerFnErrorErr::Deserialization(text) => Self::new(
                ApiErrorKind::Invalid,
                format!(
                    "Nothing was done: the form was incomplete or damaged ({text}). Reload the page, then try again."
                ),
            ),
            ServerFnErrorErr::Request(_) => Self::new(
                ApiErrorKind::Connection,
                "Handrail cannot be reached. Check your network, then try again.",
            ),
            other => Self::new(
                ApiErrorKind::Internal,
                format!("Reload the page. If it happens again, report this: {other}."),
            ),
        }
    }
}
