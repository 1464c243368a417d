//! Request checks: only Handrail's own pages, under its own host names, are accepted; and the security headers of every
//! response. This file exceeds the usual length, because all attacks share the raw requests and the expected values.
//!
//! The dialect of the backend does not matter: the checks precede its requests, and the headers are Handrail's own.

use crate::process::Process;
use crate::stage::quick;
use crate::tab::socket;
use futures_util::stream::{StreamExt, iter};
use handrail::backend::rehearsal::Rehearsal;
use reqwest::{Method, Response, header};
use std::net::SocketAddr;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Error;

struct House {
    _rehearsal: Rehearsal,
    _folder: TempDir,
    process: Process,
}

async fn house() -> House {
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let process = Process::start(folder.path(), rehearsal.addr()).await;
    House {
        _rehearsal: rehearsal,
        _folder: folder,
        process,
    }
}

async fn refusal(address: SocketAddr, origin: Option<&str>, host: Option<&str>) -> Option<u16> {
    match socket(address, origin, host).await {
        Ok(_) => None,
        Err(Error::Http(answer)) => Some(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn only_own_pages_open_a_socket() {
    let house = house().await;
    let address = house.process.address;
    let port = address.port();
    for good in [
        format!("http://127.0.0.1:{port}"),
        format!("HTTP://127.0.0.1:{port}").to_lowercase(),
    ] {
        assert_eq!(refusal(address, Some(&good), None).await, None, "{good}");
    }
    for bad in [
        None,
        Some("null"),
        Some(""),
        Some("http://evil.example"),
        Some("http://127.0.0.1"),
        Some("http://127.0.0.1:1"),
        Some(&*format!("http://evil.127.0.0.1:{port}")),
        Some(&*format!("http://127.0.0.1:{port}.evil.example")),
        Some(&*format!("http://127.0.0.1:{port}/")),
        Some(&*format!("ftp://127.0.0.1:{port}")),
        Some(&*format!("https://127.0.0.1:{port}")),
        Some(&*format!("http://localhost:{port}")),
    ] {
        assert_eq!(refusal(address, bad, None).await, Some(403), "{bad:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_page_requests_are_all_rendered() {
    let house = house().await;
    let (address, client) = (house.process.address, reqwest::Client::new());
    for (path, status) in [("", 200), ("no/such", 404), ("inbox", 200)] {
        let page = || async {
            let page = client.get(format!("http://{address}/{path}")).send().await;
            page.map(|page| page.status().as_u16())
        };
        let pages = iter(std::iter::repeat_with(page).take(200)).buffer_unordered(6);
        for answered in pages.collect::<Vec<_>>().await {
            assert_eq!(answered.expect("a response"), status, "/{path}");
        }
    }
}

#[tokio::test]
async fn a_foreign_host_name_is_refused() {
    let house = house().await;
    let address = house.process.address;
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
    ] {
        let origin = format!("http://{host}");
        assert_eq!(
            refusal(address, Some(&origin), Some(host)).await,
            Some(421),
            "{host}"
        );
        let page = reqwest::Client::new()
            .get(format!("http://{address}/"))
            .header(header::HOST, host);
        let page = page.send().await.expect("a response");
        assert_eq!(page.status(), 421, "{host}");
        assert!(page.text().await.expect("text").contains("--allow-host"));
    }
}

#[tokio::test]
async fn no_other_site_can_call_a_server_function() {
    let house = house().await;
    let address = house.process.address;
    let client = reqwest::Client::new();
    let functions: Vec<_> = leptos::server_fn::axum::server_fn_paths().collect();
    assert!(
        functions.len() > 20,
        "only {} functions were found",
        functions.len()
    );
    for (path, method) in functions {
        assert_eq!(
            method,
            Method::POST,
            "{path} is unsafe and must not be a GET"
        );
        for kind in [
            "application/x-www-form-urlencoded",
            "text/plain",
            "application/json",
            "multipart/form-data; boundary=x",
        ] {
            for (name, value) in [
                ("origin", "http://evil.example"),
                ("origin", "null"),
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-site", "same-site"),
            ] {
                let request = client
                    .post(format!("http://{address}{path}"))
                    .header(header::CONTENT_TYPE, kind)
                    .header(name, value)
                    .body("id=x");
                let answer = request.send().await.expect("a response");
                assert_eq!(
                    answer.status(),
                    403,
                    "{path} as {kind} with {name}: {value}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_get_request_calls_no_server_function() {
    let house = house().await;
    for (path, _) in leptos::server_fn::axum::server_fn_paths() {
        let answer = get(house.process.address, &format!("{path}?message=x&id=x")).await;
        assert!(
            answer.status().is_client_error(),
            "{path}: {}",
            answer.status()
        );
    }
}

async fn get(address: SocketAddr, path: &str) -> Response {
    let answer = reqwest::get(format!("http://{address}{path}")).await;
    answer.expect("a response")
}

fn text<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().expect("ASCII"))
}

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let house = house().await;
    for path in [
        "/",
        "/new",
        "/settings",
        "/c/none",
        "/no/such/page",
        "/healthz",
        "/readyz",
        "/live",
        "/pkg/none.js",
        "/c/none/event/1",
        "/c/none/trajectory.json",
        "/c/none/messages.json",
        "/c/..%2f..%2fetc/export.md",
        "/api/none",
    ] {
        let answer = get(house.process.address, path).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(text(&answer, name), value, "{path}: {name}");
        }
        let policy = text(&answer, "content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains('*'),
            "{path}: {policy}"
        );
        assert!(
            answer.headers().contains_key("permissions-policy"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_scripts_of_a_page_have_the_nonce_of_its_policy_which_is_unique() {
    let house = house().await;
    let mut nonces = Vec::new();
    for path in ["/", "/new", "/settings", "/"] {
        let page = get(house.process.address, path).await;
        assert_eq!(page.status(), 200, "{path}");
        let policy = text(&page, "content-security-policy").to_owned();
        let (_, rest) = policy.split_once("'nonce-").expect("pages have scripts");
        let (nonce, _) = rest.split_once('\'').expect("it is quoted");
        let html = page.text().await.expect("text");
        let mut scripts = 0;
        for tag in html.split("<script").skip(1) {
            let (tag, _) = tag.split_once('>').expect("tags end");
            assert!(
                tag.contains(&format!("nonce=\"{nonce}\"")),
                "{path}: <script{tag}>"
            );
            scripts += 1;
        }
        assert!(scripts > 0, "{path} has no script");
        assert!(
            !html.contains(" onclick=") && !html.contains(" style=\""),
            "{path}"
        );
        nonces.push(nonce.to_owned());
    }
    nonces.sort();
    nonces.dedup();
    assert_eq!(nonces.len(), 4, "a nonce is used once");
}

/// The status of the response to a raw request head, given without its final empty line.
async fn status(address: SocketAddr, head: &str) -> u16 {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let head = format!("{head}\r\n");
    stream
        .write_all(head.as_bytes())
        .await
        .expect("it receives");
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.expect("a response");
    let status = std::str::from_utf8(&first[9..]).expect("a status");
    status.parse().expect("a number")
}

/// Headers of a browser that contradict each other, or indicate a cross-site request.
fn contradictions(origin: &str) -> Vec<String> {
    let site = |site: &str| format!("sec-fetch-site: {site}\r\n");
    let ours = format!("origin: {origin}\r\n");
    let foreign = "origin: http://evil.example\r\n";
    vec![
        format!("{ours}{}", site("cross-site")),
        format!("{ours}{}", site("same-site")),
        format!("{ours}{}", site("nonsense")),
        format!("{ours}{}{}", site("same-origin"), site("cross-site")),
        format!("{ours}{foreign}"),
        format!("{foreign}{ours}"),
        format!("{foreign}{}", site("same-origin")),
        format!("{foreign}{}", site("none")),
        format!("origin: {}\r\n", origin.replace("http:", "https:")),
        format!(
            "origin: {}\r\n{}",
            origin.replace("http:", "https:"),
            site("same-origin")
        ),
        site("cross-site"),
    ]
}

#[tokio::test]
async fn contradictory_headers_are_refused() {
    let house = house().await;
    let address = house.process.address;
    let origin = format!("http://{address}");
    let upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let socket =
        |headers: &str| format!("GET /live HTTP/1.1\r\nhost: {address}\r\n{upgrade}{headers}");
    let form = |headers: &str| {
        format!("POST /api/none HTTP/1.1\r\nhost: {address}\r\ncontent-length: 0\r\n{headers}")
    };
    let good = format!("origin: {origin}\r\nsec-fetch-site: same-origin\r\n");
    assert_eq!(status(address, &socket(&good)).await, 101);
    assert_ne!(status(address, &form(&good)).await, 403);
    for bad in contradictions(&origin) {
        assert_eq!(status(address, &socket(&bad)).await, 403, "{bad}");
        assert_eq!(status(address, &form(&bad)).await, 403, "{bad}");
    }
    for bad in [
        "sec-fetch-site: same-origin\r\n",
        "sec-fetch-site: none\r\n",
        "authorization: Bearer x\r\n",
    ] {
        assert_eq!(status(address, &socket(bad)).await, 403, "{bad}");
    }
    // Two host names: one component could trust the first, another the second.
    for hosts in [
        format!("GET / HTTP/1.1\r\nhost: {address}\r\nhost: evil.example\r\n"),
        format!("GET http://evil.example/ HTTP/1.1\r\nhost: {address}\r\n"),
        format!("GET http://{address}/ HTTP/1.1\r\nhost: evil.example\r\n"),
    ] {
        let answer = status(address, &hosts).await;
        assert!(matches!(answer, 400 | 421), "{hosts}: {answer}");
    }
    let whole = format!("GET http://{address}/healthz HTTP/1.1\r\nhost: {address}\r\n");
    assert_eq!(status(address, &whole).await, 200);
    // A balancer names none.
    for (path, answer) in [("/healthz", 200), ("/readyz", 200), ("/", 421)] {
        let probe = format!("GET {path} HTTP/1.0\r\n");
        assert_eq!(status(address, &probe).await, answer, "{path}");
    }
}

#[tokio::test]
async fn behind_a_proxy_the_forwarded_scheme_decides_whether_an_origin_is_own() {
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let backend = format!("http://{}", rehearsal.addr());
    let options = ["--backend", &backend, "--trusted-proxy", "127.0.0.1"];
    let process = Process::of(crate::process::command(folder.path(), &options)).await;
    let address = process.address;
    for (forwarded, page, is_ours) in [
        ("https", "https", true),
        ("https", "http", false),
        ("http", "http", true),
        ("http", "https", false),
    ] {
        let request = format!(
            "POST /login HTTP/1.1\r\nhost: {address}\r\nx-forwarded-for: 203.0.113.9\r\nx-forwarded-proto: {forwarded}\r\n\
             origin: {page}://{address}\r\ncontent-length: 0\r\n"
        );
        let answer = status(address, &request).await;
        assert_eq!(answer != 403, is_ours, "{forwarded}, {page}: {answer}");
    }
}

#[tokio::test]
async fn a_tunnel_that_replaces_host_works_if_it_says_what_it_was() {
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let backend = format!("http://{}", rehearsal.addr());
    let options = [
        "--backend",
        &backend,
        "--trusted-proxy",
        "127.0.0.1",
        "--allow-host",
        "db.example.com",
    ];
    let process = Process::of(crate::process::command(folder.path(), &options)).await;
    let address = process.address;
    for (forwarded, page, is_ours) in [
        (
            "x-forwarded-host: db.example.com\r\n",
            "db.example.com",
            true,
        ),
        (
            "x-forwarded-host: db.example.com\r\n",
            "evil.example",
            false,
        ),
        ("x-forwarded-host: evil.example\r\n", "evil.example", false),
        ("", "db.example.com", false),
    ] {
        let request = format!(
            "POST /login HTTP/1.1\r\nhost: {address}\r\nx-forwarded-for: 203.0.113.9\r\nx-forwarded-proto: https\r\n\
             {forwarded}origin: https://{page}\r\ncontent-length: 0\r\n"
        );
        let answer = status(address, &request).await;
        assert_eq!(answer != 403, is_ours, "{forwarded}, {page}: {answer}");
    }
}

#[tokio::test]
async fn malformed_requests_are_client_errors() {
    let house = house().await;
    let address = house.process.address;
    let client = reqwest::Client::new();
    let bodies = [
        ("application/x-www-form-urlencoded", ""),
        (
            "application/x-www-form-urlencoded",
            "nonsense=1&id=%ff&row=x&settings[model]=1&settings=2",
        ),
        ("application/json", ""),
        ("application/json", "{"),
        ("application/json", "[1]"),
        ("application/json", "{\"id\": 7}"),
        ("text/plain", "id=x"),
        ("multipart/form-data; boundary=x", "--x--"),
    ];
    let mut requests = 0;
    for (path, _) in leptos::server_fn::axum::server_fn_paths() {
        for (kind, body) in bodies {
            let request = client
                .post(format!("http://{address}{path}"))
                .header(header::CONTENT_TYPE, kind)
                .header(header::ORIGIN, format!("http://{address}"))
                .body(body);
            let answer = request.send().await.expect("a response");
            assert!(
                answer.status().as_u16() < 500,
                "{path}, {kind}, {body}: {}",
                answer.status()
            );
            requests += 1;
        }
    }
    assert!(requests > 200, "{requests}");
}
