//! What can be done on the command line beside serving: people and the audit, by whoever has a shell here.

use super::config::Config;
use super::{backends, reasons, say, tls};
use crate::journal::{AuditFilter, Journal};
use crate::people::{Caller, Format, People, PeopleError, Role, export};
use clap::{Args, Subcommand};
use rand::distr::{Alphanumeric, SampleString as _};
use std::path::{Path, PathBuf};

/// Something else than serving.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Make, change and list the people who may log in.
    #[command(subcommand)]
    User(UserCommand),
    /// Look at what was done.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Make certificates.
    #[command(subcommand)]
    Tls(TlsCommand),
}

/// People.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum UserCommand {
    /// Make an account.
    Add {
        /// What they are called.
        name: String,
        /// viewer, approver, operator or owner.
        #[arg(long)]
        role: Role,
        /// Their password.
        #[command(flatten)]
        password: PasswordFile,
    },
    /// Give somebody another password; they have to log in again.
    Reset {
        /// Who.
        name: String,
        /// Their password.
        #[command(flatten)]
        password: PasswordFile,
    },
    /// Shut somebody out.
    Disable {
        /// Who.
        name: String,
        /// Let them in again.
        #[arg(long)]
        undo: bool,
    },
    /// Show everybody.
    List,
}

/// Where a password is.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct PasswordFile {
    /// File with the password (its first line). Without it one is made up and printed.
    #[arg(long = "password-file", value_name = "FILE")]
    pub file: Option<PathBuf>,
}

/// Certificates.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum TlsCommand {
    /// Make an authority of this house and a certificate of it, and say how phones learn to believe it.
    Init {
        /// Names and addresses under which browsers reach Handrail, for example box.lan 192.168.0.7.
        #[arg(required = true)]
        names: Vec<String>,
    },
}

/// The audit.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum AuditCommand {
    /// Check that no entry was changed.
    Verify,
    /// Print all entries, one JSON object a line.
    Export {
        /// As a table for a spreadsheet.
        #[arg(long)]
        csv: bool,
    },
}

/// Does one of them and says what came of it. A server that runs on the same data notices at once.
///
/// # Errors
/// A sentence that says what does not work and what to do.
pub async fn run(config: &Config, command: &Command) -> Result<(), String> {
    if let Command::Tls(TlsCommand::Init { names }) = command {
        say(&tls::init(&config.data_dir, names)?);
        return Ok(());
    }
    let journal = Journal::open_beside(&config.data_dir, backends::read_event)
        .await
        .map_err(|error| {
            format!(
                "the data in {} cannot be used: {}",
                config.data_dir.display(),
                reasons(&error)
            )
        })?;
    let people = People::new(journal, &config.data_dir);
    let by = Caller {
        name: "command line".to_owned(),
        ..Caller::at_the_machine()
    };
    let outcome = match command {
        Command::User(command) => user(&people, &by, command).await,
        Command::Audit(command) => audit(&people, command).await,
        Command::Tls(_) => Ok(()),
    };
    outcome.map_err(|error| match error {
        PeopleError::LastOwner => {
            "there must be an owner: make somebody else owner first.".to_owned()
        }
        PeopleError::Journal(_) => reasons(&error),
        error => format!("{}.", error.to_string().trim_end_matches('.')),
    })
}

async fn user(people: &People, by: &Caller, command: &UserCommand) -> Result<(), PeopleError> {
    match command {
        UserCommand::List => {
            for person in people.everybody().await?.people {
                let disabled = if person.disabled { "  disabled" } else { "" };
                say(&format!(
                    "{:<40}  {:<8}{disabled}",
                    person.name, person.role
                ));
            }
            Ok(())
        }
        UserCommand::Add {
            name,
            role,
            password: file,
        } => {
            let password = password(file.file.as_deref())?;
            people.add(by, name, *role, password.text()).await?;
            say(&format!("{name} is {role} now. {password}"));
            Ok(())
        }
        UserCommand::Reset {
            name,
            password: file,
        } => {
            let password = password(file.file.as_deref())?;
            people.reset_password(by, name, password.text()).await?;
            say(&format!("{name} has to log in again. {password}"));
            Ok(())
        }
        UserCommand::Disable { name, undo } => {
            people.set_disabled(by, name, !undo).await?;
            let can = if *undo {
                "can log in again"
            } else {
                "cannot log in any more"
            };
            say(&format!("{name} {can}."));
            Ok(())
        }
    }
}

async fn audit(people: &People, command: &AuditCommand) -> Result<(), PeopleError> {
    match command {
        AuditCommand::Verify => {
            let state = people.audit().verify().await?;
            match state.broken_at {
                None => {
                    say(&format!(
                        "{} entries, all as they were written. Last hash: {}",
                        state.entries, state.head
                    ));
                    Ok(())
                }
                Some(number) => Err(PeopleError::Invalid(format!(
                    "the audit was changed: entry {number} of {} is not what was written",
                    state.entries
                ))),
            }
        }
        AuditCommand::Export { csv } => {
            let records = people.audit().all(AuditFilter::default()).await?;
            let format = if *csv { Format::Csv } else { Format::JsonLines };
            say(export(&records, format).trim_end());
            Ok(())
        }
    }
}

/// A password, given or made up.
enum Password {
    Given(String),
    MadeUp(String),
}

impl Password {
    fn text(&self) -> &str {
        match self {
            Self::Given(text) | Self::MadeUp(text) => text,
        }
    }
}

impl std::fmt::Display for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given(_) => Ok(()),
            Self::MadeUp(text) => write!(f, "The password is: {text}"),
        }
    }
}

fn password(file: Option<&Path>) -> Result<Password, PeopleError> {
    let Some(file) = file else {
        return Ok(Password::MadeUp(
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
