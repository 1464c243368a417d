//! Options of the `handrail` program: each is a flag and an environment variable.
//!
//! Long because each option stands with its description.

use super::backup;
use super::base_path::Base;
use super::commands::Command;
use super::openid;
use super::proxies::Proxy;
use super::tls::{Files, own_files};
use crate::journal::{RoomLimits, Threshold};
use crate::notify::PushHost;
use clap::{Parser, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A web dashboard for OpenHands coding agents.
///
/// Without a backend Handrail starts its rehearsal: scripted agents that execute nothing.
#[derive(Debug, Clone, Parser)]
#[command(version, max_term_width = 100)]
pub struct Config {
    /// Configuration file (TOML). Its keys are these options, without the dashes in front: `listen = "127.0.0.1:4100"`. An
    /// option of the command line or of the environment goes before the file.
    #[arg(long, global = true, env = "HANDRAIL_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Address and port to listen on. Port 0 picks a free port.
    #[arg(
        long,
        env = "HANDRAIL_LISTEN",
        default_value = "127.0.0.1:4100",
        value_name = "ADDRESS:PORT"
    )]
    pub listen: SocketAddr,

    /// Directory of the journal and the settings. Created on first start.
    #[arg(long, alias = "data", global = true, env = "HANDRAIL_DATA_DIR", default_value_os_t = default_data_dir(), value_name = "FOLDER")]
    pub data_dir: PathBuf,

    /// The database.
    #[command(flatten)]
    pub database: super::database::Options,

    /// Several nodes on one database.
    #[command(flatten)]
    pub node: super::node_options::Options,

    /// Address of an OpenHands server, for example http://127.0.0.1:3000 (0.x or an app server) or
    /// http://127.0.0.1:8000 (an agent-server 1.x), or "rehearsal" for the embedded one. Can be repeated, or separated by commas. Default: the
    /// backends on the settings page.
    #[arg(
        long,
        env = "HANDRAIL_BACKEND",
        value_delimiter = ',',
        value_name = "URL",
        hide_env_values = true
    )]
    pub backend: Vec<String>,

    /// Login by OpenID Connect.
    #[command(flatten)]
    pub openid: openid::Options,

    /// File with the backend's session API key on its first line. With several backends, one file for each in the same
    /// order; an empty file means no key.
    #[arg(
        long,
        env = "HANDRAIL_BACKEND_KEY_FILE",
        value_delimiter = ',',
        value_name = "FILE"
    )]
    pub backend_key_file: Vec<PathBuf>,

    /// The backend's session API key. Prefer the file: other users of this machine can see command lines.
    #[arg(
        long,
        env = "HANDRAIL_BACKEND_KEY",
        value_delimiter = ',',
        value_name = "KEY",
        hide_env_values = true
    )]
    pub backend_key: Vec<String>,

    /// Disable the login: everyone who opens the page on this machine has full access. Loopback addresses only.
    #[arg(long, env = "HANDRAIL_TRUST_LOCAL")]
    pub trust_local: bool,

    /// Base path, behind a proxy that serves other applications, too.
    #[arg(long, env = "HANDRAIL_BASE", default_value = "/", value_name = "PATH")]
    pub base: Base,

    /// Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted: addresses or networks, separated by
    /// commas. Default: none.
    #[arg(
        long,
        env = "HANDRAIL_TRUSTED_PROXY",
        value_delimiter = ',',
        value_name = "ADDRESS"
    )]
    pub trusted_proxy: Vec<Proxy>,

    /// Serve over TLS with the certificate of `handrail tls init`.
    #[arg(long, env = "HANDRAIL_TLS")]
    pub tls: bool,

    /// Serve over TLS with the certificate chain in this file (PEM). It is reloaded when it changes.
    #[arg(
        long,
        env = "HANDRAIL_TLS_CERTIFICATE",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub tls_certificate: Option<PathBuf>,

    /// Private key of the certificate (PEM).
    #[arg(
        long,
        env = "HANDRAIL_TLS_KEY",
        value_name = "FILE",
        requires = "tls_certificate"
    )]
    pub tls_key: Option<PathBuf>,

    /// Send HSTS: browsers use only TLS with this host name for a year. This cannot be undone within that year.
    #[arg(long, env = "HANDRAIL_HSTS")]
    pub hsts: bool,

    /// Additional host names that browsers may use (protects against DNS rebinding), separated by commas.
    #[arg(
        long,
        env = "HANDRAIL_ALLOW_HOST",
        value_delimiter = ',',
        value_name = "NAME"
    )]
    pub allow_host: Vec<String>,

    /// Additional servers that notifications may be sent to, separated by commas: host names such as push.example.org,
    /// or origins such as `http://ntfy.lan:8080`. Known are the push services of browsers, and ntfy.sh.
    #[arg(
        long,
        env = "HANDRAIL_PUSH_HOST",
        value_delimiter = ',',
        value_name = "HOST"
    )]
    pub push_host: Vec<PushHost>,

    /// The disk is nearly full when less is free on that of the data folder: owners are told. A size, a share, or both, of
    /// which one is enough: 1GB,5%. 0 turns it off.
    #[arg(
        long,
        env = "HANDRAIL_DISK_LOW",
        default_value = "1GB",
        value_name = "ROOM"
    )]
    pub disk_low: Threshold,

    /// Nothing is stored while less is free on the disk of the data folder; everything can be read.
    #[arg(
        long,
        env = "HANDRAIL_DISK_RESERVE",
        default_value = "100MB",
        value_name = "ROOM"
    )]
    pub disk_reserve: Threshold,

    /// Backups.
    #[command(flatten)]
    pub backup: backup::Options,

    /// File with a token on its first line, with which /metrics can be read (Authorization: Bearer). Default: without a
    /// token, from this machine only.
    #[arg(long, env = "HANDRAIL_METRICS_TOKEN_FILE", value_name = "FILE")]
    pub metrics_token_file: Option<PathBuf>,

    /// Log level, or a filter such as "info,handrail::hub=debug".
    #[arg(
        long,
        env = "HANDRAIL_LOG",
        default_value = "info",
        value_name = "FILTER"
    )]
    pub log: String,

    /// Log format.
    #[arg(
        long,
        env = "HANDRAIL_LOG_FORMAT",
        default_value = "text",
        value_name = "FORMAT"
    )]
    pub log_format: LogFormat,

    /// The rehearsal.
    #[command(flatten)]
    pub rehearsal: super::backends::RehearsalOptions,

    /// A command other than serving.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Log format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

impl Config {
    /// The backends' keys in order, from the files or the options.
    ///
    /// # Errors
    /// A sentence that names the key file that cannot be read.
    pub fn keys(&self) -> Result<Vec<Option<String>>, String> {
        let given = |key: &str| Some(key.trim().to_owned()).filter(|key| !key.is_empty());
        if self.backend_key_file.is_empty() {
            return Ok(self.backend_key.iter().map(|key| given(key)).collect());
        }
        let files = self.backend_key_file.iter();
        let keys = files.map(|file| match std::fs::read_to_string(file) {
            Ok(text) => Ok(text.lines().next().and_then(given)),
            Err(error) => Err(format!(
                "The key file {} cannot be read: {error}.",
                file.display()
            )),
        });
        keys.collect()
    }

    /// When room on the disk is scarce.
    pub fn room_limits(&self) -> RoomLimits {
        RoomLimits {
            low: self.disk_low,
            reserve: self.disk_reserve,
        }
    }

    /// The certificate to serve with; `None` without TLS.
    pub fn certificate(&self) -> Option<Files> {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => Some(Files {
                certificate: certificate.clone(),
                key: key.clone(),
            }),
            _ => self.tls.then(|| own_files(&self.data_dir).1),
        }
    }

    /// The address of the first page for a browser on this machine; ends with `/`.
    pub fn local_address(&self, listening: SocketAddr) -> String {
        let scheme = if self.certificate().is_some() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://127.0.0.1:{}{}", listening.port(), self.base.0)
    }

    /// Rejects a configuration that serves other machines without a login.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn check(&self) -> Result<(), String> {
        if self.listen.ip().is_loopback() || !self.trust_local {
            return Ok(());
        }
        Err(format!(
            "{} can be reached from other machines, and with --trust-local everyone there could make the agent run \
             commands. Listen on 127.0.0.1, or remove --trust-local.",
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
    fn nobody_but_who_sits_at_the_machine_is_let_in_without_a_login() {
        let read = |arguments: &[&str]| {
            Config::try_parse_from([&["handrail"], arguments].concat()).unwrap()
        };
        for loopback in ["127.0.0.1:0", "[::1]:0"] {
            assert!(
                read(&["--trust-local", "--listen", loopback])
                    .check()
                    .is_ok()
            );
        }
        for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            assert!(read(&["--trust-local", "--listen", open]).check().is_err());
            assert!(read(&["--listen", open]).check().is_ok());
        }
    }

    #[test]
    fn who_believes_every_proxy_is_not_started() {
        for bad in ["*", "0.0.0.0/0", "10.0.0.1,*"] {
            assert!(
                Config::try_parse_from(["handrail", "--trusted-proxy", bad]).is_err(),
                "{bad}"
            );
        }
        let good =
            Config::try_parse_from(["handrail", "--trusted-proxy", "10.0.0.1,172.18.0.0/16"])
                .unwrap();
        assert_eq!(good.trusted_proxy.len(), 2);
    }

    #[test]
    fn the_key_is_the_first_line_of_its_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "secret \nsecond line\n").unwrap();
        let path = file.path().to_str().unwrap();
        let config = Config::try_parse_from(["handrail", "--backend-key-file", path]).unwrap();
        assert_eq!(config.keys().unwrap(), [Some("secret".to_owned())]);
        let config =
            Config::try_parse_from(["handrail", "--backend-key-file", "/nowhere/at/all"]).unwrap();
        assert!(config.keys().unwrap_err().contains("/nowhere/at/all"));
    }
}
