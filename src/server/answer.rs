//! The answers of routes: a response, or an error with the matching status.

use crate::api::{ApiError, status_of};
use crate::hub::HubError;
use axum::Json;
use axum::response::{IntoResponse, Response};

/// The response of a route.
pub type Answer = Result<Response, Refused>;

/// An error response with the matching status. `bodies` shows it as a page to a browser that has opened the address.
pub struct Refused(ApiError);

impl From<HubError> for Refused {
    fn from(error: HubError) -> Self {
        Self(error.into())
    }
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = (status_of(self.0.kind), Json(self.0.clone())).into_response();
        response.extensions_mut().insert(self.0);
        response
    }
}
