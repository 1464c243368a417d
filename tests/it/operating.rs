//! What administrators and service managers ask a server, and what it tells them.

use crate::chaos::Chaos;
use crate::process::{Process, command, create, question, run_in};
use crate::stage::{is_at_rest, quick, reader, soon};
use crate::tab::Tab;
use flate2::{Compression, write::GzEncoder};
use handrail::api::SendMessage;
use handrail::backend::rehearsal::{Dialect, Options, Rehearsal};
use handrail::journal::Journal;
use std::fs::{self, File};
use std::io::Write as _;
use std::net::SocketAddr;
#[cfg(target_os = "linux")]
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

/// Runs a command with options of the server in front of it.
pub async fn ask(options: &[&str], what: &[&str], data_dir: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handrail"));
    command
        .args(options)
        .args(what)
        .arg("--data-dir")
        .arg(data_dir)
        .env_clear()
        .env("HANDRAIL_LOG", "off");
    let output = spawn_blocking(move || command.output()).await;
    output.expect("it does not panic").expect("it is built")
}

async fn is_healthy(address: SocketAddr, more: &[&str], data_dir: &Path) -> bool {
    let address = address.to_string();
    let options = [&["--listen", &address], more].concat();
    ask(&options, &["healthcheck"], data_dir)
        .await
        .status
        .success()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_health_check_asks_the_server_with_the_same_options() {
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path();
    run_in(data, &["tls", "init", "box.lan"]).await;
    for options in [&["--base", "/tools/"] as &[_], &["--tls"]] {
        let backend = ["--backend", "http://127.0.0.1:9", "--trust-local"];
        let process = Process::of(command(data, &[&backend, options].concat())).await;
        assert!(
            is_healthy(process.address, options, data).await,
            "{options:?}"
        );
        let other = match options[0] {
            "--tls" => &[] as &[_],
            _ => &["--tls"],
        };
        assert!(!is_healthy(process.address, other, data).await);
        let address = process.address;
        process.kill();
        assert!(!is_healthy(address, options, data).await, "{options:?}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_service_manager_is_told_that_it_is_ready_alive_and_stopping() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::SocketAddr;
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("notify");
    let name = format!("handrail-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).expect("a short name");
    let sockets = [
        (
            path.to_str().expect("a text").to_owned(),
            UnixDatagram::bind(&path),
        ),
        (format!("@{name}"), UnixDatagram::bind_addr(&address)),
    ];
    for (name, socket) in sockets {
        let socket = socket.expect("it is free");
        socket
            .set_read_timeout(Some(Duration::from_secs(10)))
            .expect("it is ours");
        let read = move || {
            let mut buffer = [0; 64];
            let length = socket.recv(&mut buffer).expect("it is told");
            String::from_utf8_lossy(&buffer[..length]).into_owned()
        };
        let mut program = command(
            &folder.path().join("data"),
            &["--backend", "http://127.0.0.1:9", "--trust-local"],
        );
        program
            .env("NOTIFY_SOCKET", name)
            .env("WATCHDOG_USEC", "100000");
        let process = Process::of(program).await;
        let told = spawn_blocking(move || {
            let first: Vec<String> = std::iter::repeat_with(&read).take(3).collect();
            (first, read)
        });
        let (first, read) = told.await.expect("it does not panic");
        assert_eq!(first, ["READY=1", "WATCHDOG=1", "WATCHDOG=1"]);
        process.terminate();
        let last =
            spawn_blocking(move || std::iter::repeat_with(read).find(|told| told != "WATCHDOG=1"));
        let last = last.await.expect("it does not panic");
        assert_eq!(last.as_deref(), Some("STOPPING=1"));
        assert!(process.ended().await.success());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_are_for_this_machine_or_for_the_token() {
    let folder = TempDir::new().expect("a temporary folder");
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let process = Process::start(folder.path(), rehearsal.addr()).await;
    let id = create(process.address, "[[scenario:hello]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(process.address).await);
    tab.session("the work is done", is_at_rest).await;
    let url = format!("http://{}/metrics", process.address);
    let ask = async |header: (&str, &str)| {
        let asked = reqwest::Client::new()
            .get(&url)
            .header(header.0, header.1)
            .send();
        let answer = asked.await.expect("a response");
        (answer.status(), answer.text().await.expect("text"))
    };
    let (status, text) = ask(("accept", "*/*")).await;
    assert_eq!(status, 200, "{text}");
    assert!(text.ends_with("# EOF\n"));
    let value = |name: &str| -> f64 {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name}: {text}"))
            .parse()
            .expect("a number")
    };
    assert!(value("handrail_journal_events_total") > 3.0);
    assert_eq!(value("handrail_live_connections"), 1.0);
    assert!(value("handrail_followers") >= 1.0);
    assert!(value("handrail_http_request_duration_seconds_count{class=\"2xx\"}") >= 1.0);
    assert!(value("handrail_journal_commit_duration_seconds_count{on_disk=\"true\"}") >= 1.0);
    assert_eq!(value("handrail_backend_connections{state=\"live\"}"), 1.0);
    assert_eq!(value("handrail_journal_writable"), 1.0);
    assert_eq!(value("handrail_approvals_pending"), 0.0);
    for name in [
        "handrail_journal_size_bytes",
        "handrail_resident_memory_bytes",
        "handrail_open_files",
    ] {
        assert!(value(name) > 0.0, "{name}");
    }
    // Every metric is described once, and no label has an id or an address.
    let types: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("# TYPE"))
        .collect();
    let distinct: std::collections::BTreeSet<&&str> = types.iter().collect();
    assert_eq!(types.len(), distinct.len());
    assert!(!text.contains(&id) && !text.contains("127.0.0.1"), "{text}");
    assert_eq!(ask(("x-forwarded-for", "203.0.113.9")).await.0, 403);
    drop(process);

    let file = folder.path().join("token");
    std::fs::write(&file, "s3cret\n").expect("it can be written");
    let file = file.to_str().expect("a text");
    let options = [
        "--metrics-token-file",
        file,
        "--trust-local",
        "--backend",
        "http://127.0.0.1:9",
    ];
    let process = Process::of(command(folder.path(), &options)).await;
    let url = format!("http://{}/metrics", process.address);
    for (given, expected) in [
        ("Bearer s3cret", 200),
        ("Bearer other", 403),
        ("s3cret", 403),
    ] {
        let asked = reqwest::Client::new()
            .get(&url)
            .header("authorization", given)
            .send();
        assert_eq!(
            asked.await.expect("a response").status(),
            expected,
            "{given}"
        );
    }
    assert_eq!(reqwest::get(&url).await.expect("a response").status(), 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_demo_needs_nothing_and_leaves_nothing() {
    let temporary = TempDir::new().expect("a temporary folder");
    let mut demo = command(&temporary.path().join("unused"), &["demo"]);
    demo.env("TMPDIR", temporary.path());
    let process = Process::of(demo).await;
    let page = reqwest::get(format!("http://{}/", process.address)).await;
    assert_eq!(page.expect("a response").status(), 200);
    let entries = || {
        std::fs::read_dir(temporary.path())
            .expect("it is ours")
            .count()
    };
    assert_eq!(entries(), 1);
    process.terminate();
    assert!(process.ended().await.success());
    assert_eq!(entries(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_has_the_same_id_in_its_response_in_the_log_and_at_the_backend() {
    let folder = TempDir::new().expect("a temporary folder");
    let rehearsal = Options {
        dialect: Dialect::AgentServer,
        ..quick()
    };
    let rehearsal = Rehearsal::start(rehearsal).await.expect("a free port");
    let between = Chaos::before(rehearsal.addr()).await;
    let backend = format!("http://{}", between.address);
    let log = folder.path().join("log");
    let mut program = command(
        &folder.path().join("data"),
        &["--trust-local", "--backend", &backend],
    );
    program
        .env("HANDRAIL_LOG", "info,tower_http=debug")
        .stderr(File::create(&log).expect("it can be written"));
    let process = Process::of(program).await;
    let id = create(process.address, "[[scenario:hello]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(process.address).await);
    tab.session("the work is done", is_at_rest).await;
    let message = question::<SendMessage>(process.address)
        // Nobody chooses an id for others.
        .header("x-request-id", "chosen")
        .form(&[("id", &*id), ("text", "Go on"), ("client_id", "1")]);
    let answer = message.send().await.expect("Handrail responds");
    assert_eq!(answer.status(), 200);
    let request = answer.headers()["x-request-id"].to_str().expect("ASCII");
    soon("the backend is told the id", async || {
        let header = format!("x-request-id: {request}");
        between.has_heard(&header).then_some(())
    })
    .await;
    assert!(!between.has_heard("x-request-id: chosen"));
    let log = fs::read_to_string(log).expect("it is a text");
    assert!(log.contains(request), "{request}: {log}");
}

#[tokio::test]
async fn a_page_of_another_build_gets_its_files() {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = Journal::open(folder.path(), reader).await;
    let content = b"export const build = 'earlier';".repeat(100);
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&content).expect("it is memory");
    let packed = packed.finish().expect("it is memory");
    let files = vec![("later.EARLIER1.js".to_owned(), packed.clone())];
    let kept = journal.expect("it is made").keep_site_files(files).await;
    kept.expect("it is healthy");

    let backend = Rehearsal::start(quick()).await.expect("a free port");
    let server = Process::start(folder.path(), backend.addr()).await;
    let client = reqwest::Client::new();
    let get = async |name: &str, encoding: &str| {
        let address = format!("http://{}/pkg/{name}", server.address);
        let asked = client.get(address).header("accept-encoding", encoding);
        asked.send().await.expect("it answers")
    };
    let answer = get("later.EARLIER1.js", "br, gzip").await;
    assert_eq!(answer.headers()["content-encoding"], "gzip");
    assert_eq!(answer.headers()["content-type"], "text/javascript");
    let keep = answer.headers()["cache-control"].to_str();
    assert!(keep.expect("it is text").contains("immutable"));
    assert_eq!(answer.bytes().await.expect("a body"), packed);
    let answer = get("later.EARLIER1.js", "identity").await;
    assert_eq!(answer.headers().get("content-encoding"), None);
    assert_eq!(answer.bytes().await.expect("a body"), content);
    for unknown in ["later.UNKNOWN1.js", "later.js", "..%2Fhandrail.db"] {
        assert_eq!(get(unknown, "gzip").await.status(), 404, "{unknown}");
    }
}
