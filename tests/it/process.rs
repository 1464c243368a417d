//! The program itself, started as an administrator starts it, and ways to stop it.

use crate::stage::{quick, soon};
use handrail::api::{AnswerConfirmation, ApiError, CreateConversation};
use handrail::backend::rehearsal::{Dialect, Options, Rehearsal};
use leptos::server_fn::ServerFn;
use reqwest::RequestBuilder;
use serde_json::Value;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

/// A running Handrail. Dropping it kills the process.
pub struct Process {
    pub address: SocketAddr,
    child: Child,
}

impl Process {
    /// Starts Handrail on a free port, and waits until it serves.
    pub async fn start(data_dir: &Path, backend: SocketAddr) -> Self {
        let backend = format!("http://{backend}");
        Self::of(command(data_dir, &["--trust-local", "--backend", &backend])).await
    }

    /// Starts this command, and waits until it serves.
    pub async fn of(mut command: Command) -> Self {
        spawn_blocking(move || {
            let mut child = command.spawn().expect("the program is built");
            let out = child.stdout.take().expect("it is piped");
            let mut line = String::new();
            BufReader::new(out)
                .read_line(&mut line)
                .expect("it prints its address");
            let line = line.trim();
            let address = ["Handrail is serving on http", "Handrail stands by on http"]
                .iter()
                .find_map(|begin| line.strip_prefix(begin))
                .and_then(|rest| rest.split('/').nth(2)?.parse().ok());
            let address = address.unwrap_or_else(|| panic!("not an address: {line:?}"));
            Self { address, child }
        })
        .await
        .expect("starting does not panic")
    }

    /// Kills the process, like a power failure.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it is our child");
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Requests a graceful stop.
    pub fn terminate(&self) {
        let id = self.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status();
        assert!(sent.expect("there is a kill").success());
    }

    /// Waits until the process has exited by itself.
    pub async fn ended(mut self) -> ExitStatus {
        spawn_blocking(move || self.child.wait().expect("it is our child"))
            .await
            .expect("waiting does not panic")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A Handrail with logins, with a rehearsal of its own.
pub struct Served {
    pub process: Process,
    pub folder: TempDir,
    pub rehearsal: Rehearsal,
}

impl Served {
    /// A server that has not been set up yet.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// A server with further options.
    pub async fn start_with(options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        Self::start_in(folder, options, &["user", "list"]).await
    }

    /// A server in a folder in which the command `before` was run.
    pub async fn start_in(folder: TempDir, options: &[&str], before: &[&str]) -> Self {
        run_in(folder.path(), before).await;
        Self::start_of(folder, options, quick()).await
    }

    /// A server with a backend of this dialect.
    pub async fn start_over(dialect: Dialect, options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let backend = Options { dialect, ..quick() };
        Self::start_of(folder, options, backend).await
    }

    async fn start_of(folder: TempDir, options: &[&str], backend: Options) -> Self {
        let rehearsal = Rehearsal::start(backend).await.expect("a free port");
        let backend = format!("http://{}", rehearsal.addr());
        let options = [&["--backend", &backend], options].concat();
        let process = Process::of(command(folder.path(), &options)).await;
        // The set-up code is written after the first line of output.
        let code = folder.path().join("set-up-code");
        soon("there is a set-up code", async || {
            code.exists().then_some(())
        })
        .await;
        Self {
            process,
            folder,
            rehearsal,
        }
    }

    /// Runs a command line in the same folder while the server is running.
    pub async fn run(&self, arguments: &[&str]) {
        run_in(self.folder.path(), arguments).await;
    }
}

/// Runs a command line.
pub async fn run_in(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handrail"));
    command
        .args(arguments)
        .arg("--data-dir")
        .arg(folder)
        .env_clear();
    let status = spawn_blocking(move || command.stdout(Stdio::null()).status());
    let status = status.await.expect("starting does not panic");
    assert!(status.expect("it is built").success());
}

/// The program with a data folder and `more` options.
pub fn command(data_dir: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handrail"));
    command
        .args(["--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data_dir)
        .args(more)
        .env_clear()
        .envs(planted())
        .env("HANDRAIL_LOG", "warn")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log_file());
    command
}

/// The fault of `cargo xtask mutants` that this run looks for.
fn planted() -> Option<(&'static str, OsString)> {
    let name = "HANDRAIL_FAULT";
    Some((name, std::env::var_os(name)?))
}

/// The same command, started by `starter`, a program that replaces itself by the command at the end of its arguments.
pub fn started_by(mut starter: Command, command: &Command) -> Command {
    let variables = command.get_envs();
    starter
        .arg(command.get_program())
        .args(command.get_args())
        .env_clear()
        .envs(variables.filter_map(|(name, value)| Some((name, value?))))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log_file());
    starter
}

/// The program's output is appended to the file named by `HANDRAIL_TEST_LOG`.
fn log_file() -> Stdio {
    let Some(path) = std::env::var_os("HANDRAIL_TEST_LOG") else {
        return Stdio::null();
    };
    let file = OpenOptions::new().create(true).append(true).open(path);
    file.expect("HANDRAIL_TEST_LOG names a file that can be written")
        .into()
}

/// Calls a server function like a page that submits a form.
pub async fn call<F: ServerFn>(
    address: SocketAddr,
    fields: &[(&str, &str)],
) -> Result<Value, ApiError> {
    answer(question::<F>(address).form(fields)).await
}

/// Approves at once, like a form.
pub async fn approve(address: SocketAddr, id: &str, token: &str) -> Result<Value, ApiError> {
    let fields = [("id", id), ("token", token), ("decision", "approve")];
    call::<AnswerConfirmation>(address, &fields).await
}

/// Approves as soon as the question has been shown for long enough. Returns the time of the approval that counted.
pub async fn approve_in_time(
    address: SocketAddr,
    id: &str,
    token: &str,
) -> Result<Instant, ApiError> {
    loop {
        let approved_at = Instant::now();
        match approve(address, id, token).await {
            Err(error) if error.text.contains("less than a second") => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            outcome => return outcome.map(|_| approved_at),
        }
    }
}

/// Calls a server function like a page that sends JSON.
pub async fn call_json<F: ServerFn>(address: SocketAddr, body: &Value) -> Result<Value, ApiError> {
    answer(question::<F>(address).json(body)).await
}

pub fn question<F: ServerFn>(address: SocketAddr) -> RequestBuilder {
    let origin = format!("http://{address}");
    reqwest::Client::new()
        .post(format!("{origin}{}", F::PATH))
        .header("origin", &origin)
        .header("accept", "application/json")
}

async fn answer(question: RequestBuilder) -> Result<Value, ApiError> {
    let answer = question.send().await.expect("Handrail responds");
    let good = answer.status().is_success();
    let text = answer.text().await.expect("answers are texts");
    if good {
        Ok(serde_json::from_str(&text).unwrap_or_default())
    } else {
        Err(serde_json::from_str(&text).unwrap_or_else(|_| panic!("not an error: {text}")))
    }
}

/// Creates a conversation and returns its id.
pub async fn create(address: SocketAddr, message: &str) -> String {
    let id = call::<CreateConversation>(address, &[("message", message)]).await;
    let id = id.expect("the backend is running");
    id.as_str().expect("an id is a text").to_owned()
}
