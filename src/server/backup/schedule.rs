//! Backups that the server makes by itself.

use super::manifest::MANIFEST;
use super::write::{keep_newest, names, write};
use crate::clock::now;
use crate::metrics;
use clap::Args;
use jiff::{Span, SpanRelativeTo};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// Shortest interval of backups.
const SHORTEST: Duration = Duration::from_secs(60);
/// Longest time until a backup that has failed is tried again.
const RETRY: Duration = Duration::from_secs(15 * 60);

/// Backups that the server makes by itself.
#[derive(Debug, Clone, Args)]
#[group(skip)]
pub struct Options {
    /// Interval at which the server makes backups, for example 24h or 7d.
    #[arg(
        long,
        env = "HANDRAIL_BACKUP_EVERY",
        value_name = "DURATION",
        requires = "backup_to",
        value_parser = interval
    )]
    pub backup_every: Option<Duration>,

    /// Folder of these backups; best on another disk.
    #[arg(
        long,
        env = "HANDRAIL_BACKUP_TO",
        value_name = "FOLDER",
        requires = "backup_every"
    )]
    pub backup_to: Option<PathBuf>,

    /// Number of backups kept in that folder; older ones are deleted.
    #[arg(
        long,
        env = "HANDRAIL_BACKUP_KEEP",
        default_value = "7",
        value_name = "NUMBER"
    )]
    pub backup_keep: NonZeroUsize,
}

/// When and where backups are made.
#[derive(Debug, Clone)]
pub struct Schedule {
    every: Duration,
    to: PathBuf,
    keep: NonZeroUsize,
}

impl Schedule {
    /// What the options ask for, if they ask for backups.
    pub fn of(options: &Options) -> Option<Self> {
        Some(Self {
            every: options.backup_every?,
            to: options.backup_to.clone()?,
            keep: options.backup_keep,
        })
    }

    /// Makes backups of a data folder until `stopping` is cancelled. The first one is due when the newest in the folder
    /// is too old: a restart neither repeats nor postpones one.
    pub async fn run(self, data_dir: PathBuf, stopping: CancellationToken) {
        let mut wait = self.due_in();
        while stopping
            .run_until_cancelled(tokio::time::sleep(wait))
            .await
            .is_some()
        {
            let (schedule, data_dir) = (self.clone(), data_dir.clone());
            let is_over = stopping.clone();
            let made = spawn_blocking(move || {
                let made = write(&data_dir, &schedule.to, move || is_over.is_cancelled())?;
                keep_newest(&schedule.to, schedule.keep.get())?;
                Ok::<_, String>(made)
            });
            wait = match made.await {
                Ok(Ok(path)) => {
                    tracing::info!(path = %path.display(), "backup written");
                    metrics::BACKUPS.count("made");
                    metrics::LAST_BACKUP.set(now() / 1000);
                    self.every
                }
                _ if stopping.is_cancelled() => return,
                Ok(Err(error)) => {
                    tracing::error!(error, "a backup failed; it is tried again");
                    metrics::BACKUPS.count("failed");
                    self.every.min(RETRY)
                }
                // The panic was reported by its hook.
                Err(_) => self.every.min(RETRY),
            };
        }
    }

    /// Time until the next backup is due.
    fn due_in(&self) -> Duration {
        match age_of_newest(&self.to) {
            Some(age) => self.every.saturating_sub(age),
            None => Duration::ZERO,
        }
    }
}

/// Age of the newest backup in a folder; `None` if there is none, or its time is in the future.
fn age_of_newest(folder: &Path) -> Option<Duration> {
    let newest = names(folder).ok()?.pop()?;
    let manifest = std::fs::metadata(folder.join(newest).join(MANIFEST)).ok()?;
    SystemTime::now()
        .duration_since(manifest.modified().ok()?)
        .ok()
}

/// Parses an interval; days have 24 hours.
fn interval(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not an interval of a minute or more, such as 24h or 7d");
    let span: Span = text.parse().map_err(|_| wrong())?;
    let duration = span.to_duration(SpanRelativeTo::days_are_24_hours());
    let duration = duration.map_err(|_| wrong())?;
    let duration = Duration::try_from(duration).map_err(|_| wrong())?;
    match duration >= SHORTEST {
        true => Ok(duration),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_a_number_with_its_unit() {
        for (text, minutes) in [("24h", 1440), ("7d", 10_080), ("90m", 90), ("1h 30m", 90)] {
            assert_eq!(
                interval(text),
                Ok(Duration::from_secs(minutes * 60)),
                "{text}"
            );
        }
        for bad in ["", "24", "1s", "-1h", "daily", "1mo"] {
            assert!(interval(bad).is_err(), "{bad}");
        }
    }
}
