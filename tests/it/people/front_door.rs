//! The first visit, running below a base path, and TLS.
//!
//! The dialect of the backend does not matter: no request here reaches it.

use super::house::{House, PASSWORD, client};
use crate::process::Served;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, header};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn before_set_up_only_this_machine_gets_only_the_set_up_page() {
    let served = Served::start().await;
    let client = client();
    let address = served.process.address;
    let ask = |path: &str, forwarded: bool| {
        let mut request = client
            .get(format!("http://{address}{path}"))
            .header(header::ACCEPT, "text/html");
        if forwarded {
            request = request.header("x-forwarded-for", "127.0.0.1");
        }
        request.send()
    };
    for path in ["/", "/settings", "/c/none", "/people"] {
        let here = ask(path, false).await.expect("a response");
        assert_eq!(
            (here.status(), &here.headers()[header::LOCATION]),
            (StatusCode::SEE_OTHER, &"/set-up".parse().expect("ASCII"))
        );
        assert_eq!(
            ask(path, true).await.expect("a response").status(),
            403,
            "{path}"
        );
    }
    assert_eq!(
        ask("/set-up", false).await.expect("a response").status(),
        200
    );
    assert_eq!(
        ask("/set-up", true).await.expect("a response").status(),
        403
    );
    assert_eq!(
        ask("/healthz", true).await.expect("a response").status(),
        200
    );
    // Any header of a proxy means that the client is not local.
    for name in [
        "forwarded",
        "via",
        "x-real-ip",
        "x-forwarded-proto",
        "x-forwarded-port",
        "x-forwarded-server",
        "x-forwarded-prefix",
        "x-forwarded-host",
        "x-original-forwarded-for",
        "cf-connecting-ip",
        "true-client-ip",
    ] {
        let request = client.get(format!("http://{address}/set-up"));
        let answer = request.header(name, "https").send().await;
        assert_eq!(answer.expect("a response").status(), 403, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn below_a_base_path_all_urls_include_it_and_a_listed_proxy_is_trusted() {
    let arguments = ["--base", "/a/b/", "--trusted-proxy", "127.0.0.1"];
    let served = Served::start_with(&arguments).await;
    let house = House {
        served,
        client: client(),
    };
    let location = |answer: &Response| {
        answer.headers()[header::LOCATION]
            .to_str()
            .expect("ASCII")
            .to_owned()
    };
    let page = async |path: &str| {
        let address = house.served.process.address;
        let request = house
            .client
            .get(format!("http://{address}{path}"))
            .header(header::ACCEPT, "text/html");
        request.send().await.expect("a response")
    };
    assert_eq!(page("/healthz").await.status(), 200);
    assert_eq!(page("/c/1").await.status(), 404);
    assert_eq!(location(&page("/a/b").await), "/a/b/");
    assert_eq!(location(&page("/a/b/c/1?panel=files").await), "/a/b/set-up");
    let code = std::fs::read_to_string(house.served.folder.path().join("set-up-code"))
        .expect("it is offered");
    let form = [
        ("code", code.trim()),
        ("name", "ada"),
        ("password", PASSWORD),
    ];
    let made = house.post("/a/b/set-up", None, &form).await;
    assert_eq!(
        (made.status(), location(&made)),
        (StatusCode::SEE_OTHER, "/a/b/".to_owned())
    );
    assert!(
        made.headers()[header::SET_COOKIE]
            .to_str()
            .expect("ASCII")
            .contains("Path=/a/b/")
    );
    let next = "/a/b/login?next=%2Fa%2Fb%2Fc%2F1%3Fpanel%3Dfiles";
    assert_eq!(location(&page("/a/b/c/1?panel=files").await), next);
    let html = page("/a/b/login").await.text().await.expect("text");
    assert!(
        html.contains("action=\"/a/b/login\"") && !html.contains("href=\"/pkg"),
        "{html}"
    );
    let address = house.served.process.address;
    let log_in = house
        .client
        .post(format!("http://{address}/a/b/login"))
        .header(header::ORIGIN, format!("https://{address}"))
        .header("x-forwarded-for", "203.0.113.9")
        .header("x-forwarded-proto", "https")
        .form(&[("name", "ada"), ("password", PASSWORD)])
        .send();
    let answer = log_in.await.expect("a response");
    let cookie = answer.headers()[header::SET_COOKIE]
        .to_str()
        .expect("ASCII");
    assert!(
        cookie.starts_with("__Host-handrail=")
            && cookie.ends_with("Path=/; HttpOnly; SameSite=Lax; Secure"),
        "{cookie}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_works_and_a_changed_certificate_is_reloaded() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let served = Served::start_in(
        folder,
        &["--tls"],
        &["tls", "init", "localhost", "127.0.0.1"],
    )
    .await;
    let address = served.process.address;
    let tls = served.folder.path().join("tls");
    let ask = async || {
        let authority = std::fs::read(tls.join("authority.pem")).expect("it was created");
        let authority = reqwest::Certificate::from_pem(&authority).expect("it is one");
        let client = Client::builder()
            .redirect(Policy::none())
            .add_root_certificate(authority);
        let client = client
            .tls_built_in_root_certs(false)
            .build()
            .expect("a client");
        client.get(format!("https://{address}/login")).send().await
    };
    let page = ask().await.expect("it is trusted");
    assert_eq!(page.status(), 200);
    assert!(
        !page
            .headers()
            .contains_key(header::STRICT_TRANSPORT_SECURITY)
    );
    served.run(&["tls", "init", "localhost", "127.0.0.1"]).await;
    crate::stage::soon("the new certificate is served", async || ask().await.ok()).await;
    let plain = Client::new()
        .get(format!("http://{address}/login"))
        .send()
        .await;
    assert!(plain.is_err(), "plain HTTP gets no response");
}
