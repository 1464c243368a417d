//! Options of the `handrail` program: each is a flag and an environment variable.

use clap::{Parser, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A web dashboard for OpenHands coding agents.
///
/// Without a backend Handrail starts its rehearsal: scripted agents that execute nothing.
#[derive(Debug, Clone, Parser)]
#[command(version, max_term_width = 100)]
pub struct Config {
    /// Address and port to listen on. Port 0 takes a free one.
    #[arg(
        long,
        env = "HANDRAIL_LISTEN",
        default_value = "127.0.0.1:4100",
        value_name = "ADDRESS:PORT"
    )]
    pub listen: SocketAddr,

    /// Where the journal and the settings are kept. Made on first start.
    #[arg(long, env = "HANDRAIL_DATA_DIR", default_value_os_t = default_data_dir(), value_name = "FOLDER")]
    pub data_dir: PathBuf,

    /// Address of an OpenHands server, for example http://127.0.0.1:3000. "rehearsal" is the embedded one.
    /// Without this option the choice made on the settings page counts.
    #[arg(long, env = "HANDRAIL_BACKEND", value_name = "URL")]
    pub backend: Option<String>,

    /// File with the backend's session API key (its first line).
    #[arg(long, env = "HANDRAIL_BACKEND_KEY_FILE", value_name = "FILE")]
    pub backend_key_file: Option<PathBuf>,

    /// The backend's session API key. Prefer the file: other users of the machine can read options.
    #[arg(
        long,
        env = "HANDRAIL_BACKEND_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    pub backend_key: Option<String>,

    /// Serve on an address that others can reach although Handrail has no login yet: everybody there
    /// can make the agent run commands.
    #[arg(long, env = "HANDRAIL_UNPROTECTED")]
    pub unprotected: bool,

    /// Further host names under which browsers may reach Handrail (against DNS rebinding), separated by commas.
    #[arg(
        long,
        env = "HANDRAIL_ALLOW_HOST",
        value_delimiter = ',',
        value_name = "NAME"
    )]
    pub allow_host: Vec<String>,

    /// What is logged: a level, or a filter such as "info,handrail::hub=debug".
    #[arg(
        long,
        env = "HANDRAIL_LOG",
        default_value = "info",
        value_name = "FILTER"
    )]
    pub log: String,

    /// How it is logged.
    #[arg(
        long,
        env = "HANDRAIL_LOG_FORMAT",
        default_value = "text",
        value_name = "FORMAT"
    )]
    pub log_format: LogFormat,

    /// Milliseconds between the events of a rehearsal.
    #[arg(
        long,
        env = "HANDRAIL_REHEARSAL_PACE",
        default_value_t = 350,
        value_name = "MILLISECONDS"
    )]
    pub rehearsal_pace: u64,

    /// Serve only the rehearsal, on the port of --listen, as if it were an OpenHands: for trying out --backend.
    #[arg(long, env = "HANDRAIL_ONLY_REHEARSAL")]
    pub only_rehearsal: bool,

    /// Let browsers order faults of the rehearsal, for tests of Handrail itself.
    #[arg(long, env = "HANDRAIL_REHEARSAL_FAULTS", hide = true)]
    pub rehearsal_faults: bool,
}

/// How it is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines: one JSON object a line.
    Json,
}

impl Config {
    /// Time between the events of a rehearsal.
    pub fn pace(&self) -> Duration {
        Duration::from_millis(self.rehearsal_pace)
    }

    /// The backend's key, from the option or the file.
    ///
    /// # Errors
    /// A sentence that names the file when it cannot be read.
    pub fn key(&self) -> Result<Option<String>, String> {
        let Some(file) = &self.backend_key_file else {
            return Ok(self.backend_key.clone());
        };
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("The key file {} cannot be read: {error}.", file.display()))?;
        Ok(text.lines().next().map(|line| line.trim().to_owned()))
    }

    /// Refuses to serve people who would be let in without a login.
    ///
    /// # Errors
    /// A sentence that says which option is meant for it.
    pub fn check(&self) -> Result<(), String> {
        if self.listen.ip().is_loopback() || self.unprotected {
            return Ok(());
        }
        Err(format!(
            "{} can be reached from other machines, and Handrail has no login yet: whoever opens the page can make the \
             agent run commands. Listen on 127.0.0.1, or say --unprotected if the network is yours alone.",
            self.listen
        ))
    }
}

fn default_data_dir() -> PathBuf {
    let home = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    home("XDG_DATA_HOME")
        .or_else(|| home("HOME").map(|home| home.join(".local/share")))
        .unwrap_or_else(|| PathBuf::from("."))
        .join("handrail")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_address_is_refused_unless_it_is_asked_for() {
        let read = |arguments: &[&str]| {
            Config::try_parse_from([&["handrail"], arguments].concat()).unwrap()
        };
        assert!(read(&["--listen", "127.0.0.1:0"]).check().is_ok());
        assert!(read(&["--listen", "[::1]:0"]).check().is_ok());
        assert!(read(&["--listen", "0.0.0.0:0"]).check().is_err());
        assert!(
            read(&["--listen", "0.0.0.0:0", "--unprotected"])
                .check()
                .is_ok()
        );
    }

    #[test]
    fn the_key_is_the_first_line_of_its_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret \nsecond line\n").unwrap();
        let path = file.path().to_str().unwrap();
        let config = Config::try_parse_from(["handrail", "--backend-key-file", path]).unwrap();
        assert_eq!(config.key().unwrap().as_deref(), Some("secret"));
        let config =
            Config::try_parse_from(["handrail", "--backend-key-file", "/nowhere/at/all"]).unwrap();
        assert!(config.key().unwrap_err().contains("/nowhere/at/all"));
    }
}
