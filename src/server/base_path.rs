//! Serving below a base path: `/tools/handrail/c/1` outside is `/c/1` inside.

use axum::extract::{Request, State};
use axum::http::{StatusCode, Uri, uri::PathAndQuery};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::str::FromStr;

/// The base path; begins and ends with `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base(pub String);

impl FromStr for Base {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.~".contains(letter);
        let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
        let good = parts
            .iter()
            .all(|part| part.chars().all(plain) && !part.starts_with('.'));
        if !good || text.contains("//") {
            return Err("write it like /tools/handrail/".to_owned());
        }
        Ok(Self(match parts.join("/").as_str() {
            "" => "/".to_owned(),
            path => format!("/{path}/"),
        }))
    }
}

/// Strips the base path from requests. `/healthz`, `/readyz` and `/metrics` also work without it.
pub async fn strip(State(Base(base)): State<Base>, mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if base == "/" || matches!(path, "/healthz" | "/readyz" | "/metrics") {
        return next.run(request).await;
    }
    if path == base.trim_end_matches('/') {
        return Redirect::permanent(&base).into_response();
    }
    let text = request
        .uri()
        .path_and_query()
        .map_or("/", PathAndQuery::as_str);
    let inner = text
        .strip_prefix(base.as_str())
        .map(|rest| format!("/{rest}"));
    let Some(Ok(path)) = inner.map(|inner| PathAndQuery::from_str(&inner)) else {
        let text = format!("Page not found. Handrail is at {base}");
        return (StatusCode::NOT_FOUND, text).into_response();
    };
    let mut parts = std::mem::take(request.uri_mut()).into_parts();
    parts.path_and_query = Some(path);
    match Uri::from_parts(parts) {
        Ok(uri) => *request.uri_mut() = uri,
        Err(_) => return StatusCode::BAD_REQUEST.into_response(),
    }
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_begins_and_ends_in_a_slash_however_it_is_written() {
        for (given, base) in [
            ("/", "/"),
            ("", "/"),
            ("a", "/a/"),
            ("/a/b", "/a/b/"),
            ("/a/b/", "/a/b/"),
        ] {
            assert_eq!(given.parse(), Ok(Base(base.to_owned())), "{given}");
        }
        for bad in [
            "//",
            "/a//b/",
            "/../",
            "/a b/",
            "/a?b/",
            "http://box/",
            "/%2e/",
            "/a\\b/",
        ] {
            assert!(bad.parse::<Base>().is_err(), "{bad}");
        }
    }
}
