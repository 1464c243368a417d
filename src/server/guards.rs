//! What stands before every route: who may ask, and what a browser may do with the answer.
//!
//! Leptos checks neither Origin nor Host, and a page of another site can post a form to us: so every
//! unsafe request and every WebSocket must come from a page of ours, and the Host header must name us
//! (DNS rebinding). The layers are applied to the whole router; a new route cannot escape them.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::any::Any;
use std::net::IpAddr;
use std::sync::Arc;

/// All headers of a request together, in bytes.
const MOST_HEADERS: usize = 16 * 1024;

/// Host names under which we may be reached.
#[derive(Debug, Clone)]
pub struct Hosts(Arc<[String]>);

impl Hosts {
    /// Loopback names and `more`; addresses are always fine, they cannot be rebound.
    pub fn new(more: &[String]) -> Self {
        let names = std::iter::once("localhost".to_owned())
            .chain(more.iter().map(|name| name.to_ascii_lowercase()));
        Self(names.collect())
    }

    fn welcome(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() || self.0.contains(&name)
    }
}

/// Refuses requests for somebody else's name, and unsafe ones from somebody else's page.
pub async fn check_origin(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .or_else(|| {
            request
                .uri()
                .authority()
                .map(|authority| authority.as_str())
        })
        .unwrap_or_default()
        .to_owned();
    if !hosts.welcome(&host) {
        return refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "Handrail does not answer under this name. Start it with --allow-host NAME.",
        );
    }
    let size = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len();
    if request.headers().iter().map(size).sum::<usize>() > MOST_HEADERS {
        return refuse(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "The headers of this request are larger than 16 KiB. Remove the cookies of this site, then try again.",
        );
    }
    let upgrade = request.headers().contains_key(header::UPGRADE);
    let safe = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    ) && !upgrade;
    if !safe && !from_our_page(request.headers(), &host) {
        return refuse(
            StatusCode::FORBIDDEN,
            "This request does not come from a page of Handrail. Reload the page.",
        );
    }
    next.run(request).await
}

/// Whether a browser says that a page of ours is asking. A script says nothing of the kind: it brings an access
/// token, which no browser sends by itself. Sockets are only for browsers and must say it.
fn from_our_page(headers: &HeaderMap, host: &str) -> bool {
    let text = |name: HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or("unreadable"))
    };
    if let Some(origin) = text(header::ORIGIN) {
        let named = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));
        return named.is_some_and(|named| named.eq_ignore_ascii_case(host));
    }
    match text(HeaderName::from_static("sec-fetch-site")) {
        Some(site) => matches!(site, "same-origin" | "none"),
        None => {
            headers.contains_key(header::AUTHORIZATION) && !headers.contains_key(header::UPGRADE)
        }
    }
}

/// What is answered when we fail in the middle of a request; what failed is in the log, told by whatever panicked.
pub fn own_fault(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a request made Handrail fail");
    let text = "Handrail failed at this. Load it again; if it goes on, the server's log says what to report.";
    (StatusCode::INTERNAL_SERVER_ERROR, text).into_response()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => host,
    }
}

fn refuse(status: StatusCode, text: &'static str) -> Response {
    (status, text).into_response()
}

/// Adds what every answer says to the browser. A page brings its own content security policy, with a
/// nonce; everything else may load nothing at all.
pub async fn add_headers(State(hsts): State<bool>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        (
            "permissions-policy",
            "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        ),
        (
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        ),
        ("cache-control", "no-store"),
    ] {
        headers
            .entry(HeaderName::from_static(name))
            .or_insert(HeaderValue::from_static(value));
    }
    if hsts {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000"),
        );
    }
    response
}

/// The policy of a page whose scripts carry `nonce`.
pub fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower::Service as _;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    #[test]
    fn only_our_own_names_and_addresses_are_answered() {
        let hosts = Hosts::new(&["box.lan".to_owned()]);
        for good in [
            "localhost:4100",
            "127.0.0.1:4100",
            "[::1]:4100",
            "192.168.0.7",
            "BOX.lan",
            "box.lan:80",
        ] {
            assert!(hosts.welcome(good), "{good}");
        }
        for bad in [
            "evil.example",
            "localhost.evil.example",
            "",
            "127.0.0.1.evil.example:4100",
        ] {
            assert!(!hosts.welcome(bad), "{bad}");
        }
    }

    #[tokio::test]
    async fn who_makes_us_fail_is_answered() {
        async fn fails() {
            panic!("on purpose");
        }
        let mut router = axum::Router::new()
            .route("/", axum::routing::get(fails))
            .layer(tower_http::catch_panic::CatchPanicLayer::custom(own_fault));
        let answer = router
            .call(Request::new(axum::body::Body::empty()))
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }

    #[test]
    fn a_foreign_page_is_told_apart_from_ours() {
        let host = "127.0.0.1:4100";
        for good in [
            headers(&[("origin", "http://127.0.0.1:4100")]),
            headers(&[("sec-fetch-site", "same-origin")]),
            headers(&[
                ("origin", "http://127.0.0.1:4100"),
                ("upgrade", "websocket"),
            ]),
            headers(&[("authorization", "Bearer x")]),
        ] {
            assert!(from_our_page(&good, host), "{good:?}");
        }
        for bad in [
            headers(&[("origin", "http://evil.example")]),
            headers(&[("origin", "null")]),
            headers(&[("origin", "http://127.0.0.1:4101")]),
            headers(&[("origin", "http://sub.127.0.0.1:4100")]),
            headers(&[("sec-fetch-site", "cross-site")]),
            headers(&[("sec-fetch-site", "same-site")]),
            headers(&[("upgrade", "websocket")]),
            headers(&[("upgrade", "websocket"), ("authorization", "Bearer x")]),
            headers(&[]),
        ] {
            assert!(!from_our_page(&bad, host), "{bad:?}");
        }
    }
}
