//! The program as a client of a server: `handrail login`, `ls`, `watch`, `approve` and others, by the API alone.
//!
//! What an agent wrote reaches a terminal without escape sequences and hidden characters (`terminal`).

mod account;
mod answering;
mod http;
mod listing;
mod terminal;
mod watching;

use account::Account;
use clap::{Args, Subcommand, ValueEnum};
use http::Server;
use std::io::{IsTerminal as _, Read as _};
use terminal::{one_line, say};

/// Longest message that is read from standard input, in bytes.
const LONGEST_MESSAGE: u64 = 1 << 20;

/// Commands for a server, on this machine or another one.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Keep the address of a server and an access token for the commands that follow. The token is read from the variable
    /// HANDRAIL_TOKEN, or else from standard input.
    Login {
        /// Address of the server, for example `https://box.lan:4100/`
        url: String,
    },
    /// List conversations.
    Ls {
        /// A part of the title, the repository or a tag.
        words: Option<String>,
        /// Which: approval, running, turn, paused, done, failed, stopped, mine or archived.
        #[arg(long, default_value = "")]
        show: String,
        #[command(flatten)]
        /// How it is printed.
        output: Output,
    },
    /// List what needs approval.
    Inbox {
        #[command(flatten)]
        /// How it is printed.
        output: Output,
    },
    /// Show a conversation and its latest events.
    Show {
        /// Id of the conversation.
        id: String,
        #[command(flatten)]
        /// How it is printed.
        output: Output,
    },
    /// Follow a conversation until Ctrl-C.
    Watch {
        /// Id of the conversation.
        id: String,
        /// Begin after the event with this number. Default: the ten latest events.
        #[arg(long)]
        after: Option<i64>,
        #[command(flatten)]
        /// How it is printed.
        output: Output,
    },
    /// Send a message to the agent.
    Send {
        /// Id of the conversation.
        id: String,
        /// The text; "-" reads it from standard input.
        text: String,
        #[command(flatten)]
        /// How it is printed.
        output: Output,
    },
    /// Show what needs approval, and approve exactly that.
    Approve {
        #[command(flatten)]
        /// What is answered.
        answer: Answer,
    },
    /// Show what needs approval, and reject exactly that.
    Reject {
        #[command(flatten)]
        /// What is answered.
        answer: Answer,
        /// The reason, for the agent.
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Search the events of all conversations.
    Search {
        /// The words.
        #[arg(required = true)]
        words: Vec<String>,
        #[command(flatten)]
        /// How it is printed.
        output: Output,
    },
    /// Write a conversation to standard output.
    Export {
        /// Id of the conversation.
        id: String,
        /// The format.
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
        /// Keep secrets of known kinds. They are masked otherwise.
        #[arg(long)]
        keep_secrets: bool,
    },
    /// Write evidence of what was approved to standard output. Check it with: handrail audit verify FILE
    Evidence {
        /// Id of the conversation.
        id: String,
        /// Print a page to read instead of JSON.
        #[arg(long)]
        html: bool,
        /// Keep secrets of known kinds. They are masked otherwise, and what has one cannot be checked.
        #[arg(long)]
        keep_secrets: bool,
    },
    /// Say what was spent.
    Usage {
        /// Number of days, counted back from today.
        #[arg(long, default_value_t = 30)]
        days: u32,
        #[command(flatten)]
        /// How it is printed.
        output: Output,
    },
}

/// How an answer is printed.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Output {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// An answer to an approval.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub struct Answer {
    /// Id of the conversation.
    pub id: String,
    /// The token of what was shown, for scripts: nothing is asked, and the answer is refused if something else waits.
    #[arg(long)]
    pub token: Option<String>,
}

/// Format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// All events.
    Json,
    /// The timeline as Markdown.
    Md,
    /// A web page that replays it.
    Html,
}

impl Format {
    fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Md => "md",
            Self::Html => "html",
        }
    }
}

/// Runs a command.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub async fn run(command: &Command) -> Result<(), String> {
    if let Command::Login { url } = command {
        return log_in(url).await;
    }
    let server = Server::new(Account::known()?)?;
    match command {
        Command::Login { .. } => Ok(()),
        Command::Ls {
            words,
            show,
            output,
        } => listing::list(&server, words.as_deref().unwrap_or_default(), show, output).await,
        Command::Inbox { output } => listing::inbox(&server, output).await,
        Command::Show { id, output } => listing::show(&server, id, output).await,
        Command::Watch { id, after, output } => watching::watch(&server, id, *after, output).await,
        Command::Send { id, text, output } => send(&server, id, text, output).await,
        Command::Approve { answer } => answering::approve(&server, answer).await,
        Command::Reject { answer, reason } => answering::reject(&server, answer, reason).await,
        Command::Search { words, output } => {
            listing::search(&server, &words.join(" "), output).await
        }
        Command::Export {
            id,
            format,
            keep_secrets,
        } => {
            let query = [
                ("format", format.word()),
                ("secrets", secrets(*keep_secrets)),
            ];
            let path = ["conversations", id, "export"];
            server.copy(&path, &query).await
        }
        Command::Evidence {
            id,
            html,
            keep_secrets,
        } => {
            let format = if *html { Format::Html } else { Format::Json };
            let query = [
                ("format", format.word()),
                ("secrets", secrets(*keep_secrets)),
            ];
            server
                .copy(&["conversations", id, "evidence"], &query)
                .await
        }
        Command::Usage { days, output } => listing::usage(&server, *days, output).await,
    }
}

fn secrets(are_kept: bool) -> &'static str {
    if are_kept { "keep" } else { "mask" }
}

async fn log_in(url: &str) -> Result<(), String> {
    let account = Account::asked(url)?;
    let server = Server::new(account.clone())?;
    let me: crate::v1::Me = server.get(&["me"], &[]).await?;
    let file = account.keep()?;
    let scopes: Vec<&str> = me.scopes.iter().map(|scope| scope.word()).collect();
    let who = match me.name.as_str() {
        "" => "the local user".to_owned(),
        name => one_line(name, 60),
    };
    say(&format!(
        "Logged in as {who} ({}). Scopes: {}. Kept in {}",
        me.role,
        scopes.join(", "),
        file.display()
    ));
    Ok(())
}

async fn send(server: &Server, id: &str, text: &str, output: &Output) -> Result<(), String> {
    let text = match text {
        "-" => {
            if std::io::stdin().is_terminal() {
                eprintln!("Type the message, then press Ctrl-D.");
            }
            let mut read = String::new();
            let input = std::io::stdin().take(LONGEST_MESSAGE);
            let mut input = input;
            input
                .read_to_string(&mut read)
                .map_err(|error| format!("standard input cannot be read: {error}."))?;
            read
        }
        text => text.to_owned(),
    };
    let message = crate::v1::NewMessage { text, alone: false };
    let done: crate::v1::Done = server
        .post(&["conversations", id, "messages"], &message)
        .await?;
    match output.json {
        true => terminal::json(&done),
        false => say("Sent."),
    }
    Ok(())
}
