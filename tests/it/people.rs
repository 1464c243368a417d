//! Who is let in where: every route and function, every role, every state of a login; and that a right
//! which is taken away is gone at once.

use crate::process::Served;
use crate::tab::socket_as;
use futures_util::StreamExt;
use handrail::people::{Right, Role};
use handrail::server::{Need, every_route, needed};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, header};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tokio_tungstenite::tungstenite::Message;

const PASSWORD: &str = "correct horse";

/// What each server function needs. A new one that is not here fails the test below.
const FUNCTIONS: [(Right, &[&str]); 4] = [
    (
        Right::Read,
        &[
            "list_conversations",
            "read_inbox",
            "open_conversation",
            "older_rows",
            "whole_row",
            "search_rows",
            "retry_line",
            "draft",
            "list_files",
            "read_file",
            "list_changes",
            "read_change",
            "list_microagents",
            "read_me",
            "read_account",
            "change_password",
            "end_device",
            "end_other_devices",
            "make_token",
            "end_token",
        ],
    ),
    (Right::Answer, &["answer_confirmation"]),
    (
        Right::Operate,
        &[
            "create_conversation",
            "rename_conversation",
            "delete_conversation",
            "start_conversation",
            "stop_conversation",
            "send_message",
            "send_message_with",
            "settle_message",
            "steer",
            "keep_draft",
            "share_conversation",
        ],
    ),
    (
        Right::Own,
        &[
            "read_settings",
            "save_settings",
            "add_mcp_server",
            "remove_mcp_server",
            "save_secret",
            "delete_secret",
            "read_connection",
            "test_connection",
            "save_connection",
            "read_people",
            "add_person",
            "change_role",
            "disable_person",
            "reset_password",
            "clear_lock",
            "read_audit",
        ],
    ),
];

/// Arguments that every function understands: each takes what it wants. Nothing in here exists.
const ARGUMENTS: [(&str, &str); 36] = [
    ("id", "none"),
    ("search", ""),
    ("text", "x"),
    ("row", "1"),
    ("limit", "1"),
    ("message", ""),
    ("title", "x"),
    ("client_id", "x"),
    ("again", "true"),
    ("token", "x"),
    ("decision", "approve"),
    ("reason", ""),
    ("order", "pause"),
    ("directory", ""),
    ("path", "x"),
    ("old", "wrong guess"),
    ("new", "wrong guess"),
    ("number", "0"),
    ("name", "-"),
    ("role", "viewer"),
    ("days", "0"),
    ("password", "short"),
    ("disabled", "true"),
    ("subject", "x"),
    ("kind", "x"),
    ("address", "x"),
    ("value", ""),
    ("description", ""),
    ("host", ""),
    ("port", "0"),
    ("key", ""),
    ("action", ""),
    ("conversation", ""),
    ("settings[model]", "x"),
    ("audience", "all"),
    ("names", ""),
];

/// A Handrail with one person of each role.
struct House {
    served: Served,
    client: Client,
}

/// Follows no redirection, and uses no connection twice: who is refused before all was said is hung up on.
fn client() -> Client {
    let builder = Client::builder()
        .redirect(Policy::none())
        .pool_max_idle_per_host(0);
    builder.build().expect("nothing unusual")
}

impl House {
    async fn new() -> Self {
        let served = Served::start().await;
        let client = client();
        let house = Self { served, client };
        let code = std::fs::read_to_string(house.served.folder.path().join("set-up-code"))
            .expect("it is offered");
        let form = [
            ("code", code.trim()),
            ("name", "owner"),
            ("password", PASSWORD),
        ];
        assert_eq!(house.post("/set-up", None, &form).await.status(), 303);
        let owner = house.log_in("owner").await;
        for role in Role::ALL.into_iter().filter(|role| *role != Role::Owner) {
            let form = [
                ("name", role.word()),
                ("role", role.word()),
                ("password", PASSWORD),
            ];
            let added = house
                .post(&path_of("add_person"), Some(&owner), &form)
                .await;
            assert_eq!(added.status(), 200, "{role}");
        }
        house
    }

    /// The cookie of a new login.
    async fn log_in(&self, name: &str) -> String {
        let answer = self
            .post("/login", None, &[("name", name), ("password", PASSWORD)])
            .await;
        assert_eq!(answer.status(), 303, "{name}");
        let cookie = answer.headers()[header::SET_COOKIE]
            .to_str()
            .expect("it is ASCII");
        for word in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(cookie.contains(word), "{cookie}");
        }
        cookie.split(';').next().expect("it has a value").to_owned()
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        cookie: Option<&str>,
        form: &[(&str, &str)],
    ) -> Response {
        let request = self.request(method, path, cookie, form);
        request.send().await.expect("it answers")
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        cookie: Option<&str>,
        form: &[(&str, &str)],
    ) -> RequestBuilder {
        let address = self.served.process.address;
        let mut request = self
            .client
            .request(method.clone(), format!("http://{address}{path}"))
            .header(header::ORIGIN, format!("http://{address}"))
            .header(header::ACCEPT, "application/json");
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        if method == Method::POST {
            request = if JSON.iter().any(|name| path == path_of(name)) {
                request.json(&json_of(form))
            } else {
                request.form(form)
            };
        }
        request
    }

    async fn post(&self, path: &str, cookie: Option<&str>, form: &[(&str, &str)]) -> Response {
        self.ask(Method::POST, path, cookie, form).await
    }

    async fn get(&self, path: &str, cookie: Option<&str>) -> Response {
        self.ask(Method::GET, path, cookie, &[]).await
    }
}

/// Functions that take their arguments as JSON.
const JSON: [&str; 2] = ["older_rows", "send_message_with"];

fn json_of(form: &[(&str, &str)]) -> serde_json::Value {
    let fields: BTreeMap<&str, &str> = form.iter().copied().collect();
    let mut json =
        serde_json::json!({ "limit": 1, "before": null, "kind": null, "images": [], "files": [] });
    for name in ["id", "text", "client_id"] {
        json[name] = fields.get(name).copied().unwrap_or_default().into();
    }
    json
}

/// The path of a server function.
fn path_of(name: &str) -> String {
    let paths = every_route().into_iter().map(|(_, path)| path);
    let mut ours = paths.filter(|path| name_of(path) == Some(name));
    ours.next()
        .unwrap_or_else(|| panic!("there is no function {name}"))
}

/// The name of the function at a path: what is behind it is a number.
fn name_of(path: &str) -> Option<&str> {
    let name = path.strip_prefix("/api/")?;
    Some(name.trim_end_matches(|letter: char| letter.is_ascii_digit()))
}

/// What a route needs, functions too.
fn need_of(path: &str) -> Need {
    let Some(name) = name_of(path) else {
        return needed(path);
    };
    let found = FUNCTIONS.iter().find(|(_, names)| names.contains(&name));
    let (right, _) =
        found.unwrap_or_else(|| panic!("{name} is a new function: say here what it needs"));
    Need::May(*right)
}

/// A path that fits a pattern.
fn filled(pattern: &str) -> String {
    pattern
        .replace("{id}", "none")
        .replace("{seq}", "1")
        .replace("{number}", "0")
        .replace("{*name}", "none.js")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_lets_in_whom_it_should_and_nobody_else() {
    let house = House::new().await;
    let ended = house.log_in("owner").await;
    assert_eq!(house.post("/logout", Some(&ended), &[]).await.status(), 303);
    let another = house.log_in("viewer").await;
    let strangers = [
        ("no cookie", None),
        ("a login that has ended", Some(ended.clone())),
        (
            "a made up cookie",
            Some("handrail=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        ),
        ("two cookies", Some(format!("{another}; {another}"))),
        (
            "a huge cookie",
            Some(format!("handrail={}", "x".repeat(7_000))),
        ),
    ];
    // Logging out comes last: it ends what the others need.
    let mut routes = every_route();
    routes.sort_by_key(|(_, path)| path == "/logout");
    let (mut asked, mut right) = (0, 0);
    let mut wrong = Vec::new();
    let mut check = |what: String, status: StatusCode, wanted: Option<StatusCode>| {
        asked += 1;
        let fits = match wanted {
            Some(wanted) => status == wanted,
            None => status != StatusCode::UNAUTHORIZED && status != StatusCode::FORBIDDEN,
        };
        if fits {
            right += 1;
        } else {
            wrong.push(format!("{what}: {status}"));
        }
    };
    for (who, cookie) in &strangers {
        for (method, path) in &routes {
            // Wrong words at the login are a refusal of their own: see its tests.
            if path == "/login" {
                continue;
            }
            let answer = house
                .ask(method.clone(), &filled(path), cookie.as_deref(), &ARGUMENTS)
                .await;
            let wanted = match need_of(path) {
                Need::Open => None,
                Need::NoOwner => Some(StatusCode::NOT_FOUND),
                Need::May(_) => Some(StatusCode::UNAUTHORIZED),
            };
            check(
                format!("{method} {path} with {who}"),
                answer.status(),
                wanted,
            );
        }
    }
    for role in Role::ALL {
        let cookie = house.log_in(role.word()).await;
        for (method, path) in routes.iter().filter(|(_, path)| path != "/login") {
            let answer = house
                .ask(method.clone(), &filled(path), Some(&cookie), &ARGUMENTS)
                .await;
            let wanted = match need_of(path) {
                Need::Open => None,
                Need::NoOwner => Some(StatusCode::NOT_FOUND),
                Need::May(right) => (!role.may(right)).then_some(StatusCode::FORBIDDEN),
            };
            check(
                format!("{method} {path} as {role}"),
                answer.status(),
                wanted,
            );
        }
    }
    eprintln!("{right} of {asked}, over {} routes", routes.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    let known: usize = FUNCTIONS.iter().map(|(_, names)| names.len()).sum();
    let there = routes
        .iter()
        .filter(|(_, path)| name_of(path).is_some())
        .count();
    assert_eq!(known, there, "a function is gone: take it out of the table");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn until_somebody_is_owner_only_this_machine_is_served_and_only_the_set_up() {
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
        let here = ask(path, false).await.expect("it answers");
        assert_eq!(
            (here.status(), &here.headers()[header::LOCATION]),
            (StatusCode::SEE_OTHER, &"/set-up".parse().expect("ASCII"))
        );
        assert_eq!(
            ask(path, true).await.expect("it answers").status(),
            403,
            "{path}"
        );
    }
    assert_eq!(
        ask("/set-up", false).await.expect("it answers").status(),
        200
    );
    assert_eq!(
        ask("/set-up", true).await.expect("it answers").status(),
        403
    );
    assert_eq!(
        ask("/healthz", true).await.expect("it answers").status(),
        200
    );
}

/// How long until the line of this cookie is closed because its login has ended.
async fn until_closed(house: &House, cookie: &str, end: impl AsyncFnOnce()) -> Duration {
    let mut socket = socket_as(house.served.process.address, cookie)
        .await
        .expect("it is let in");
    let pong = Message::text("\"ping\"");
    futures_util::SinkExt::send(&mut socket, pong)
        .await
        .expect("it is open");
    assert!(matches!(socket.next().await, Some(Ok(Message::Text(_)))));
    end().await;
    let since = Instant::now();
    loop {
        match socket
            .next()
            .await
            .expect("it says why")
            .expect("it is no fault")
        {
            Message::Close(Some(frame)) => {
                assert_eq!(u16::from(frame.code), 4401, "{frame:?}");
                return since.elapsed();
            }
            _ => continue,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_is_closed_within_a_second_when_its_login_ends() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let mut took = Vec::new();
    for (name, fields) in [
        (
            "change_role",
            vec![("name", "operator"), ("role", "approver")],
        ),
        (
            "reset_password",
            vec![("name", "operator"), ("password", PASSWORD)],
        ),
        (
            "disable_person",
            vec![("name", "operator"), ("disabled", "true")],
        ),
    ] {
        let cookie = house.log_in("operator").await;
        let end = async || {
            let ended = house.post(&path_of(name), Some(&owner), &fields).await;
            assert_eq!(ended.status(), 200, "{name}");
        };
        took.push((name, until_closed(&house, &cookie, end).await));
        assert_eq!(house.get("/", Some(&cookie)).await.status(), 401, "{name}");
    }
    let cookie = house.log_in("viewer").await;
    let end = async || {
        assert_eq!(
            house.post("/logout", Some(&cookie), &[]).await.status(),
            303
        )
    };
    took.push(("logout", until_closed(&house, &cookie, end).await));
    let (here, there) = (
        house.log_in("approver").await,
        house.log_in("approver").await,
    );
    let end = async || {
        let fields = [("old", PASSWORD), ("new", "battery staple")];
        let changed = house
            .post(&path_of("change_password"), Some(&here), &fields)
            .await;
        assert_eq!(changed.status(), 200);
        assert!(
            changed.headers().contains_key(header::SET_COOKIE),
            "it gets another secret"
        );
    };
    took.push(("change_password", until_closed(&house, &there, end).await));
    let cookie = house.log_in("viewer").await;
    let end = async || house.served.run(&["user", "disable", "viewer"]).await;
    took.push(("the command line", until_closed(&house, &cookie, end).await));
    eprintln!("{took:?}");
    for (what, took) in took {
        assert!(took < Duration::from_secs(1), "{what}: {took:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_comes_with_a_token_and_needs_no_page() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let fields = [("name", "a script"), ("role", "viewer"), ("days", "1")];
    let made = house
        .post(&path_of("make_token"), Some(&operator), &fields)
        .await;
    let token: String = made.json().await.expect("it is a text");
    let address = house.served.process.address;
    let call = |name: &str, token: String| {
        house
            .client
            .post(format!("http://{address}{}", path_of(name)))
            .bearer_auth(token)
            .form(&[("search", ""), ("id", "none"), ("order", "stop")])
            .send()
    };
    let status = async |name: &str, token: &str| {
        call(name, token.to_owned())
            .await
            .expect("it answers")
            .status()
    };
    assert_eq!(status("list_conversations", &token).await, 200);
    assert_eq!(status("steer", &token).await, 403);
    assert_eq!(status("list_conversations", "handrail_x").await, 401);
    // Without a token or a word of a browser nobody knows who asks, cookie or not.
    let bare = house
        .client
        .post(format!("http://{address}{}", path_of("read_me")))
        .header(header::COOKIE, &operator);
    assert_eq!(bare.send().await.expect("it answers").status(), 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_leads_to_a_path_of_ours_and_nowhere_else() {
    let house = House::new().await;
    for (next, leads) in [
        ("/c/none?panel=files", "/c/none?panel=files"),
        ("//evil", "/"),
        ("\\\\evil", "/"),
        ("https:///a%40b", "/"),
        ("javascript:alert(1)", "/"),
    ] {
        let form = [("name", "viewer"), ("password", PASSWORD), ("next", next)];
        let answer = house.post("/login", None, &form).await;
        assert_eq!(answer.headers()[header::LOCATION], leads, "{next}");
    }
    let huge = "x".repeat(10 * 1024 * 1024);
    let form = [("name", "viewer"), ("password", huge.as_str())];
    let request = house.request(Method::POST, "/login", None, &form);
    // Without an answer the server has hung up before it had heard all of it.
    if let Ok(answer) = request.send().await {
        assert!(answer.status().is_client_error(), "{}", answer.status());
    }
    for round in 0..6 {
        let answer = house
            .post(
                "/login",
                None,
                &[("name", "ghost"), ("password", "\0\u{fffd}")],
            )
            .await;
        let wanted = if round < 5 { 401 } else { 429 };
        assert_eq!(answer.status(), wanted, "{round}");
        assert_eq!(
            answer.headers().contains_key(header::RETRY_AFTER),
            wanted == 429
        );
        assert!(!answer.headers().contains_key(header::SET_COOKIE));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn below_a_path_everything_is_below_it_and_a_listed_proxy_is_believed() {
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
        request.send().await.expect("it answers")
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
        .header(header::ORIGIN, format!("http://{address}"))
        .header("x-forwarded-for", "203.0.113.9")
        .header("x-forwarded-proto", "https")
        .form(&[("name", "ada"), ("password", PASSWORD)])
        .send();
    let answer = log_in.await.expect("it answers");
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
async fn over_tls_everything_works_and_the_certificate_is_read_again_when_it_changes() {
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
        let authority = std::fs::read(tls.join("authority.pem")).expect("it was made");
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
    let page = ask().await.expect("it is believed");
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
    assert!(plain.is_err(), "nothing is said in the clear");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_that_is_not_for_somebody_is_not_there_for_them_in_any_way() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let (operator, stranger) = (
        house.log_in("operator").await,
        house.log_in("approver").await,
    );
    let begin = [("message", "[[scenario:confirm]] a very private matter")];
    let made = house
        .post(&path_of("create_conversation"), Some(&operator), &begin)
        .await;
    let id: String = made.json().await.expect("it is an id");
    let share = async |audience: &str, names: &str, cookie: &str| {
        let fields = [
            ("id", id.as_str()),
            ("audience", audience),
            ("names", names),
        ];
        house
            .post(&path_of("share_conversation"), Some(cookie), &fields)
            .await
            .status()
    };
    assert_eq!(share("starter", "", &operator).await, 200);
    let arguments: Vec<(&str, &str)> = ARGUMENTS
        .iter()
        .map(|(name, value)| (*name, if *name == "id" { id.as_str() } else { *value }))
        .collect();
    let role = house.log_in("owner").await;
    let fields = [("name", "approver"), ("role", "operator")];
    assert_eq!(
        house
            .post(&path_of("change_role"), Some(&role), &fields)
            .await
            .status(),
        200
    );
    drop(stranger);
    let stranger = house.log_in("approver").await;
    let (mut asked, mut routes) = (0, every_route());
    routes.retain(|(_, path)| path != "/logout" && path != "/login");
    for (method, path) in &routes {
        let answer = house
            .ask(
                method.clone(),
                &path
                    .replace("{id}", &id)
                    .replace("{seq}", "1")
                    .replace("{number}", "0")
                    .replace("{*name}", "none.js"),
                Some(&stranger),
                &arguments,
            )
            .await;
        let status = answer.status();
        if path.contains("{id}") {
            assert_eq!(status, 404, "{method} {path}");
        }
        let text = answer.text().await.expect("text");
        assert!(
            !text.contains("private matter") && !text.contains("confirm me"),
            "{method} {path}: {text}"
        );
        asked += 1;
    }
    eprintln!("hidden in {asked} of {}", routes.len());
    let still = house.get(&format!("/c/{id}"), Some(&operator)).await;
    assert_eq!(still.status(), 200, "nobody has deleted it");
    assert_eq!(
        house.get(&format!("/c/{id}"), Some(&owner)).await.status(),
        200
    );
    assert_eq!(share("all", "", &stranger).await, 404);
    assert_eq!(share("some", "approver, nobody", &operator).await, 200);
    assert_eq!(
        house
            .get(&format!("/c/{id}"), Some(&stranger))
            .await
            .status(),
        200
    );
    assert_ne!(
        share("all", "", &stranger).await,
        200,
        "it is not theirs to share"
    );
}
