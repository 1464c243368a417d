//! What a person is told when something did not work.
//!
//! Policy: an [`ApiError`] is for the person in front of the page: a whole sentence that says what
//! happened and what to do next. It never holds a key, an address with a query, or a path of the
//! server. Errors of the layers below are logged once, where they become an `ApiError`.

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

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApiErrorKind {
    /// What was asked makes no sense; nothing was done.
    Invalid,
    /// There is no such thing.
    NotFound,
    /// Somebody else was faster, or it has changed meanwhile; nothing was done.
    Conflict,
    /// The backend cannot be reached or does not answer.
    BackendAway,
    /// The backend refuses.
    BackendRefuses,
    /// It may or may not have been done.
    Indeterminate,
    /// The line between page and server failed.
    Connection,
    /// Our own fault.
    Internal,
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
            ServerFnErrorErr::Args(text)
            | ServerFnErrorErr::MissingArg(text)
            | ServerFnErrorErr::Deserialization(text) => Self::new(
                ApiErrorKind::Invalid,
                format!("The form was not understood: {text}"),
            ),
            ServerFnErrorErr::Request(_) => Self::new(
                ApiErrorKind::Connection,
                "Handrail does not answer. Is the network there? Try again.",
            ),
            other => Self::new(
                ApiErrorKind::Internal,
                format!("Something went wrong: {other}"),
            ),
        }
    }
}
