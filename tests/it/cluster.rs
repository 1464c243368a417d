//! Several nodes on one PostgreSQL, the one at `HANDRAIL_TEST_DATABASE`.

use crate::process::{Process, command};
use crate::stage::quick;
use crate::tab::LONG;
use handrail::backend::rehearsal::{Options, Rehearsal};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The node that has the lease.
const HOLDER: &str = "SELECT node FROM handrail.lease";

/// A database of its own, the files of the nodes, and a backend.
pub struct Cluster {
    pub database: String,
    pub folder: TempDir,
    pub rehearsal: Rehearsal,
}

impl Cluster {
    pub async fn new() -> Self {
        Self::with(quick()).await
    }

    pub async fn with(backend: Options) -> Self {
        let server = std::env::var("HANDRAIL_TEST_DATABASE").expect("the address of a PostgreSQL");
        let folder = TempDir::new().expect("a temporary folder");
        std::fs::write(folder.path().join("secret"), "s".repeat(40)).expect("it is written");
        Self {
            database: database_beside(&server).await,
            folder,
            rehearsal: Rehearsal::start(backend).await.expect("a free port"),
        }
    }

    /// The command of a node that trusts everybody.
    pub fn command(&self, name: &str, more: &[&str]) -> Command {
        let more = [&["--trust-local"], more].concat();
        self.command_in(&self.folder.path().join(name), &more)
    }

    /// The command of a node with this folder.
    pub fn command_in(&self, folder: &Path, more: &[&str]) -> Command {
        let secret = self.folder.path().join("secret");
        let backend = format!("http://{}", self.rehearsal.addr());
        let address = format!("127.0.0.1:{}", free_port());
        let options = [
            "--backend",
            &backend,
            "--database",
            &self.database,
            "--node-address",
            &address,
            "--cluster-secret-file",
            secret.to_str().expect("a path"),
        ];
        command(folder, &[&options, more].concat())
    }

    pub async fn start(&self, name: &str) -> Process {
        Process::of(self.command(name, &[])).await
    }

    /// One node that serves and one that waits.
    pub async fn pair(&self) -> (Process, Process) {
        let serving = self.start("a").await;
        (serving, self.start("b").await)
    }

    /// The node that has the lease.
    pub async fn holder(&self) -> String {
        holder(&self.database).await
    }

    /// Waits until another node than this one has the lease; returns how long it took.
    pub async fn taken_from(&self, holder: &str) -> Duration {
        let begun = Instant::now();
        loop {
            let now = self.holder().await;
            if now != holder {
                return begun.elapsed();
            }
            assert!(begun.elapsed() < LONG, "nobody took over");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The node that has the lease of this database.
pub async fn holder(database: &str) -> String {
    sql(database, HOLDER).await.concat()
}

/// Makes a database on the server of another one; returns its address.
pub async fn database_beside(server: &str) -> String {
    let name = format!("nodes_{}", uuid::Uuid::new_v4().simple());
    let make = format!("CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0");
    assert_eq!(sql(server, &make).await, [""; 0]);
    let (base, query) = server.split_once('?').expect("it has options");
    let (base, _) = base.rsplit_once('/').expect("it names a database");
    format!("{base}/{name}?{query}")
}

fn free_port() -> u16 {
    let bound = TcpListener::bind("127.0.0.1:0").expect("a free port");
    bound.local_addr().expect("it is bound").port()
}

/// The first column of what a statement returns.
pub async fn sql(database: &str, sql: &str) -> Vec<String> {
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
pub fn signal(process: &Process, name: &str) {
    let sent = Command::new("kill")
        .args([name, &process.id().to_string()])
        .status();
    assert!(sent.expect("there is a kill").success());
}
