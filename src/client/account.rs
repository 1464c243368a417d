//! The server and the token that commands use: from the environment, or from a file that only this user can read.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The variables that go before the file.
const URL: &str = "HANDRAIL_URL";
const TOKEN: &str = "HANDRAIL_TOKEN";
/// Longest token and longest file, in bytes.
const LONGEST: u64 = 16 << 10;

/// A server, and a token for it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// Address of the server.
    pub url: String,
    /// The token; empty for a server without a login.
    pub token: String,
}

impl Account {
    /// What the environment and the file say.
    ///
    /// # Errors
    /// A sentence if there is none, or the file cannot be read, or others could read it.
    pub fn known() -> Result<Self, String> {
        let given = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (url, token) = (given(URL), given(TOKEN));
        if let (Some(url), Some(token)) = (&url, &token) {
            return Ok(Self {
                url: url.clone(),
                token: token.clone(),
            });
        }
        let file = file()?;
        let kept = read(&file)?;
        match (url, kept) {
            // A token is never sent to another server than the one that it was kept for.
            (Some(url), Some(kept)) if url != kept.url => Ok(Self {
                url,
                token: token.unwrap_or_default(),
            }),
            (_, Some(kept)) => Ok(Self {
                token: token.unwrap_or(kept.token),
                ..kept
            }),
            (Some(url), None) => Ok(Self {
                url,
                token: token.unwrap_or_default(),
            }),
            (None, None) => Err(format!(
                "there is no server to talk to. Run: handrail login URL (or set {URL} and {TOKEN})."
            )),
        }
    }

    /// An account at `url` whose token is asked for.
    ///
    /// # Errors
    /// A sentence if there is no token.
    pub fn asked(url: &str) -> Result<Self, String> {
        let token = match std::env::var(TOKEN) {
            Ok(token) => token,
            Err(_) if std::io::stdin().is_terminal() => {
                eprint!("Access token (made on the page Account): ");
                let _ = std::io::stderr().flush();
                rpassword::read_password().map_err(unreadable)?
            }
            Err(_) => {
                let mut text = String::new();
                let mut input = std::io::stdin().take(LONGEST);
                input.read_to_string(&mut text).map_err(unreadable)?;
                text.lines().next().unwrap_or_default().to_owned()
            }
        };
        Ok(Self {
            url: url.to_owned(),
            token: token.trim().to_owned(),
        })
    }

    /// Keeps it in a file with mode 0600, and returns its path.
    ///
    /// # Errors
    /// A sentence if it cannot be written.
    pub fn keep(&self) -> Result<PathBuf, String> {
        let path = file()?;
        let failed = |error| format!("{} cannot be written: {error}.", path.display());
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        let text = toml::to_string(self).expect("texts are plain data");
        // The file is new, so nobody has it open, and it is whole when it gets its name.
        let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        new.write_all(text.as_bytes()).map_err(failed)?;
        new.persist(&path).map_err(|error| failed(error.error))?;
        Ok(path)
    }
}

fn unreadable(error: std::io::Error) -> String {
    format!("standard input cannot be read: {error}.")
}

/// The file with the account.
fn file() -> Result<PathBuf, String> {
    let folder = |name: &str| {
        let value = std::env::var_os(name);
        value.filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    let config = folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let config = config.or_else(|| folder("HOME").map(|home| home.join(".config")));
    let config = config.ok_or("neither XDG_CONFIG_HOME nor HOME is set.")?;
    Ok(config.join("handrail/client.toml"))
}

fn read(path: &Path) -> Result<Option<Account>, String> {
    let failed = |error: std::io::Error| format!("{} cannot be read: {error}.", path.display());
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(format!(
                "{path} can be read by others. Run: chmod 600 {path}",
                path = path.display()
            ));
        }
    }
    let mut text = String::new();
    file.take(LONGEST)
        .read_to_string(&mut text)
        .map_err(failed)?;
    let account = toml::from_str(&text).map_err(|_| {
        let path = path.display();
        format!("{path} is damaged. Run: handrail login URL")
    })?;
    Ok(Some(account))
}
