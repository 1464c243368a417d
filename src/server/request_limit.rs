//! Rejects requests of a user who has too many in progress.

use super::Site;
use super::load::holding;
use crate::api::{ApiError, ApiErrorKind, wants_page};
use crate::people::Caller;
use crate::ui::auth::Said;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Rejects a request if its user has too many in progress. A live connection counts until the upgrade.
pub async fn check(State(site): State<Site>, request: Request, next: Next) -> Response {
    let Some(by) = request.extensions().get::<Caller>().cloned() else {
        return next.run(request).await;
    };
    if let Some(permit) = site.load.request(&by) {
        return next.run(request).await.map(|body| holding(body, permit));
    }
    let text = "Too many of your requests are in progress. Wait a moment, then try again.";
    let status = StatusCode::TOO_MANY_REQUESTS;
    let mut response = if wants_page(request.headers()) {
        let said = Said(text.to_owned());
        site.page("not-allowed", status, (Some(by), said)).await
    } else {
        let error = ApiError::new(ApiErrorKind::Conflict, text);
        (status, Json(error)).into_response()
    };
    let soon = HeaderValue::from_static("1");
    response.headers_mut().insert(header::RETRY_AFTER, soon);
    response
}
