//! Tests on a server: with `HANDRAIL_TEST_DATABASE` set to its address, each folder of a test stands for a database of its
//! own.

use super::dialect::Translated;
use super::postgres::Session;
use super::{Access, Location, Server};
use crate::sync::lock;
use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

/// Databases by folder.
static MADE: LazyLock<Mutex<HashMap<PathBuf, String>>> = LazyLock::new(Mutex::default);

thread_local! {
    /// Whether the test of this thread is about a file.
    static IN_A_FILE: Cell<bool> = const { Cell::new(false) };
}

/// Whether the test of this thread runs on a server.
pub(crate) fn on_server() -> bool {
    std::env::var_os("HANDRAIL_TEST_DATABASE").is_some() && !IN_A_FILE.get()
}

/// Has the test of this thread use files until this is dropped, because it is about them.
pub(crate) struct InAFile;

/// See [`InAFile`].
pub(crate) fn in_a_file() -> InAFile {
    IN_A_FILE.set(true);
    InAFile
}

impl Drop for InAFile {
    fn drop(&mut self) {
        IN_A_FILE.set(false);
    }
}

/// How a test reaches the database that stands for a folder.
#[derive(Default)]
pub(crate) struct OnServer<'a> {
    /// The folder of the socket, in place of the server's own.
    pub(crate) socket: Option<&'a Path>,
    /// In place of ten seconds.
    pub(crate) patience: Option<Duration>,
}

impl OnServer<'_> {
    /// The database that stands for a folder, which is made when it is first named. Those of folders that are gone go.
    pub(crate) fn database_of(&self, folder: &Path) -> Arc<Server> {
        let mut made = lock(&MADE);
        if !made.contains_key(folder) {
            let all = Self::default().server("postgres");
            let session = Session::new(&all, Access::Write).expect("the server runs");
            let run = |sql: String| {
                let names = Vec::new();
                session.execute(&Translated { sql, names }, Vec::new())
            };
            made.retain(|folder, name| {
                let is_there = folder.exists();
                if !is_there {
                    let _ = run(format!("DROP DATABASE {name} WITH (FORCE)"));
                }
                is_there
            });
            let name = format!("t{}", uuid::Uuid::new_v4().simple());
            run(format!(
                "CREATE DATABASE {name} TEMPLATE template0 STRATEGY file_copy"
            ))
            .expect("the server makes a database");
            made.insert(folder.to_owned(), name);
        }
        self.server(&made[folder])
    }

    fn server(&self, database: &str) -> Arc<Server> {
        let address = std::env::var("HANDRAIL_TEST_DATABASE")
            .expect("this test needs a PostgreSQL: see cargo xtask test --postgres-only");
        let (base, options) = address.split_once('?').unwrap_or((&address, ""));
        let base = base.rsplit_once('/').expect("it has a database").0;
        let options = match self.socket {
            Some(folder) => format!("host={}", folder.display()),
            None => options.to_owned(),
        };
        let address = format!("{base}/{database}?{options}");
        let patience = self.patience.unwrap_or(Duration::from_secs(10));
        Arc::new(Server::new(&address, None, 4, patience).expect("it is an address"))
    }
}

/// The folder of the server's socket.
#[cfg(unix)]
pub(crate) fn socket() -> PathBuf {
    let address = std::env::var("HANDRAIL_TEST_DATABASE").unwrap_or_default();
    let host = address.split_once("host=").map_or("", |(_, host)| host);
    PathBuf::from(host.split('&').next().unwrap_or_default())
}

/// The database that stands for a folder.
pub(super) fn location(folder: &Path) -> Location {
    Location::Server(OnServer::default().database_of(folder))
}
