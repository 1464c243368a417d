//! Who is let in: pages of ours, under our names, and nobody else; and what every answer forbids.

use crate::process::Process;
use crate::stage::quick;
use crate::tab::socket;
use futures_util::stream::{StreamExt, iter};
use handrail::backend::rehearsal::Rehearsal;
use reqwest::{Method, Response, header};
use std::net::SocketAddr;
use tempfile::TempDir;
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
async fn a_socket_is_opened_by_our_own_pages_only() {
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
        Some(&*format!("http://localhost:{port}")),
    ] {
        assert_eq!(refusal(address, bad, None).await, Some(403), "{bad:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_that_are_wanted_at_the_same_time_are_all_drawn() {
    let house = house().await;
    let (address, client) = (house.process.address, reqwest::Client::new());
    for (path, status) in [("", 200), ("no/such", 404), ("inbox", 200)] {
        let page = || async {
            let page = client.get(format!("http://{address}/{path}")).send().await;
            page.map(|page| page.status().as_u16())
        };
        let pages = iter(std::iter::repeat_with(page).take(200)).buffer_unordered(6);
        for answered in pages.collect::<Vec<_>>().await {
            assert_eq!(answered.expect("an answer"), status, "/{path}");
        }
    }
}

#[tokio::test]
async fn a_foreign_name_for_us_is_refused() {
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
        let page = page.send().await.expect("it answers");
        assert_eq!(page.status(), 421, "{host}");
        assert!(page.text().await.expect("text").contains("--allow-host"));
    }
}

#[tokio::test]
async fn no_other_site_can_call_any_server_function() {
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
                let answer = request.send().await.expect("it answers");
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
async fn a_get_calls_no_server_function() {
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
    answer.expect("it answers")
}

fn text<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().expect("it is ASCII"))
}

#[tokio::test]
async fn every_answer_tells_the_browser_what_it_must_not_do() {
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
async fn the_scripts_of_a_page_carry_the_nonce_of_its_policy_and_no_page_that_of_another() {
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
