//! The log never has a secret: a whole run at the most talkative level, searched for every secret that it used.

use crate::notify::service::{Phone, Service};
use crate::people::house::{House, PASSWORD, client};
use crate::process::{Process, Served, command};
use crate::stage::{quick, soon};
use handrail::backend::rehearsal::{Dialect, Options, Rehearsal};
use rusqlite::Connection;
use std::fs::{self, File};
use std::path::Path;
use tempfile::TempDir;

const BACKEND_KEY: &str = "backend-key-6b1f9a";
const METRICS_TOKEN: &str = "metrics-token-77c2d0";
const CLIENT_SECRET: &str = "client-secret-a9e4b3";

/// A file with a secret in it; its path.
fn file(folder: &Path, name: &str, secret: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, secret).expect("it can be written");
    path.to_str().expect("a text").to_owned()
}

/// The values of a column, as far as they are texts.
fn stored(data: &Path, sql: &str) -> Vec<String> {
    let database = Connection::open(data.join("handrail.db")).expect("it exists");
    let mut statement = database.prepare(sql).expect("a table");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    let rows = rows.map(|row| row.expect("a text"));
    rows.filter(|text: &String| !text.is_empty()).collect()
}

/// A server function, its fields, and the secrets among them.
type Given<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_of_a_whole_run_has_none_of_the_secrets_that_it_used() {
    let files = TempDir::new().expect("a temporary folder");
    let folder = TempDir::new().expect("a temporary folder");
    let log = files.path().join("log");
    let service = Service::start().await;
    let rehearsal = Options {
        dialect: Dialect::AgentServer,
        session_api_key: Some(BACKEND_KEY.to_owned()),
        ..quick()
    };
    let rehearsal = Rehearsal::start(rehearsal).await.expect("a free port");
    let backend = format!("http://{}", rehearsal.addr());
    let options = [
        ["--backend", &backend],
        [
            "--backend-key-file",
            &file(files.path(), "key", BACKEND_KEY),
        ],
        [
            "--metrics-token-file",
            &file(files.path(), "token", METRICS_TOKEN),
        ],
        ["--push-host", &service.origin()],
        // Nobody answers there: that a login fails is logged.
        ["--oidc-issuer", "https://127.0.0.1:9"],
        ["--oidc-client-id", "handrail"],
        [
            "--oidc-client-secret-file",
            &file(files.path(), "secret", CLIENT_SECRET),
        ],
    ];
    let mut program = command(folder.path(), &options.concat());
    program
        .env(
            "HANDRAIL_LOG",
            "debug,handrail=trace,hyper=trace,reqwest=trace",
        )
        .stderr(File::create(&log).expect("it can be written"));
    let process = Process::of(program).await;
    let code = folder.path().join("set-up-code");
    let code = soon("there is a set-up code", async || {
        fs::read_to_string(&code).ok()
    })
    .await;
    let mut secrets: Vec<String> = [BACKEND_KEY, METRICS_TOKEN, CLIENT_SECRET, PASSWORD]
        .map(str::to_owned)
        .into();
    secrets.push(code.trim().to_owned());
    let served = Served {
        process,
        folder,
        rehearsal,
    };
    let house = House::of(served).await;
    let data = house.served.folder.path().to_owned();
    let owner = house.log_in("owner").await;
    let value = |cookie: &str| cookie.split_once('=').expect("a cookie").1.to_owned();
    secrets.push(value(&owner));
    // Wrong passwords, and whatever else people type into the wrong field.
    let wrong = [("name", "owner"), ("password", "wrong-guess-55d1")];
    assert_ne!(house.post("/login", None, &wrong).await.status(), 303);
    let wrong = [("code", "wrong-code-90aa")];
    assert_ne!(house.post("/link", None, &wrong).await.status(), 303);
    secrets.extend(["wrong-guess-55d1", "wrong-code-90aa"].map(str::to_owned));
    let address = house.served.process.address;
    let login = client()
        .get(format!("http://{address}/login/openid"))
        .send();
    login.await.expect("a response");
    let metrics = client().get(format!("http://{address}/metrics"));
    let metrics = metrics.bearer_auth(METRICS_TOKEN).send().await;
    assert_eq!(metrics.expect("a response").status(), 200);
    // Each function that takes or makes a secret.
    let id = house
        .create_conversation(&owner, "Say zebra [[scenario:hello]]")
        .await;
    secrets.push(value(&house.visit(&owner, &id).await));
    let made: [(&str, &[(&str, &str)]); 2] = [
        ("make_link", &[("id", &id), ("days", "7")]),
        (
            "make_token",
            &[("name", "script"), ("role", "viewer"), ("days", "7")],
        ),
    ];
    for (function, fields) in made {
        let made = house.call(function, &owner, fields).await;
        secrets.push(made.json().await.expect("a secret"));
    }
    let token = secrets.last().expect("a token").clone();
    let page = client()
        .get(format!("http://{address}/"))
        .bearer_auth(&token);
    page.send().await.expect("a response");
    let phone = Phone::at(&service, "phone");
    let topic = format!("{}/topic-3fe801", service.origin());
    let hook = format!("{}/hook/hook-19c7e2", service.origin());
    let (p256dh, auth) = (phone.p256dh(), phone.auth());
    let given: [Given<'_>; 7] = [
        (
            "save_settings",
            &[
                ("settings[model]", "x"),
                ("settings[api_key]", "api-key-0f4c71"),
            ],
            &["api-key-0f4c71"],
        ),
        (
            "save_secret",
            &[("name", "TOKEN"), ("value", "secret-value-e2b8")],
            &["secret-value-e2b8"],
        ),
        (
            "add_mcp_server",
            &[
                ("kind", "http"),
                ("address", "http://127.0.0.1:9/mcp"),
                ("key", "mcp-key-7a33"),
            ],
            &["mcp-key-7a33"],
        ),
        (
            "test_connection",
            &[("address", "http://127.0.0.1:9"), ("key", "tried-key-c0de")],
            &["tried-key-c0de"],
        ),
        (
            "add_ntfy",
            &[("address", &topic), ("token", "ntfy-token-8d21")],
            &["topic-3fe801", "ntfy-token-8d21"],
        ),
        ("add_webhook", &[("address", &hook)], &["hook-19c7e2"]),
        (
            "subscribe_push",
            &[
                ("endpoint", &phone.endpoint),
                ("p256dh", &p256dh),
                ("auth", &auth),
            ],
            &[auth.as_str()],
        ),
    ];
    for (function, fields, used) in given {
        house.call(function, &owner, fields).await;
        secrets.extend(used.iter().map(|secret| (*secret).to_owned()));
    }
    // Each place is sent to.
    for number in ["1", "2", "3"] {
        house
            .call("test_notifications", &owner, &[("number", number)])
            .await;
    }
    assert!(!service.arrived("phone").is_empty());
    let changed = [("old", PASSWORD), ("new", "new password 41c9")];
    house.call("change_password", &owner, &changed).await;
    secrets.push("new password 41c9".to_owned());
    let to = files.path().join("backups");
    house
        .served
        .run(&["backup", to.to_str().expect("a text")])
        .await;
    // What Handrail has made by itself.
    secrets.extend(stored(
        &data,
        "SELECT value FROM setting WHERE key = 'vapid'",
    ));
    secrets.extend(stored(&data, "SELECT password FROM person"));
    secrets.extend(stored(&data, "SELECT secret FROM channel"));
    house.served.process.terminate();
    house.served.process.ended().await;
    let log = fs::read_to_string(log).expect("it is a text");
    for known in ["audit entry appended", "request"] {
        assert!(log.contains(known), "{known}: {log}");
    }
    assert!(secrets.len() > 20, "{}", secrets.len());
    let encoded = |secret: &str| secret.replace(' ', "+");
    for secret in secrets
        .iter()
        .flat_map(|secret| [secret.clone(), encoded(secret)])
    {
        assert!(secret.len() >= 8, "{secret}");
        let line = log.lines().find(|line| line.contains(&secret));
        assert_eq!(line, None, "{secret}");
    }
}
