//! Guards for every route: checks of the Host and Origin headers, and security headers on responses.
//!
//! Leptos checks neither Origin nor Host, and any site can post a form to this server. Every unsafe request and
//! every WebSocket must therefore come from a page of this origin (scheme, name and port), and the Host header must
//! be an allowed name (against DNS rebinding). The layers wrap the whole router, so new routes are covered, too.

use super::host_names::{HostNames, host_of};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::any::Any;

/// Size limit of all headers of a request together, in bytes.
const MOST_HEADERS: usize = 16 * 1024;

/// Whether a balancer looks, which sends no Host header, as no browser does.
fn is_probe(request: &Request) -> bool {
    let path = request.uri().path();
    !request.headers().contains_key(header::HOST)
        && request.uri().authority().is_none()
        && ["/healthz", "/readyz"]
            .iter()
            .any(|probe| path.ends_with(probe))
}

/// Rejects requests with a foreign Host header, and unsafe requests from pages of other origins.
pub async fn check_origin(
    State(host_names): State<HostNames>,
    request: Request,
    next: Next,
) -> Response {
    let host = host_of(&request).unwrap_or_default().to_owned();
    if !host_names.allows(&host) && !is_probe(&request) {
        return refuse(
            StatusCode::MISDIRECTED_REQUEST,
            "Handrail does not accept this host name. Start it with --allow-host NAME.",
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
    if !safe && !from_our_page(request.headers(), &host_names.origin(&request, &host)) {
        let advice = advice(request.headers(), &host);
        return refuse(StatusCode::FORBIDDEN, advice);
    }
    next.run(request).await
}

/// What to do about a request that seems to come from a foreign page.
fn advice(headers: &HeaderMap, host: &str) -> &'static str {
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    let named = origin.and_then(|origin| origin.split_once("://"));
    match named {
        // A tunnel has replaced the name, or it is a foreign page indeed.
        Some((_, name)) if !name.eq_ignore_ascii_case(host) => {
            "This request does not come from a Handrail page: its Origin header names another host than its Host header. \
             Reload the page. If a proxy or tunnel is in between, let it pass the Host header on as the browser sent it \
             (Cloudflare: remove httpHostHeader; ngrok: remove host-header), and start Handrail with --allow-host NAME."
        }
        _ => {
            "This request does not come from a Handrail page. Reload the page. Behind a proxy with TLS, start \
             Handrail with --trusted-proxy ADDRESS and let the proxy send X-Forwarded-Proto."
        }
    }
}

/// Whether a request comes from a page of this origin, by the browser's headers. A script sends no such headers; it is
/// accepted with an Authorization header, which no browser sends on its own. WebSockets must have the headers.
///
/// All headers must agree, because those of a browser never contradict each other.
fn from_our_page(headers: &HeaderMap, ours: &str) -> bool {
    let text = |name: HeaderName| {
        let mut lines = headers.get_all(name).iter();
        let line = lines.next()?.to_str().unwrap_or("unreadable");
        Some(if lines.next().is_some() {
            "said twice"
        } else {
            line
        })
    };
    let is_socket = headers.contains_key(header::UPGRADE);
    let origin = text(header::ORIGIN);
    let fits = origin.is_none_or(|origin| origin.eq_ignore_ascii_case(ours));
    match text(HeaderName::from_static("sec-fetch-site")) {
        Some("same-origin") => fits && (origin.is_some() || !is_socket),
        // No page: a user typed the address. A browser never opens a WebSocket that way.
        Some("none") => fits && !is_socket,
        Some(_) => false,
        None if origin.is_some() => fits,
        None => headers.contains_key(header::AUTHORIZATION) && !is_socket,
    }
}

/// The response after a panic; the panic hook has logged the cause.
pub fn own_fault(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a request handler panicked");
    let text =
        "Internal error. Reload the page; if it happens again, the server log says what to report.";
    (StatusCode::INTERNAL_SERVER_ERROR, text).into_response()
}

fn refuse(status: StatusCode, text: &'static str) -> Response {
    (status, text).into_response()
}

/// Adds the security headers to every response. A page has its own content security policy with a nonce; other
/// responses may load nothing.
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

/// The content security policy of a page whose scripts carry `nonce`.
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

    #[tokio::test]
    async fn what_changes_something_and_every_socket_comes_from_our_page() {
        async fn done() {}
        let host_names = HostNames::new(&[], false, crate::server::proxies::Proxies::default());
        let mut router = axum::Router::new()
            .route("/", axum::routing::any(done))
            .layer(axum::middleware::from_fn_with_state(
                host_names,
                check_origin,
            ));
        let mut status =
            async |method: Method, host: &str, others: &[(&'static str, &'static str)]| {
                let mut request = Request::new(axum::body::Body::empty());
                *request.method_mut() = method;
                *request.headers_mut() = headers(others);
                let host = HeaderValue::from_str(host).expect("plain");
                request.headers_mut().insert(header::HOST, host);
                router.call(request).await.unwrap().status().as_u16()
            };
        let foreign = [("origin", "http://evil.example")];
        let ours = [("origin", "http://localhost")];
        let socket = [("origin", "http://evil.example"), ("upgrade", "websocket")];
        assert_eq!(status(Method::GET, "localhost", &foreign).await, 200);
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert_eq!(status(method.clone(), "localhost", &foreign).await, 403);
            assert_eq!(status(method, "localhost", &ours).await, 200);
        }
        assert_eq!(status(Method::GET, "localhost", &socket).await, 403);
        assert_eq!(status(Method::GET, "evil.example", &[]).await, 421);
    }

    #[test]
    fn advice_names_the_host_header_where_a_tunnel_has_rewritten_it() {
        let rewritten = headers(&[("origin", "https://db.example.com")]);
        assert!(advice(&rewritten, "127.0.0.1:4100").contains("Host header"));
        let no_tls = headers(&[("origin", "https://db.example.com")]);
        assert!(advice(&no_tls, "db.example.com").contains("X-Forwarded-Proto"));
        assert!(advice(&headers(&[]), "db.example.com").contains("--trusted-proxy"));
    }

    #[test]
    fn a_foreign_page_is_told_apart_from_ours() {
        let ours = "http://127.0.0.1:4100";
        for good in [
            headers(&[("origin", "http://127.0.0.1:4100")]),
            headers(&[("sec-fetch-site", "same-origin")]),
            headers(&[
                ("origin", "http://127.0.0.1:4100"),
                ("upgrade", "websocket"),
            ]),
            headers(&[("authorization", "Bearer x")]),
            headers(&[
                ("origin", "HTTP://127.0.0.1:4100"),
                ("sec-fetch-site", "same-origin"),
                ("upgrade", "websocket"),
            ]),
            headers(&[("sec-fetch-site", "none")]),
        ] {
            assert!(from_our_page(&good, ours), "{good:?}");
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
            headers(&[("origin", "https://127.0.0.1:4100")]),
            headers(&[("origin", "127.0.0.1:4100")]),
            headers(&[
                ("origin", "http://127.0.0.1:4100"),
                ("sec-fetch-site", "cross-site"),
            ]),
            headers(&[
                ("origin", "http://127.0.0.1:4100"),
                ("sec-fetch-site", "same-site"),
            ]),
            headers(&[
                ("origin", "http://evil.example"),
                ("sec-fetch-site", "same-origin"),
            ]),
            headers(&[("sec-fetch-site", "same-origin"), ("upgrade", "websocket")]),
            headers(&[("sec-fetch-site", "none"), ("upgrade", "websocket")]),
            headers(&[
                ("sec-fetch-site", "cross-site"),
                ("authorization", "Bearer x"),
            ]),
        ] {
            assert!(!from_our_page(&bad, ours), "{bad:?}");
        }
        let mut twice = headers(&[("origin", ours)]);
        twice.append(
            header::ORIGIN,
            HeaderValue::from_static("http://evil.example"),
        );
        assert!(!from_our_page(&twice, ours));
    }
}
