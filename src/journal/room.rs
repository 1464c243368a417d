//! Room on the disk of the journal: it is said before it runs out, and changes stop while some of it is still there.
//!
//! A disk that is filled to the last byte breaks more than the journal: the system's own log, and the commands that would
//! make room. So a server keeps a reserve. Below it every change fails as on a full disk, except those that make room;
//! reading goes on, and so do changes as soon as there is room again.

use super::{Journal, JournalError};
use crate::sync::lock;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How long a look at the disk is good for.
const FRESH: Duration = Duration::from_secs(1);
/// Units of sizes, in bytes.
const UNITS: [(&str, u64); 6] = [
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("MIB", 1 << 20),
    ("GIB", 1 << 30),
    ("TIB", 1 << 40),
];

/// Room on a disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Room {
    /// What this user can still write.
    pub free: u64,
    /// Size of the disk.
    pub size: u64,
}

impl Room {
    /// Of the disk that has this folder; `None` if the system does not say.
    pub fn of(folder: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            let about = rustix::fs::statvfs(folder).ok()?;
            Some(Self {
                free: about.f_bavail.saturating_mul(about.f_frsize),
                size: about.f_blocks.saturating_mul(about.f_frsize),
            })
        }
        #[cfg(not(unix))]
        {
            let _ = folder;
            None
        }
    }
}

/// So much that `0.4 GB are free` can be said.
impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.free {
            free if free < 1_000_000_000 => write!(f, "{} MB", free / 1_000_000),
            free => write!(f, "{:.1} GB", free as f64 / 1e9),
        }
    }
}

/// Room below which something happens: bytes, a share of the disk, or both, of which one is enough. Nothing by default.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Threshold {
    bytes: u64,
    percent: f64,
}

impl Threshold {
    /// Whether there is less room than this.
    pub fn is_above(&self, room: Room) -> bool {
        room.free < self.bytes || (room.free as f64) < room.size as f64 * self.percent / 100.0
    }
}

impl FromStr for Threshold {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("{text:?} is not a size, a share or both, such as 1GB, 5% or 1GB,5%");
        let mut threshold = Self::default();
        for part in text.split(',') {
            let part = part.trim().to_uppercase();
            let digits = part.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
            let (number, unit) = part.split_at(digits.unwrap_or(part.len()));
            let number: f64 = number.parse().map_err(|_| wrong())?;
            match unit.trim() {
                "%" if number <= 100.0 => threshold.percent = number,
                "" if number == 0.0 => {}
                unit => {
                    let known = UNITS.iter().find(|(name, _)| *name == unit);
                    let (_, bytes) = known.ok_or_else(wrong)?;
                    threshold.bytes = (number * *bytes as f64) as u64;
                }
            }
        }
        Ok(threshold)
    }
}

/// When room is said to be scarce, and when changes stop.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RoomLimits {
    /// Owners are told below this.
    pub low: Threshold,
    /// Changes stop below this.
    pub reserve: Threshold,
}

/// How much room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum RoomState {
    /// Enough, or nobody wants to know.
    #[default]
    Enough,
    /// It will not last.
    Low,
    /// Nothing is changed until there is more.
    Reserve,
}

/// Looks at the disk of a database.
#[derive(Debug)]
pub(super) struct RoomWatch {
    folder: Option<PathBuf>,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    limits: Option<RoomLimits>,
    at: Option<Instant>,
    room: Room,
    state: RoomState,
    #[cfg(test)]
    pretended: Option<Room>,
}

impl RoomWatch {
    /// Of the disk that has the file; a server looks at its own.
    pub(super) fn of(file: Option<&Path>) -> Self {
        Self {
            folder: file.map(|file| file.parent().unwrap_or(Path::new(".")).to_owned()),
            seen: Mutex::default(),
        }
    }

    /// The room and what it is, as of at most a second ago.
    pub(super) fn look(&self) -> (Room, RoomState) {
        let mut seen = lock(&self.seen);
        let Some(limits) = seen.limits else {
            return Default::default();
        };
        if seen.at.is_some_and(|at| at.elapsed() < FRESH) {
            return (seen.room, seen.state);
        }
        let room = self.folder.as_deref().and_then(Room::of);
        #[cfg(test)]
        let room = seen.pretended.or(room);
        seen.at = Some(Instant::now());
        let Some(room) = room else {
            return (seen.room, seen.state);
        };
        let state = match room {
            room if limits.reserve.is_above(room) => RoomState::Reserve,
            room if limits.low.is_above(room) => RoomState::Low,
            _ => RoomState::Enough,
        };
        if state != seen.state {
            match state {
                RoomState::Enough => {
                    tracing::info!(free = %room, "there is room on the disk again")
                }
                RoomState::Low => {
                    tracing::warn!(free = %room, "the disk is nearly full: make room")
                }
                RoomState::Reserve => {
                    tracing::error!(free = %room, "the disk is nearly full: nothing is stored until there is room; everything can be read");
                }
            }
        }
        (seen.room, seen.state) = (room, state);
        (room, state)
    }

    fn limit(&self, limits: RoomLimits) {
        *lock(&self.seen) = Seen {
            limits: Some(limits),
            ..Seen::default()
        };
    }

    /// Has it see so much room from now on.
    #[cfg(test)]
    pub(super) fn pretend(&self, room: Room) {
        let mut seen = lock(&self.seen);
        seen.pretended = Some(room);
        seen.at = None;
    }
}

/// The error of a change below the reserve.
pub(super) fn below_reserve(room: Room) -> JournalError {
    JournalError::Full(format!("only {room} are free on its disk").into())
}

impl Journal {
    /// Says and does something about scarce room from now on. A short command has no limits: it may be what makes room.
    pub fn limit_room(&self, limits: RoomLimits) {
        self.database.room().limit(limits);
    }

    /// The room on the disk of the journal, and whether it is enough, as of at most a second ago.
    pub fn room(&self) -> (Room, RoomState) {
        self.database.room().look()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(text: &str) -> Threshold {
        text.parse().expect("it is a threshold")
    }

    #[test]
    fn a_threshold_is_a_size_a_share_or_both() {
        let room = |free, size| Room { free, size };
        let gigabyte = 1_000_000_000;
        assert!(threshold("1GB").is_above(room(gigabyte - 1, 10 * gigabyte)));
        assert!(!threshold("1 gb").is_above(room(gigabyte, 100 * gigabyte)));
        assert!(threshold("5%").is_above(room(gigabyte, 21 * gigabyte)));
        assert!(threshold("0.5GiB, 5%").is_above(room(gigabyte, 21 * gigabyte)));
        assert!(!threshold("0").is_above(room(0, gigabyte)));
        for bad in ["", "1", "GB", "1 parsec", "101%", "-1GB", "1GB;5%"] {
            assert!(bad.parse::<Threshold>().is_err(), "{bad}");
        }
    }

    #[test]
    fn room_is_said_in_the_unit_that_fits() {
        let free = |free| Room { free, size: 0 }.to_string();
        assert_eq!(
            (free(1_500_000_000), free(99_900_000)),
            ("1.5 GB".to_owned(), "99 MB".to_owned())
        );
    }
}
