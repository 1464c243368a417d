//! Checking a backup or a data folder, a line for each part.

use super::manifest::{MANIFEST, Manifest};
use super::restore;
use crate::journal::{Inspection, Location, Server, inspect};
use crate::server::{reasons, say};
use std::path::Path;
use std::sync::Arc;

/// Checks a backup (a folder or a tar archive) or a data folder, and prints a line for each part. Blocks.
///
/// # Errors
/// A sentence if anything is wrong.
pub fn verify(what: &Path) -> Result<(), String> {
    let damaged = format!("{} is damaged.", what.display());
    if what.is_dir() {
        let is_whole = match what.join(MANIFEST).exists() {
            true => report_files(what, Manifest::read(what)?),
            false => {
                super::check(what)?;
                true
            }
        };
        return match report_database(what)? && is_whole {
            true => Ok(()),
            false => Err(damaged),
        };
    }
    let unpacked = tempfile::Builder::new()
        .prefix("handrail-verify-")
        .tempdir();
    let unpacked = unpacked.map_err(|error| format!("there is no temporary folder: {error}."))?;
    let manifest = restore::fill(what, unpacked.path())?;
    let is_whole = report_files(unpacked.path(), manifest);
    match report_database(unpacked.path())? && is_whole {
        true => Ok(()),
        false => Err(damaged),
    }
}

fn report_files(folder: &Path, manifest: Manifest) -> bool {
    let checked = manifest.check(folder);
    match &checked {
        Ok(()) => say(&format!(
            "files: {} with {} bytes, all hashes match; made at {} by Handrail {}",
            manifest.files.len(),
            manifest.bytes(),
            manifest.made_at,
            manifest.handrail
        )),
        Err(error) => say(&format!("files: {error}")),
    }
    checked.is_ok()
}

/// Checks a database on a server, and prints a line for each part. Blocks.
///
/// # Errors
/// A sentence if anything is wrong.
pub fn verify_server(server: Arc<Server>) -> Result<(), String> {
    let name = server.name();
    match report_database(Location::Server(server))? {
        true => Ok(()),
        false => Err(format!("{name} is damaged.")),
    }
}

fn report_database(location: impl Into<Location>) -> Result<bool, String> {
    let Inspection {
        version,
        damage,
        audit,
        counts,
    } = inspect(location).map_err(|error| reasons(&error))?;
    let first = damage.iter().flatten().next();
    say(&match (&damage, first) {
        (_, Some(first)) => format!("database: version {version}, damaged: {first}"),
        (Some(_), None) => format!("database: version {version}, no damage"),
        (None, None) => format!(
            "database: version {version}. Its tables and indexes were not checked: pg_amcheck --install-missing --schema=handrail does that"
        ),
    });
    let is_chained = audit
        .as_ref()
        .is_some_and(|audit| audit.broken_at.is_none());
    say(&match audit {
        None => "audit log: it cannot be read".to_owned(),
        Some(audit) => match audit.broken_at {
            None => format!(
                "audit log: {} entries, none changed or removed. Last hash: {}",
                audit.entries, audit.head
            ),
            Some(number) => format!(
                "audit log: entry {number} of {} does not match its hash",
                audit.entries
            ),
        },
    });
    let counts = counts.iter().map(|(noun, count)| format!("{count} {noun}"));
    say(&format!(
        "contents: {}",
        counts.collect::<Vec<_>>().join(", ")
    ));
    Ok(first.is_none() && is_chained)
}
