//! What can be said about a database without opening it as a journal, and what must not live again in a restored one.
//!
//! Nothing here converts a database to a newer version.

use super::JournalError;
use super::audit::{self, AuditEntry, AuditState};
use super::copies::{DATABASE_FILE, open};
use super::database::known_versions;
use super::engine::{self, Access, Connection, Location, Place, Transaction};
use super::error::of_engine;

/// What is counted, with the tables that it is in.
const COUNTED: [(&str, &str); 6] = [
    ("conversations", "conversation"),
    ("events", "event"),
    ("approvals", "approval"),
    ("messages", "outbox"),
    ("people", "person"),
    ("comments", "comment"),
];
/// What lets somebody in.
const ACCESS: [&str; 7] = [
    "login",
    "access_token",
    "link",
    "invitation",
    "recovery_code",
    "known_device",
    "amendment",
];
/// Those of them that let nobody in by themselves.
const AIDS: [&str; 3] = ["recovery_code", "known_device", "amendment"];

/// What a database contains, and whether it is whole.
#[derive(Debug, Clone)]
pub struct Inspection {
    /// Version of its schema.
    pub version: i64,
    /// What is damaged, in SQLite's words; empty if nothing is. `None` on a server, whose own tools look at its files.
    pub damage: Option<Vec<String>>,
    /// The audit log; `None` if it cannot be read.
    pub audit: Option<AuditState>,
    /// Numbers of its contents, each with its noun.
    pub counts: Vec<(&'static str, i64)>,
}

/// Reads the whole database in a folder or on a server, which others may be using. Blocks for a minute per GB.
///
/// Errors: [`JournalError::Open`], [`JournalError::OtherVersion`] if the schema is not known.
pub fn inspect(location: impl Into<Location>) -> Result<Inspection, JournalError> {
    let mut connection = open(location.into())?;
    let transaction = connection
        .begin_read(false)
        .map_err(|error| JournalError::Broken(error.into()))?;
    let version = known_version(&transaction)?;
    let damage = match transaction.is_postgres() {
        true => None,
        false => Some(damage_of(&transaction).unwrap_or_else(|error| vec![error.to_string()])),
    };
    Ok(Inspection {
        version,
        damage,
        // What is damaged may be unreadable.
        audit: audit::verify(&transaction, None).ok(),
        counts: counts_of(&transaction).unwrap_or_default(),
    })
}

/// What a database says at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glance {
    /// Version of its schema; 0 for a database on a server that has none yet.
    pub version: i64,
    /// Version of the server; empty for a file.
    pub server: String,
    /// The version that this build makes of it.
    pub newest: i64,
    /// The backends of the settings page, as JSON.
    pub backends: Option<String>,
    /// Time of the newest entry of the audit log, milliseconds since the Unix epoch; 0 without one.
    pub newest_entry: i64,
}

/// Reads a little of the database in a folder or on a server, which others may be using.
///
/// Errors: [`JournalError::Open`], [`JournalError::OtherVersion`] if the schema is not known.
pub fn glance(location: impl Into<Location>) -> Result<Glance, JournalError> {
    let connection = open(location.into())?;
    let server = connection.check().map_err(of_engine)?;
    if connection.is_postgres() && connection.schema_version().map_err(of_engine)? == 0 {
        return Ok(Glance {
            version: 0,
            server,
            newest: *known_versions().end(),
            backends: None,
            newest_entry: 0,
        });
    }
    let version = known_version(&connection)?;
    let read = || -> engine::Result<Glance> {
        let backends = "SELECT value FROM setting WHERE key = 'backends'";
        let newest = "SELECT ifnull((SELECT at FROM audit ORDER BY number DESC LIMIT 1), 0)";
        Ok(Glance {
            version,
            server,
            newest: *known_versions().end(),
            backends: connection.value(backends, [])?,
            newest_entry: connection.one(newest, [])?,
        })
    };
    read().map_err(|error| JournalError::Broken(error.into()))
}

/// The version of a schema.
fn known_version(connection: &Connection) -> Result<i64, JournalError> {
    let found = connection.schema_version();
    let found = found.map_err(|error| JournalError::Broken(error.into()))?;
    let known = known_versions();
    match known.contains(&found) {
        true => Ok(found),
        false => Err(JournalError::OtherVersion { found, known }),
    }
}

fn damage_of(transaction: &Transaction<'_>) -> engine::Result<Vec<String>> {
    let mut damage: Vec<String> = transaction.values("PRAGMA integrity_check(5)", [])?;
    damage.retain(|line| line != "ok");
    let mut dangling = transaction.prepare("PRAGMA foreign_key_check")?;
    let mut dangling = dangling.query([])?;
    if let Some(row) = dangling.next()? {
        let table: String = row.get(0)?;
        damage.push(format!("a row of {table} names a row that is missing"));
    }
    Ok(damage)
}

fn counts_of(transaction: &Transaction<'_>) -> engine::Result<Vec<(&'static str, i64)>> {
    let mut counts = Vec::new();
    for (noun, table) in COUNTED {
        if transaction.has_table(table)? {
            let sql = format!("SELECT count(*) FROM {table}");
            counts.push((noun, transaction.one(&sql, [])?));
        }
    }
    Ok(counts)
}

/// Ends all logins, access tokens, links, invitations and recovery codes, and all rules, in a restored database in a folder or on a
/// server, which nobody else uses, and appends `entry` to its audit log; on disk when this returns. Returns how many it has
/// ended.
///
/// Errors: [`JournalError::Open`], also if another process serves from it, [`JournalError::OtherVersion`].
pub fn end_access(
    location: impl Into<Location>,
    entry: &AuditEntry,
) -> Result<usize, JournalError> {
    let (path, place) = match location.into() {
        Location::Folder(folder) => {
            let path = folder.join(DATABASE_FILE);
            let place = Place::existing(&path);
            (path, place)
        }
        Location::Server(server) => (server.name().into(), Place::Server(server)),
    };
    let opened = place.connect(Access::Write).and_then(|connection| {
        connection.lock_serving()?;
        Ok(connection)
    });
    let mut connection = opened.map_err(|error| JournalError::Open {
        path,
        source: error.into(),
    })?;
    known_version(&connection)?;
    let mut end = || -> engine::Result<usize> {
        let transaction = connection.begin_change(true)?;
        let mut ended = 0;
        for table in ACCESS {
            if transaction.has_table(table)? {
                let gone = transaction.execute(&format!("DELETE FROM {table}"), [])?;
                ended += if AIDS.contains(&table) { 0 } else { gone };
            }
        }
        // Those that were ended since the backup was made are in force in it.
        super::rules::stop_restored(&transaction, entry.at)?;
        audit::append(&transaction, entry)?;
        transaction.commit()?;
        Ok(ended)
    };
    end().map_err(of_engine)
}
