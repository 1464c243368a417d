//! Errors as the user sees them.
//!
//! Policy: an [`ApiError`] is for the user of the page: a whole sentence that says what
//! happened and what to do next. It never contains a key, an address with a query, or a path of the
//! server. Errors of the layers below are logged once, where they become an `ApiError`.

use super::answer::Json;
use crate::live::ApiErrorKind;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An error as the user sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiError {
    /// Its kind: determines the icon and the buttons on the page.
    pub kind: ApiErrorKind,
    /// The message.
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
    type Encoder = Json;

    fn from_server_fn_error(value: ServerFnErrorErr) -> Self {
        match value {
            // A browser that cannot read a response got it from something in between, such as a proxy.
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
