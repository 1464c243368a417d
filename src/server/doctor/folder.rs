//! The data folder, its disk and what is in it.

use super::{Finding, Good, Note, Wrong};
use crate::clock::now;
use crate::journal::{DATABASE_FILE, Glance, JournalError, Location, Room, RoomLimits, Server};
use crate::server::config::Config;
use crate::server::{backup, lock, reasons};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Syncs that are measured.
const SYNCS: usize = 11;
/// A sync that takes longer delays each approval so that people notice.
const SLOW: Duration = Duration::from_millis(100);
/// Differences of clocks that nobody notices.
const APART: i64 = 5 * 60 * 1000;
/// No clock is before this: 2026-01-01, milliseconds since the Unix epoch.
const BEGINNING: i64 = 1_767_225_600_000;

/// The folder, or what is above it as long as it does not exist.
fn existing(data_dir: &Path) -> &Path {
    let mut folders = data_dir
        .ancestors()
        .filter(|folder| !folder.as_os_str().is_empty());
    folders
        .find(|folder| folder.exists())
        .unwrap_or(Path::new("."))
}

/// Whether this user, and nobody else, can read and write the folder.
pub fn access(data_dir: &Path) -> Finding {
    let folder = existing(data_dir);
    if !folder.is_dir() {
        return Wrong(format!(
            "{} is a file, not a folder. Choose another folder with --data-dir",
            folder.display()
        ));
    }
    if let Err(error) = tempfile::tempfile_in(folder) {
        return Wrong(match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => format!(
                "there is no room in {}. Delete something on this disk, or move the folder",
                folder.display()
            ),
            _ => format!(
                "this user cannot create files in {}: {error}. Run handrail as the user that owns it, or change its owner with chown -R",
                folder.display()
            ),
        });
    }
    if folder != data_dir {
        return Good(format!(
            "{} does not exist yet; the server creates it",
            data_dir.display()
        ));
    }
    for name in ["", "-wal", "-shm"].map(|end| format!("{DATABASE_FILE}{end}")) {
        let file = data_dir.join(&name);
        if file.exists()
            && let Err(error) = OpenOptions::new().append(true).open(&file)
        {
            return Wrong(format!(
                "this user cannot write {}: {error}. It belongs to another user, because a command ran as that one: change its owner with chown",
                file.display()
            ));
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(data_dir).map_or(0, |about| about.permissions().mode());
        if mode & 0o077 != 0 {
            return Wrong(format!(
                "other users of this machine can open {0}, which has secrets. Run: chmod 700 {0}",
                data_dir.display()
            ));
        }
    }
    Good(format!(
        "{} can be written, by this user only",
        data_dir.display()
    ))
}

/// Whether a server uses the folder.
pub fn lock(data_dir: &Path) -> Finding {
    if !data_dir.is_dir() {
        return Good("no server uses the folder".to_owned());
    }
    match lock::of(data_dir) {
        Ok(Some(_)) => Good("no server uses the folder".to_owned()),
        Err(lock::LockError::Taken) => Good("a server uses the folder".to_owned()),
        Ok(None) => Note(
            "the folder's file system has no locks: make sure that only one server uses it"
                .to_owned(),
        ),
        Err(error) => Wrong(format!(
            "{} Run handrail as the user that owns the folder",
            reasons(&error)
        )),
    }
}

/// Room and speed of the disk.
pub fn disk(data_dir: &Path, limits: RoomLimits) -> Finding {
    let folder = existing(data_dir);
    let took = match sync_time(folder) {
        Ok(took) => took,
        Err(error) => {
            return Wrong(format!(
                "a file in {} cannot be written to disk: {error}. Make room, or check the disk",
                folder.display()
            ));
        }
    };
    let room = Room::of(folder);
    let text = format!(
        "{} free, a write is on disk within {:.1} ms",
        room.map_or("unknown space is".to_owned(), |room| format!("{room} are")),
        took.as_secs_f64() * 1e3
    );
    match room {
        Some(room) if limits.reserve.is_above(room) => Wrong(format!(
            "{text}. Make room: below --disk-reserve nothing is stored"
        )),
        Some(room) if limits.low.is_above(room) => Note(format!("{text}. Make room soon")),
        _ if took > SLOW => Note(format!(
            "{text}. That is slow: each approval waits for it. Choose a local disk with --data-dir"
        )),
        _ => Good(text),
    }
}

/// The median time until a page is on disk.
fn sync_time(folder: &Path) -> io::Result<Duration> {
    let mut file = tempfile::tempfile_in(folder)?;
    let mut times = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let begun = Instant::now();
        file.write_all(&[0; 4096])?;
        file.sync_data()?;
        times.push(begun.elapsed());
    }
    times.sort();
    Ok(times[SYNCS / 2])
}

/// What the database says at once; `None` if there is none. Errors: it cannot be used.
pub fn glance(config: &Config) -> Result<Option<Glance>, JournalError> {
    let data_dir = config.data_dir.as_path();
    if let Ok(Some(server)) = config.database.server() {
        return crate::journal::glance(Location::Server(server)).map(Some);
    }
    match data_dir.join(DATABASE_FILE).exists() {
        true => crate::journal::glance(data_dir).map(Some),
        false => Ok(None),
    }
}

/// Whether this version can use the database.
pub fn database(config: &Config, glance: &Result<Option<Glance>, JournalError>) -> Finding {
    let data_dir = config.data_dir.as_path();
    match config.database.server() {
        Err(text) => return Wrong(text.trim_end_matches('.').to_owned()),
        Ok(Some(server)) => return on_server(&server, glance),
        Ok(None) => {}
    }
    if let Err(text) = backup::check(data_dir) {
        return Wrong(text.trim_end_matches('.').to_owned());
    }
    match glance {
        Ok(None) => Good("none yet; the server creates it".to_owned()),
        Ok(Some(glance)) if glance.version == glance.newest => {
            Good(format!("version {}", glance.version))
        }
        Ok(Some(glance)) => {
            let bytes = fs::metadata(data_dir.join(DATABASE_FILE)).map_or(0, |file| file.len());
            Note(format!(
                "version {}; the next start converts it to {} and keeps a copy, for which it needs {} MB",
                glance.version,
                glance.newest,
                bytes.div_ceil(1_000_000)
            ))
        }
        Err(error @ JournalError::OtherVersion { .. }) => {
            Wrong(reasons(error).trim_end_matches('.').to_owned())
        }
        Err(error) => Wrong(format!(
            "{} Restore a backup with handrail restore",
            reasons(error)
        )),
    }
}

/// The same for a database on a server.
fn on_server(server: &Server, glance: &Result<Option<Glance>, JournalError>) -> Finding {
    match glance {
        Ok(Some(glance)) => {
            let is = format!("{}, PostgreSQL {}", server.name(), glance.server);
            match glance.version {
                0 => Good(format!("{is}; the server creates the tables")),
                version if version == glance.newest => Good(format!("{is}, version {version}")),
                version => Note(format!(
                    "{is}, version {version}; the next start converts it to {}: back it up with pg_dump before",
                    glance.newest
                )),
            }
        }
        Ok(None) => Good(server.name()),
        Err(error) => Wrong(reasons(error).trim_end_matches('.').to_owned()),
    }
}

/// Whether the time can be right.
pub fn clock(glance: &Result<Option<Glance>, JournalError>) -> Finding {
    let newest = match glance {
        Ok(Some(glance)) => glance.newest_entry,
        _ => 0,
    };
    let advice = "Set it, best with a time service such as systemd-timesyncd";
    match now() {
        now if now < BEGINNING => Wrong(format!(
            "the clock of this machine is years behind. {advice}"
        )),
        now if now + APART < newest => Wrong(format!(
            "the clock of this machine is behind the newest entry of the audit log by {} minutes: sessions and locks end at wrong times. {advice}",
            (newest - now) / 60_000
        )),
        _ => Good("the time can be right".to_owned()),
    }
}
