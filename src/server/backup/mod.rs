//! Backups of the data folder: made while the server runs, checked before they are restored.
//!
//! A backup is a folder `handrail-20261127-221500.123` with the database, the certificates and a manifest with their
//! hashes; `-` writes the same as a tar archive to standard output. It is written under another name and renamed when all
//! of it is on disk, so that there is no half backup. The set-up code is left out, since it is good for minutes.

mod files;
mod manifest;
mod restore;
mod schedule;
mod verify;
mod write;

pub use schedule::{Options, Schedule};

use super::say;
use crate::journal::Server;
use clap::Subcommand;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The database, and what else of the data folder is in a backup: folders of files.
const FOLDERS: [&str; 1] = ["tls"];

/// Backups.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Write a backup of the data folder, also while the server runs.
    Backup {
        /// Folder in which the backup is created, or - for a tar archive on standard output.
        #[arg(value_name = "FOLDER")]
        to: PathBuf,
    },
    /// Restore a backup into a new data folder (--data-dir), and end all sessions, access tokens, links and invitations. With
    /// --database, end them in a database that pg_restore has filled.
    Restore {
        /// The backup: its folder, its tar archive, or - for an archive on standard input. None with --database.
        backup: Option<PathBuf>,
    },
    /// Check hashes, database and audit log of a backup, or of the data folder.
    Verify {
        /// The backup: its folder or its tar archive. Default: the data folder.
        backup: Option<PathBuf>,
    },
}

/// Runs a command on a data folder and prints its result. Blocks.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub fn run(data_dir: &Path, server: Option<Arc<Server>>, command: &Command) -> Result<(), String> {
    let Some(server) = server else {
        return run_here(data_dir, command);
    };
    match command {
        Command::Backup { to } if to != Path::new("-") => {
            check(data_dir)?;
            let files = write::write_files(data_dir, to)?;
            say(&format!("Backup: {}", files.display()));
            say(&how_to_back_up(&server));
            Ok(())
        }
        Command::Restore { backup: None } => {
            say(&restore::restored_server(server)?);
            Ok(())
        }
        Command::Verify { backup: None } => verify::verify_server(server),
        _ => Err(format!(
            "this is about a file, and the database is {}: leave out --database, or use pg_dump and pg_restore.",
            server.name()
        )),
    }
}

/// The same for a database in the data folder.
fn run_here(data_dir: &Path, command: &Command) -> Result<(), String> {
    match command {
        Command::Backup { to } if to == Path::new("-") => {
            check(data_dir)?;
            write::write_archive(data_dir, io::stdout().lock())
        }
        Command::Backup { to } => {
            check(data_dir)?;
            say(&format!(
                "Backup: {}",
                write::write(data_dir, to, || false)?.display()
            ));
            Ok(())
        }
        Command::Restore { backup } => {
            let backup = backup.as_ref().ok_or("give the backup to restore.")?;
            say(&restore::restore(backup, data_dir)?);
            Ok(())
        }
        Command::Verify { backup } => verify::verify(backup.as_deref().unwrap_or(data_dir)),
    }
}

/// Refuses a data folder into which a backup was not restored to the end.
///
/// # Errors
/// A sentence that says what to do.
pub fn check(data_dir: &Path) -> Result<(), String> {
    match data_dir.join(restore::STAGING).exists() {
        true => Err(format!(
            "restoring a backup into {} was interrupted. Run the same handrail restore again.",
            data_dir.display()
        )),
        false => Ok(()),
    }
}

/// What is done for a database on a server instead of a backup by Handrail.
fn how_to_back_up(server: &Server) -> String {
    format!(
        "The database is {}, and not in it. Back it up with the server's own tools, for example: \
         pg_dump --format=custom --schema=handrail --file=handrail.dump URL. After pg_restore, run: handrail restore --database URL",
        server.name()
    )
}
