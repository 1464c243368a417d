//! What server functions need of the server: the hub, and where to go after a form.

use super::{ApiError, ApiErrorKind};
use crate::hub::{Hub, HubError};
use leptos::prelude::*;

/// Path under which the app lives, ending in `/`.
#[derive(Debug, Clone)]
pub struct BasePath(pub String);

/// The hub of this server.
pub(super) fn hub() -> Result<Hub, ApiError> {
    use_context::<Hub>().ok_or_else(|| {
        ApiError::new(
            ApiErrorKind::Internal,
            "The server is not set up for this request.",
        )
    })
}

/// Sends a plain form to a page of ours; with a script nothing happens.
pub(super) fn go_to(path: &str) {
    let base = use_context::<BasePath>().map_or_else(|| "/".to_owned(), |base| base.0);
    leptos_axum::redirect(&format!("{base}{path}"));
}

/// Gives the answer the status of its error: a page of something that does not exist is a 404.
pub(super) fn with_status(error: HubError) -> ApiError {
    let error = ApiError::from(error);
    if error.kind == ApiErrorKind::NotFound
        && let Some(response) = use_context::<leptos_axum::ResponseOptions>()
    {
        response.set_status(axum::http::StatusCode::NOT_FOUND);
    }
    error
}

impl From<HubError> for ApiError {
    fn from(error: HubError) -> Self {
        let (kind, text) = error.for_people();
        if kind == ApiErrorKind::Internal {
            tracing::error!(%error, "a request failed");
        } else {
            tracing::info!(%error, "a request was refused");
        }
        Self { kind, text }
    }
}
