//! Options of the database: the file in the data folder, or a PostgreSQL server.

use super::{backup, reasons};
use crate::journal::{Location, Server};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Options of the database.
#[derive(Debug, Clone, Args)]
#[group(id = "database_options")]
pub struct Options {
    /// Address of a PostgreSQL database (15 or newer) that has the journal, in place of the file in the data folder:
    /// postgres://handrail@db.lan/handrail, or ?host=/run/postgresql for a socket of this machine. Other machines are
    /// asked over TLS, and their certificates verified: see ?sslrootcert=FILE and ?sslmode=disable.
    #[arg(
        long,
        global = true,
        env = "HANDRAIL_DATABASE",
        value_name = "URL",
        hide_env_values = true
    )]
    pub database: Option<String>,

    /// File with the password for the database on its first line.
    #[arg(
        long,
        global = true,
        env = "HANDRAIL_DATABASE_PASSWORD_FILE",
        value_name = "FILE"
    )]
    pub database_password_file: Option<PathBuf>,

    /// Most connections to the database for pages. Six more are used for everything else.
    #[arg(
        long,
        global = true,
        env = "HANDRAIL_DATABASE_POOL",
        default_value_t = 8,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u16).range(1..=200)
    )]
    pub database_pool: u16,

    /// Seconds that a query may take, and that one waits for a connection.
    #[arg(
        long,
        global = true,
        env = "HANDRAIL_DATABASE_TIMEOUT",
        default_value_t = 30,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u16).range(1..=600)
    )]
    pub database_timeout: u16,
}

impl Options {
    /// The server, if one is named.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn server(&self) -> Result<Option<Arc<Server>>, String> {
        Ok(self.new_server()?.map(Arc::new))
    }

    /// The same for somebody who uses it in a way of their own.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn new_server(&self) -> Result<Option<Server>, String> {
        let Some(address) = &self.database else {
            return Ok(None);
        };
        let patience = Duration::from_secs(self.database_timeout.into());
        self.server_at(address, patience).map(Some)
    }

    /// The server at an address, with the other options.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn server_at(&self, address: &str, patience: Duration) -> Result<Server, String> {
        let server = Server::new(
            address,
            self.database_password_file.as_deref(),
            self.database_pool.into(),
            patience,
        );
        server.map_err(|error| reasons(&error))
    }

    /// The schedule of backups, if there is one.
    ///
    /// # Errors
    /// A sentence if the database is on a server, which has its own.
    pub fn schedule(&self, options: &backup::Options) -> Result<Option<backup::Schedule>, String> {
        match backup::Schedule::of(options) {
            Some(_) if self.database.is_some() => Err(NO_SCHEDULE.to_owned()),
            schedule => Ok(schedule),
        }
    }

    /// Where the journal is.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn location(&self, data_dir: &Path) -> Result<Location, String> {
        Ok(match self.server()? {
            Some(server) => Location::Server(server),
            None => Location::from(data_dir),
        })
    }
}

/// Why there are no backups on a schedule.
const NO_SCHEDULE: &str = "backups on a schedule copy the file of a database, and this one is on a server: leave out --backup-every, \
                               and use pg_dump.";
