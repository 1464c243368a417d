//! `cargo bench`: what is measured, and never fails on a slow day. `cargo bench -- search delivery` measures only these.
//!
//! One program: each of nine had to be linked with everything that Handrail is made of.

#![allow(dead_code, reason = "the parts of the tests are used, not all of each")]
#![allow(clippy::print_stdout, reason = "it is a program that prints tables")]

#[path = "../tests/it/chaos.rs"]
mod chaos;
#[path = "../tests/it/cluster.rs"]
mod cluster;
mod delivery;
mod engines;
mod failover;
mod growth;
#[path = "../tests/it/people/house.rs"]
mod house;
mod logins;
mod nodes;
mod notifications;
mod parts;
#[path = "../tests/it/process.rs"]
mod process;
mod replay;
mod search;
#[path = "../tests/it/notify/service.rs"]
mod service;
mod siege;
mod soak;
#[path = "../tests/it/stage.rs"]
mod stage;
#[path = "../tests/it/tab.rs"]
mod tab;
mod talk;

use std::future::Future;
use std::process::ExitCode;

/// What can be measured, in the order in which all of it is.
const MEASUREMENTS: [(&str, fn()); 12] = [
    ("parts", parts::run),
    ("replay", || to_its_end(replay::run())),
    ("delivery", || to_its_end(delivery::run())),
    ("logins", || to_its_end(logins::run())),
    ("notifications", || to_its_end(notifications::run())),
    ("siege", siege::run),
    ("soak", || to_its_end(soak::run())),
    ("engines", || to_its_end(engines::run())),
    ("failover", || to_its_end(failover::run())),
    ("nodes", || to_its_end(nodes::run())),
    ("search", || to_its_end(search::run())),
    ("growth", || to_its_end(growth::run())),
];

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let names = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with("--"));
    let names: Vec<String> = names.collect();
    for name in &names {
        if !MEASUREMENTS.iter().any(|(known, _)| known == name) {
            let known = MEASUREMENTS.map(|(name, _)| name).join(", ");
            eprintln!("there is no measurement {name}: there are {known}");
            return ExitCode::from(2);
        }
    }
    for (name, run) in MEASUREMENTS {
        if names.is_empty() || names.iter().any(|asked| asked == name) {
            println!("\n## {name}\n");
            run();
        }
    }
    ExitCode::SUCCESS
}

/// Runs it on threads of its own.
fn to_its_end(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Runtime::new().expect("threads are to be had");
    runtime.block_on(work);
}
