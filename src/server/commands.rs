//! Commands other than serving: accounts, audit log, certificates and backups, for users with a shell on this machine.
//!
//! Long because each command stands with its options and its sentences.

use super::database::Options;
use super::{backends, backup, lock, reasons, say, tls};
use crate::client;
use crate::hub::{Verified, retention_of, verify_evidence};
use crate::journal::{AuditFilter, DATABASE_FILE, Journal, Server, move_to_server};
use crate::live::RetentionView;
use crate::people::{Caller, Format, People, PeopleError, Role};
use clap::{Args, Subcommand};
use clap_complete::Shell;
use futures_util::TryStreamExt as _;
use rand::distr::{Alphanumeric, SampleString as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// A command other than serving.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Create, change and list accounts.
    #[command(subcommand)]
    User(UserCommand),
    /// Verify or export the audit log.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Create certificates.
    #[command(subcommand)]
    Tls(TlsCommand),
    /// Write, restore and check backups.
    #[command(flatten)]
    Backup(backup::Command),
    /// Check or show the configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Examine the set-up that these options describe, and say what is wrong and how to mend it.
    Doctor {
        /// Also connect to the push services of browsers on the internet.
        #[arg(long)]
        push: bool,
        /// Also ask the running server at its public address, and say what a proxy in front of it does.
        #[arg(long, value_name = "URL")]
        url: Option<Url>,
    },
    /// Commands for a server, by its API.
    #[command(flatten)]
    Client(client::Command),
    /// Print the completions of a shell, for example: handrail completions bash > ~/.local/share/bash-completion/completions/handrail
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Say which conversations the retention rules would delete now. Rules are made, and applied, on the page Retention.
    Retention,
    /// Copy the journal of a data folder, which no server uses, to an empty PostgreSQL database. An interrupted call is
    /// continued by the same one.
    Migrate {
        /// The data folder. Default: that of --data-dir.
        #[arg(long, value_name = "FOLDER")]
        from: Option<PathBuf>,
        /// Address of the database, as for --database.
        #[arg(long, value_name = "URL")]
        to: String,
    },
    /// Serve scripted agents from a temporary folder, without a login.
    Demo,
    /// Ask the server that was started with the same options whether it responds.
    Healthcheck,
    /// Print a new code to create the first owner with. The old one is no longer valid.
    SetUpCode,
}

/// Accounts.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum UserCommand {
    /// Create an account.
    Add {
        /// User name.
        name: String,
        /// Role: viewer, approver, operator or owner.
        #[arg(long)]
        role: Role,
        /// The password.
        #[command(flatten)]
        password: PasswordFile,
    },
    /// Set a new password, remove all passkeys and end all sessions of the user.
    Reset {
        /// User name.
        name: String,
        /// The password.
        #[command(flatten)]
        password: PasswordFile,
    },
    /// Disable an account and end all of its sessions.
    Disable {
        /// User name.
        name: String,
        /// Enable the account again.
        #[arg(long)]
        undo: bool,
    },
    /// Have roles log in with a passkey only. Without roles, nobody has to.
    RequirePasskeys {
        /// Roles: viewer, approver, operator or owner.
        roles: Vec<Role>,
    },
    /// List all accounts.
    List,
}

/// Source of a password.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct PasswordFile {
    /// File with the password on its first line. Default: a generated password, which is printed.
    #[arg(long = "password-file", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Certificates.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum TlsCommand {
    /// Create a local certificate authority and a certificate, and print how phones can trust it.
    Init {
        /// Host names and addresses of this server for browsers, for example box.lan 192.168.0.7.
        #[arg(required = true)]
        names: Vec<String>,
    },
}

/// The configuration.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum ConfigCommand {
    /// Check the configuration file and all options, without starting.
    Check,
    /// Print what is configured, as a configuration file, and where each value comes from.
    Show,
}

/// The audit log.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum AuditCommand {
    /// Check that no entry was changed or removed; or check a file of evidence, for which nothing else is needed.
    Verify {
        /// Evidence of a conversation, JSON or HTML.
        file: Option<PathBuf>,
        /// A hash from the server's log: the entry with this hash must still exist.
        #[arg(long, value_name = "HASH")]
        seen: Option<String>,
    },
    /// Print all entries, one JSON object per line.
    Export {
        /// Print CSV for a spreadsheet.
        #[arg(long)]
        csv: bool,
    },
}

/// Runs a command on the data in a folder and prints its result. A server that runs on the same data picks the change
/// up at once.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub async fn run(data_dir: &Path, database: &Options, command: &Command) -> Result<(), String> {
    if let Command::Tls(TlsCommand::Init { names }) = command {
        say(&tls::init(data_dir, names)?);
        return Ok(());
    }
    if let Command::Backup(command) = command {
        return backup::run(data_dir, database.server()?, command);
    }
    if let Command::Migrate { from, to } = command {
        let from = from.as_deref().unwrap_or(data_dir);
        return migrate(from, Arc::new(database.server_at(to, MOVING)?));
    }
    backup::check(data_dir)?;
    let location = database.location(data_dir)?;
    let journal = Journal::open_beside(location, backends::read_event)
        .await
        .map_err(|error| {
            format!(
                "the data in {} cannot be used: {}",
                data_dir.display(),
                reasons(&error)
            )
        })?;
    if *command == Command::Retention {
        let view = retention_of(&journal).await;
        say(&would_delete(&view.map_err(|error| reasons(&error))?));
        return Ok(());
    }
    let people = People::new(journal, data_dir);
    let by = Caller {
        name: "command line".to_owned(),
        ..Caller::at_the_machine()
    };
    let outcome = match command {
        Command::User(command) => user(&people, &by, command).await,
        Command::Audit(command) => audit(&people, command).await,
        Command::SetUpCode => set_up_code(&people).await,
        // Those that need no journal.
        Command::Tls(_)
        | Command::Backup(_)
        | Command::Config(_)
        | Command::Doctor { .. }
        | Command::Client(_)
        | Command::Completions { .. }
        | Command::Retention
        | Command::Migrate { .. }
        | Command::Demo
        | Command::Healthcheck => Ok(()),
    };
    outcome.map_err(|error| match error {
        PeopleError::LastOwner => {
            "there must be at least one owner; promote someone else first.".to_owned()
        }
        PeopleError::Journal(_) => reasons(&error),
        error => format!("{}.", error.to_string().trim_end_matches('.')),
    })
}

/// Checks a file of evidence, with nothing else; what was checked.
///
/// # Errors
/// A sentence that says what is wrong, and where.
pub fn verify_file(file: &Path, seen: Option<&str>) -> Result<(), String> {
    let name = file.display();
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| format!("{name} cannot be read: {error}."))?;
    // The file is anybody's, and a terminal obeys what it prints.
    let said = |wrong: String| wrong.replace(char::is_control, " ");
    let verified =
        verify_evidence(&text, seen).map_err(|wrong| format!("{name}: {}.", said(wrong)))?;
    if !verified.seen {
        return Err(format!(
            "{name}: no entry of it that could be checked has this hash."
        ));
    }
    let Verified {
        entries,
        withheld,
        approvals,
        not_shown,
        ..
    } = verified;
    let mut said = format!(
        "{name}: nothing that is checked was changed.\n\nChecked:\n- {approvals} of {} approvals: what was shown is what the \
         token is the digest of\n- {entries} of {} audit entries: the hash is that of the entry and of the one before it\n- every \
         answer is one of the audit entries",
        approvals + not_shown,
        entries + withheld,
    );
    if verified.is_page {
        said.push_str("\n- the page, byte for byte: it is the one that is made of its JSON");
    }
    let (last, hash) = &verified.last;
    if *last > 0 {
        said.push_str(&format!(
            "\n\nThe last entry that was checked is number {last}, and its hash {hash}. On the server, handrail audit verify \
             --seen HASH says whether its log has it."
        ));
    }
    said.push_str("\n\nNot proven:");
    if verified.unknown > 0 {
        said.push_str(&format!(
            "\n- Answers among the entries whose approvals are not in the file: {}.",
            verified.unknown
        ));
    }
    for point in &verified.not_proven {
        said.push_str(&format!("\n- {point}"));
    }
    say(&said);
    Ok(())
}

/// How long a statement may take that moves a journal.
const MOVING: Duration = Duration::from_secs(3_600);

/// Copies a journal to a server. Blocks.
fn migrate(from: &Path, to: Arc<Server>) -> Result<(), String> {
    backup::check(from)?;
    let unusable = |error: &dyn std::error::Error| {
        format!(
            "the data in {} was not moved: {}",
            from.display(),
            reasons(error)
        )
    };
    let _ours = lock::of(from).map_err(|error| unusable(&error))?;
    let name = to.name();
    let moved = move_to_server(from, to, say).map_err(|error| unusable(&error))?;
    say(&format!(
        "Copied {} rows of {} tables to {name}: all rows are equal, and {} entries of the audit log verified. Start Handrail with \
         --database from now on. The folder is as it was; keep its other files, and delete {DATABASE_FILE} when you do not need it \
         any more.",
        moved.rows, moved.tables, moved.entries
    ));
    Ok(())
}

/// What the retention rules would delete, in words.
fn would_delete(view: &RetentionView) -> String {
    let Some((_, title, at)) = view.plan.conversations.first() else {
        return format!(
            "the rules would delete nothing now; there are {}",
            view.rules.len()
        );
    };
    let day = jiff::Timestamp::from_millisecond(*at).unwrap_or_default();
    format!(
        "would delete {}{} conversations, {:.1} MB; the oldest is \"{title}\", last changed on {}",
        if view.plan.more { "the first " } else { "" },
        view.count,
        view.plan.bytes as f64 / 1e6,
        day.strftime("%Y-%m-%d")
    )
}

async fn set_up_code(people: &People) -> Result<(), PeopleError> {
    let code = people.offer_set_up().await?.ok_or_else(|| {
        let text = "there is an owner already. For a new password, run: handrail user reset NAME";
        PeopleError::Invalid(text.to_owned())
    })?;
    say(&format!(
        "{code}\nOpen Handrail on this machine within 30 minutes and enter this code."
    ));
    Ok(())
}

async fn user(people: &People, by: &Caller, command: &UserCommand) -> Result<(), PeopleError> {
    match command {
        UserCommand::List => {
            let mut after = String::new();
            loop {
                let page = people.everybody("", &after).await?;
                for person in page.people {
                    let disabled = if person.disabled { "  disabled" } else { "" };
                    say(&format!(
                        "{:<40}  {:<8}{disabled}",
                        person.name, person.role
                    ));
                }
                after = page.more;
                if after.is_empty() {
                    return Ok(());
                }
            }
        }
        UserCommand::Add {
            name,
            role,
            password: file,
        } => {
            let password = password(file.file.as_deref())?;
            people.add(by, name, *role, password.text()).await?;
            say(&format!("{name} is now {role}. {password}"));
            Ok(())
        }
        UserCommand::Reset {
            name,
            password: file,
        } => {
            let password = password(file.file.as_deref())?;
            people.reset_password(by, name, password.text()).await?;
            people.reset_passkeys(by, name).await?;
            say(&format!(
                "{name} has a new password, no passkeys any more, and was logged out everywhere. {password}"
            ));
            Ok(())
        }
        UserCommand::RequirePasskeys { roles } => {
            people.require_passkeys(by, roles).await?;
            let words: Vec<&str> = roles.iter().map(|role| role.word()).collect();
            match words.is_empty() {
                true => say("No role requires a passkey."),
                false => say(&format!("A passkey is required of: {}.", words.join(", "))),
            }
            Ok(())
        }
        UserCommand::Disable { name, undo } => {
            people.set_disabled(by, name, !undo).await?;
            let can = if *undo {
                "can log in again"
            } else {
                "can no longer log in"
            };
            say(&format!("{name} {can}."));
            Ok(())
        }
    }
}

async fn audit(people: &People, command: &AuditCommand) -> Result<(), PeopleError> {
    match command {
        AuditCommand::Verify { seen, .. } => {
            let state = people.audit().verify(seen.clone()).await?;
            match state.broken_at {
                None if !state.seen => Err(PeopleError::Invalid(format!(
                    "the audit log was truncated: it has no entry with this hash. Its last entry has number {} and hash {}",
                    state.entries, state.head
                ))),
                None => {
                    say(&format!(
                        "{} entries, none changed or removed. Last hash: {}",
                        state.entries, state.head
                    ));
                    Ok(())
                }
                Some(number) => Err(PeopleError::Invalid(format!(
                    "the audit log was changed: entry {number} of {} does not match its hash",
                    state.entries
                ))),
            }
        }
        AuditCommand::Export { csv } => {
            let format = if *csv { Format::Csv } else { Format::JsonLines };
            let mut pieces = pin!(people.audit().export(AuditFilter::default(), format));
            while let Some(piece) = pieces.try_next().await? {
                if !piece.is_empty() {
                    say(piece.trim_end());
                }
            }
            Ok(())
        }
    }
}

/// A password, from a file or generated.
enum Password {
    Given(String),
    Generated(String),
}

impl Password {
    fn text(&self) -> &str {
        match self {
            Self::Given(text) | Self::Generated(text) => text,
        }
    }
}

impl std::fmt::Display for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given(_) => Ok(()),
            Self::Generated(text) => write!(f, "The password is: {text}"),
        }
    }
}

fn password(file: Option<&Path>) -> Result<Password, PeopleError> {
    let Some(file) = file else {
        return Ok(Password::Generated(
            Alphanumeric.sample_string(&mut rand::rng(), 20),
        ));
    };
    let text = std::fs::read_to_string(file).map_err(|error| {
        PeopleError::Invalid(format!("{} cannot be read: {error}", file.display()))
    })?;
    Ok(Password::Given(
        text.lines().next().unwrap_or_default().to_owned(),
    ))
}
