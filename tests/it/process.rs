//! The program itself, as a person starts it, and ways to end it.

use crate::stage::{quick, soon};
use handrail::api::{ApiError, CreateConversation};
use handrail::backend::rehearsal::Rehearsal;
use leptos::server_fn::ServerFn;
use reqwest::RequestBuilder;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

/// A running Handrail. It is killed when this is dropped.
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

    /// Starts this, and waits until it serves.
    async fn of(mut command: Command) -> Self {
        spawn_blocking(move || {
            let mut child = command.spawn().expect("the program is built");
            let out = child.stdout.take().expect("it is piped");
            let mut line = String::new();
            BufReader::new(out)
                .read_line(&mut line)
                .expect("it says where it is");
            let address = line
                .trim()
                .strip_prefix("Handrail is serving on http")
                .and_then(|rest| rest.split('/').nth(2)?.parse().ok());
            let address = address.unwrap_or_else(|| panic!("it said: {line:?}"));
            Self { address, child }
        })
        .await
        .expect("starting does not panic")
    }

    /// Ends it as a power failure does.
    pub fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it was ours");
    }

    /// Its number in the system.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end.
    pub fn terminate(&self) {
        let id = self.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status();
        assert!(sent.expect("there is a kill").success());
    }

    /// Waits until it has ended by itself.
    pub async fn ended(mut self) -> ExitStatus {
        spawn_blocking(move || self.child.wait().expect("it was ours"))
            .await
            .expect("waiting does not panic")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A Handrail for people who log in, over a rehearsal of its own.
pub struct Served {
    pub process: Process,
    pub folder: TempDir,
    pub rehearsal: Rehearsal,
}

impl Served {
    /// One that nobody has set up yet.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// One with further options.
    pub async fn start_with(options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        Self::start_in(folder, options, &["user", "list"]).await
    }

    /// One in a folder in which something was done before.
    pub async fn start_in(folder: TempDir, options: &[&str], before: &[&str]) -> Self {
        run_in(folder.path(), before).await;
        let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
        let backend = format!("http://{}", rehearsal.addr());
        let options = [&["--backend", &backend], options].concat();
        let process = Process::of(command(folder.path(), &options)).await;
        // The code is offered behind the first line.
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

    /// Does something on the command line, beside the server.
    pub async fn run(&self, arguments: &[&str]) {
        run_in(self.folder.path(), arguments).await;
    }
}

/// Does something on the command line.
async fn run_in(folder: &Path, arguments: &[&str]) {
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

/// The program with a folder for its data and `more` options.
pub fn command(data_dir: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handrail"));
    command
        .args(["--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data_dir)
        .args(more)
        .env_clear()
        .env("HANDRAIL_LOG", "warn")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

/// Calls a server function as a page does that sends a form.
pub async fn call<F: ServerFn>(
    address: SocketAddr,
    fields: &[(&str, &str)],
) -> Result<Value, ApiError> {
    answer(question::<F>(address).form(fields)).await
}

/// Calls a server function as a page does that sends JSON.
pub async fn call_json<F: ServerFn>(address: SocketAddr, body: &Value) -> Result<Value, ApiError> {
    answer(question::<F>(address).json(body)).await
}

fn question<F: ServerFn>(address: SocketAddr) -> RequestBuilder {
    let origin = format!("http://{address}");
    reqwest::Client::new()
        .post(format!("{origin}{}", F::PATH))
        .header("origin", &origin)
        .header("accept", "application/json")
}

async fn answer(question: RequestBuilder) -> Result<Value, ApiError> {
    let answer = question.send().await.expect("Handrail answers");
    let good = answer.status().is_success();
    let text = answer.text().await.expect("answers are texts");
    if good {
        Ok(serde_json::from_str(&text).unwrap_or_default())
    } else {
        Err(serde_json::from_str(&text).unwrap_or_else(|_| panic!("no sentence: {text}")))
    }
}

/// Makes a conversation and answers its id.
pub async fn create(address: SocketAddr, message: &str) -> String {
    let id = call::<CreateConversation>(address, &[("message", message)]).await;
    let id = id.expect("the backend is there");
    id.as_str().expect("an id is a text").to_owned()
}
