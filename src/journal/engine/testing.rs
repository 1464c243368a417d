//! Tests on a server: with `HANDRAIL_TEST_DATABASE` set to its address, each folder of a test stands for a database of its
//! own.

use super::dialect::Translated;
use super::postgres::Session;
use super::{Access, Location, Server};
use crate::sync::lock;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

/// Databases by folder.
static MADE: LazyLock<Mutex<HashMap<PathBuf, String>>> = LazyLock::new(Mutex::default);

/// Whether tests run on a server.
pub(crate) fn on_server() -> bool {
    std::env::var_os("HANDRAIL_TEST_DATABASE").is_some()
}

fn server(database: &str) -> Arc<Server> {
    let address = std::env::var("HANDRAIL_TEST_DATABASE").expect("it was looked at");
    let (base, options) = address.split_once('?').unwrap_or((&address, ""));
    let base = base.rsplit_once('/').expect("it has a database").0;
    let address = format!("{base}/{database}?{options}");
    let server = Server::new(&address, None, 4, Duration::from_secs(10));
    Arc::new(server.expect("it is an address"))
}

/// The database that stands for a folder, which is made when it is first named. Those of folders that are gone go.
pub(super) fn location(folder: &Path) -> Location {
    let mut made = lock(&MADE);
    if !made.contains_key(folder) {
        let session = Session::new(&server("postgres"), Access::Write).expect("the server runs");
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
    Location::Server(server(&made[folder]))
}
