//! Several nodes on one PostgreSQL: one serves, the others forward to it and take over. `cargo xtask test --postgres-only`
//! runs these tests, too.

use crate::process::{Process, command, create};
use crate::stage::{is_at_rest, quick, soon};
use crate::tab::{LONG, Tab};
use handrail::api::SendMessage;
use handrail::backend::rehearsal::{Options, Rehearsal};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

/// The tables of nodes, by which a test looks at them.
const HOLDER: &str = "SELECT node FROM handrail.lease";

/// A database of its own, the files of the nodes, and a backend.
struct Cluster {
    database: String,
    folder: TempDir,
    rehearsal: Rehearsal,
}

impl Cluster {
    async fn new() -> Self {
        Self::with(quick()).await
    }

    async fn with(backend: Options) -> Self {
        let server = std::env::var("HANDRAIL_TEST_DATABASE").expect("the address of a PostgreSQL");
        let name = format!("nodes_{}", uuid::Uuid::new_v4().simple());
        let made = sql(
            &server,
            &format!("CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0"),
        )
        .await;
        assert_eq!(made, [""; 0]);
        let (base, query) = server.split_once('?').expect("it has options");
        let base = base.trim_end_matches("/postgres");
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join("secret"), "s".repeat(40)).expect("it is written");
        Self {
            database: format!("{base}/{name}?{query}"),
            folder,
            rehearsal: Rehearsal::start(backend).await.expect("a free port"),
        }
    }

    fn command(&self, name: &str, more: &[&str]) -> Command {
        let secret = self.folder.path().join("secret");
        let backend = format!("http://{}", self.rehearsal.addr());
        let address = format!("127.0.0.1:{}", free_port());
        let options = [
            "--trust-local",
            "--backend",
            &backend,
            "--database",
            &self.database,
            "--node-address",
            &address,
            "--cluster-secret-file",
            secret.to_str().expect("a path"),
        ];
        command(&self.folder.path().join(name), &[&options, more].concat())
    }

    async fn start(&self, name: &str) -> Process {
        Process::of(self.command(name, &[])).await
    }

    /// The node that has the lease.
    async fn holder(&self) -> String {
        sql(&self.database, HOLDER).await.concat()
    }

    /// Waits until another node than this one has the lease; returns how long it took.
    async fn taken_from(&self, holder: &str) -> Duration {
        let begun = Instant::now();
        loop {
            let now = self.holder().await;
            if now != holder {
                return begun.elapsed();
            }
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "nobody took over"
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

fn free_port() -> u16 {
    let bound = TcpListener::bind("127.0.0.1:0").expect("a free port");
    bound.local_addr().expect("it is bound").port()
}

/// The first column of what a statement returns.
async fn sql(database: &str, sql: &str) -> Vec<String> {
    let (client, connection) = tokio_postgres::connect(database, tokio_postgres::NoTls)
        .await
        .expect("the server runs");
    let connection = tokio::spawn(connection);
    let found = client.simple_query(sql).await.expect("it is valid");
    drop(client);
    connection
        .await
        .expect("no panic")
        .expect("it ends in peace");
    let value = |message: &tokio_postgres::SimpleQueryMessage| match message {
        tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    };
    found.iter().filter_map(value).collect()
}

/// Sends a signal to a process.
fn signal(process: &Process, name: &str) {
    let sent = Command::new("kill")
        .args([name, &process.id().to_string()])
        .status();
    assert!(sent.expect("there is a kill").success());
}

/// Says something, and waits for the agent's answer in a page of this node.
async fn works(address: SocketAddr, id: &str, text: &str) {
    let mut tab = soon("a page is open", async || {
        let mut tab = Tab::new(id);
        tab.connect(address).await.then_some(tab)
    })
    .await;
    let said = async || {
        let fields = [("id", id), ("text", text)];
        crate::process::call::<SendMessage>(address, &fields)
            .await
            .ok()
    };
    soon("a message is taken", said).await;
    tab.until("the message is shown", |tab| tab.shows(text))
        .await;
    tab.session("the work is done", is_at_rest).await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_that_waits_forwards_and_takes_over_from_one_that_is_killed() {
    let cluster = Cluster::new().await;
    let first = cluster.start("a").await;
    let second = cluster.start("b").await;
    let id = create(second.address, "[[scenario:hello]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(second.address).await);
    tab.session("the work is done", is_at_rest).await;
    works(first.address, &id, "said to the first").await;
    tab.until("both nodes show it", |tab| tab.shows("said to the first"))
        .await;
    let ready = reqwest::get(format!("http://{}/readyz", second.address)).await;
    assert_eq!(
        ready.expect("it answers").text().await.expect("text"),
        "stands by"
    );

    let holder = cluster.holder().await;
    first.kill();
    let took = cluster.taken_from(&holder).await;
    assert!(took < Duration::from_secs(6), "{took:?}");
    works(second.address, &id, "said to the second").await;
    let mut after = Tab::new(&id);
    assert!(after.connect(second.address).await);
    after
        .until("nothing is lost", |tab| {
            tab.shows("said to the first") && tab.shows("said to the second")
        })
        .await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_that_ends_hands_over_at_once_and_waits_when_it_is_back() {
    let cluster = Cluster::new().await;
    let first = cluster.start("a").await;
    let second = cluster.start("b").await;
    let id = create(first.address, "[[scenario:hello]]").await;
    works(second.address, &id, "before").await;
    let holder = cluster.holder().await;
    first.terminate();
    assert!(first.ended().await.success());
    let took = cluster.taken_from(&holder).await;
    assert!(took < Duration::from_secs(2), "{took:?}");
    works(second.address, &id, "between").await;
    let back = cluster.start("a").await;
    works(back.address, &id, "after").await;
    assert_eq!(cluster.holder().await.len(), 16);
    let nodes = sql(&cluster.database, "SELECT id FROM handrail.node").await;
    assert_eq!(nodes.len(), 2, "the node that ended is gone");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_that_was_stopped_changes_nothing_when_it_goes_on() {
    let cluster = Cluster::new().await;
    let first = cluster.start("a").await;
    let second = cluster.start("b").await;
    let id = create(first.address, "[[scenario:hello]]").await;
    works(second.address, &id, "before").await;
    let holder = cluster.holder().await;
    signal(&first, "-STOP");
    let took = cluster.taken_from(&holder).await;
    assert!(took < Duration::from_secs(20), "{took:?}");
    // What was sent to the node while it was stopped is in its socket.
    let (late, to) = (id.clone(), first.address);
    let late = tokio::spawn(async move {
        let fields = [("id", late.as_str()), ("text", "too late")];
        let asked = crate::process::question::<SendMessage>(to)
            .form(&fields)
            .send();
        tokio::time::timeout(LONG, asked).await
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    works(second.address, &id, "while it is stopped").await;
    signal(&first, "-CONT");
    assert!(
        !first.ended().await.success(),
        "it ends, to be started again"
    );
    if let Ok(Ok(answer)) = late.await.expect("no panic") {
        assert!(!answer.status().is_success(), "{answer:?}");
    }
    let mut tab = Tab::new(&id);
    assert!(tab.connect(second.address).await);
    tab.until("the second goes on", |tab| tab.shows("while it is stopped"))
        .await;
    assert!(!tab.shows("too late"));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_whose_connections_are_cut_keeps_the_lease() {
    let cluster = Cluster::new().await;
    let first = cluster.start("a").await;
    let second = cluster.start("b").await;
    let id = create(first.address, "[[scenario:hello]]").await;
    let holder = cluster.holder().await;
    for round in 0..3 {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        sql(&cluster.database, cut).await;
        works(second.address, &id, &format!("round {round}")).await;
    }
    assert_eq!(cluster.holder().await, holder);
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_that_does_not_fit_is_refused_with_a_sentence() {
    let cluster = Cluster::new().await;
    let first = cluster.start("a").await;
    let refused = async |mut command: Command| {
        command.stderr(Stdio::piped());
        let output = spawn_blocking(move || command.output().expect("it is built")).await;
        let output = output.expect("no panic");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let other = refused(cluster.command("b", &["--base", "/elsewhere/"])).await;
    assert!(
        other.contains("--base") && !other.contains("--hsts"),
        "{other}"
    );
    let secret = cluster.folder.path().join("other");
    std::fs::write(&secret, "t".repeat(40)).expect("it is written");
    let secret = secret.to_str().expect("a path");
    let mut stranger = cluster.command("c", &[]);
    stranger.env("HANDRAIL_LOG", "error");
    let arguments: Vec<_> = stranger
        .get_args()
        .map(|argument| argument.to_owned())
        .collect();
    let mut stranger = Command::new(stranger.get_program());
    let old = cluster.folder.path().join("secret");
    stranger
        .args(
            arguments
                .iter()
                .map(|argument| match argument == old.as_os_str() {
                    true => secret.as_ref(),
                    false => argument.as_os_str(),
                }),
        )
        .env_clear();
    let stranger = refused(stranger).await;
    assert!(stranger.contains("cluster secret"), "{stranger}");
    // One that was not started as a node.
    let alone = ["--trust-local", "--database", &cluster.database];
    let alone = refused(command(&cluster.folder.path().join("d"), &alone)).await;
    assert!(
        alone.contains("another Handrail uses this database"),
        "{alone}"
    );
    let id = create(first.address, "[[scenario:hello]]").await;
    works(first.address, &id, "nothing has happened").await;
}
