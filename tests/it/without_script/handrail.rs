//! A Handrail of its own for each test, as a process: servers that share one would share the threads that render pages.

use super::visitor::Visitor;
use crate::process::{Process, command};
use crate::stage::soon;
use std::net::SocketAddr;
use std::path::Path;
use tempfile::TempDir;

/// Options for an agent that works as fast as it can be followed.
pub const QUICK: [&str; 4] = ["--rehearsal", "0.x", "--rehearsal-pace", "2"];

/// The same agent behind an agent-server 1.x.
pub const OF_1X: [&str; 4] = ["--rehearsal", "1.x", "--rehearsal-pace", "2"];

/// A running server. It ends with the test.
pub struct Handrail {
    pub address: SocketAddr,
    // Killed before its folder is deleted.
    process: Process,
    folder: TempDir,
}

impl Handrail {
    /// A server without accounts.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// A server without accounts, with further options.
    pub async fn start_with(options: &[&str]) -> Self {
        Self::in_folder(new_folder(), &[&["--trust-local"], options].concat()).await
    }

    /// A server in a folder.
    pub async fn in_folder(folder: TempDir, options: &[&str]) -> Self {
        let quick: &[&str] = match options.contains(&"--rehearsal-pace") {
            true => &[],
            false => &QUICK,
        };
        let is_new = !folder.path().join("handrail.db").exists();
        let process = Process::of(command(folder.path(), &[quick, options].concat())).await;
        if is_new && !options.contains(&"--trust-local") {
            // It is written after the first line of output.
            let code = folder.path().join("set-up-code");
            soon("there is a set-up code", async || {
                code.exists().then_some(())
            })
            .await;
        }
        Self {
            address: process.address,
            folder,
            process,
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A person with a browser.
    pub fn visitor(&self) -> Visitor {
        Visitor::at(self.address)
    }

    /// Is killed, as by a power failure, and returns the folder with its data.
    pub fn kill(self) -> TempDir {
        self.process.kill();
        self.folder
    }

    /// Stops as an administrator stops it, and returns the folder with its data.
    pub async fn stop(self) -> TempDir {
        self.process.terminate();
        self.process.ended().await;
        self.folder
    }
}

impl Visitor {
    /// A person with a browser, and a server without accounts that ends with them.
    pub async fn alone() -> Self {
        let handrail = Handrail::start().await;
        let mut visitor = handrail.visitor();
        visitor.own = Some(handrail);
        visitor
    }

    /// A person who is [alone](Self::alone) and has created a conversation with this message, and its id.
    pub async fn saying(message: &str) -> (Self, String) {
        let mut visitor = Self::alone().await;
        let id = visitor.create_conversation(message).await;
        (visitor, id)
    }
}

fn new_folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}
