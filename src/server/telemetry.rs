//! Logging: structured, to standard error, without secrets.
//!
//! Requests are logged with method, path (never the query) and status; bodies and headers never are.

use super::config::{Config, LogFormat};
use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;

/// Starts logging.
///
/// # Errors
/// A sentence if the filter is invalid.
pub fn start(config: &Config) -> Result<(), String> {
    let filter = EnvFilter::try_new(&config.log).map_err(|error| {
        format!(
            "--log {:?} is not a filter: {error}. Try info or debug.",
            config.log
        )
    })?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match config.log_format {
        LogFormat::Text => log.with_target(false).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    Ok(())
}
