//! The API for programs: routes that do what pages do, by the same functions of the hub. So rights and audit are the same.
//!
//! `needs` says which right and which scope each route requires, and `access` checks both before the route runs.

mod description;
mod limits;
mod once;
mod problem;
mod reading;
mod stream;
mod writing;

pub use limits::check;
pub use once::once;
pub use problem::{is_api, of_other_layers};

use super::Site;
use super::needs::DESCRIPTION;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use problem::{Code, Failure};

/// A token whose scopes do not name what it was used for.
pub struct OutOfScope;

impl IntoResponse for OutOfScope {
    fn into_response(self) -> Response {
        let text =
            "The scopes of this token do not allow this. A token with scopes is for the API alone.";
        Failure::new(StatusCode::FORBIDDEN, Code::Scope, text).into_response()
    }
}

/// All routes of the API.
pub fn routes() -> Vec<(Method, &'static str, MethodRouter<Site>)> {
    let read = |path, handler| (Method::GET, path, handler);
    let change = |path, handler| (Method::POST, path, handler);
    vec![
        read(DESCRIPTION, get(description::get_description)),
        read("/api/v1/me", get(reading::me)),
        read("/api/v1/conversations", get(reading::list)),
        change("/api/v1/conversations", post(writing::create)),
        read("/api/v1/conversations/{id}", get(reading::conversation)),
        read("/api/v1/conversations/{id}/events", get(reading::events)),
        change("/api/v1/conversations/{id}/messages", post(writing::send)),
        read(
            "/api/v1/conversations/{id}/approval",
            get(reading::approval),
        ),
        change("/api/v1/conversations/{id}/approve", post(writing::approve)),
        change("/api/v1/conversations/{id}/reject", post(writing::reject)),
        change("/api/v1/conversations/{id}/stop", post(writing::stop)),
        read("/api/v1/conversations/{id}/export", get(reading::export)),
        read(
            "/api/v1/conversations/{id}/evidence",
            get(reading::evidence),
        ),
        read("/api/v1/inbox", get(reading::inbox)),
        read("/api/v1/search", get(reading::search)),
        read("/api/v1/usage", get(reading::usage)),
        read("/api/v1/rules", get(reading::rules)),
        read("/api/v1/people", get(reading::people)),
    ]
}
