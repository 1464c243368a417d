//! A Handrail in the process of the test: a server costs a few milliseconds, so each test has its own.

use super::visitor::Visitor;
use clap::Parser;
use handrail::server::config::Config;
use handrail::server::run;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Options for an agent that works as fast as it can be followed.
pub const QUICK: [&str; 4] = ["--rehearsal", "0.x", "--rehearsal-pace", "2"];

/// The same agent behind an agent-server 1.x.
pub const OF_1X: [&str; 4] = ["--rehearsal", "1.x", "--rehearsal-pace", "2"];

/// Where the servers run, as in the program. Threads that render pages are shared by all of them, and wait for ever for
/// tasks of a runtime that has ended with its test.
static SERVERS: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(4).enable_all().build();
    runtime.expect("threads can be started")
});

/// A running server. It ends with the test.
pub struct Handrail {
    pub address: SocketAddr,
    folder: TempDir,
    stopping: CancellationToken,
    serving: JoinHandle<Result<(), String>>,
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
        let listener = SERVERS.spawn(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
        let listener = listener.await.expect("it does not panic");
        let listener = listener.expect("there is a free port");
        let address = listener.local_addr().expect("it has an address");
        let data = folder.path().to_str().expect("it is a text");
        let listen = address.to_string();
        let given = ["handrail", "--data-dir", data, "--listen", &listen];
        let quick: &[&str] = match options.contains(&"--rehearsal-pace") {
            true => &[],
            false => &QUICK,
        };
        let config = Config::try_parse_from([&given, quick, options].concat());
        let config = config.expect("the options are valid");
        let stopping = CancellationToken::new();
        let serving = SERVERS.spawn(run(config, listener, stopping.clone(), |_| {}));
        Self {
            address,
            folder,
            stopping,
            serving,
        }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A person with a browser.
    pub fn visitor(&self) -> Visitor {
        Visitor::at(self.address)
    }

    /// Stops as an administrator stops it, and returns the folder with its data.
    pub async fn stop(mut self) -> TempDir {
        self.stopping.cancel();
        let served = (&mut self.serving).await.expect("it does not panic");
        served.expect("it has served");
        std::mem::replace(&mut self.folder, new_folder())
    }
}

impl Drop for Handrail {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}

fn new_folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}
