//! The `handrail` program: reads its options and serves until it is told to stop.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    handrail::server::main().await
}
