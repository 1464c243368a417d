//! Running other programs, one timed step after the other.
//!
//! Progress goes to standard error, so that standard output carries only results.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};

/// The repository's root folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the repository's root")
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// The folder of the browser tests, which contains all npm packages.
pub fn end2end() -> PathBuf {
    root().join("end2end")
}

/// Makes this run one of all repetitions (`--all`), also for the programs that it starts.
pub fn repeat_all() {
    ALL.store(true, Ordering::Relaxed);
}

/// Whether this is a run of all repetitions.
pub fn repeats_all() -> bool {
    ALL.load(Ordering::Relaxed)
}

static ALL: AtomicBool = AtomicBool::new(false);

/// Runs `work` under a name and prints its duration. Errors: those of `work`, with the name.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("\n== {name}");
    let begun = Instant::now();
    let outcome = work().with_context(|| name.to_owned());
    let verdict = if outcome.is_ok() { "" } else { ", failed" };
    eprintln!("== {name}: {:.1} s{verdict}", begun.elapsed().as_secs_f64());
    outcome
}

/// A command that runs in the repository's root.
///
/// Without the variables that `cargo run` set for this process: they describe xtask, and build scripts that watch them
/// would rerun after each change between `cargo xtask` and plain cargo.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(root());
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        }) {
            command.env_remove(name);
        }
    }
    if repeats_all() {
        command.env("HANDRAIL_ALL", "1");
    }
    command
}

/// Cargo with `arguments`, separated by spaces.
pub fn cargo(arguments: &str) -> Command {
    let mut command = program(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace());
    command
}

/// Node with a script from `end2end/node_modules`.
pub fn node_module(script: &str) -> Command {
    let mut command = program("node");
    command.arg(end2end().join("node_modules").join(script));
    command
}

/// Runs a program to its end. Errors: it cannot be started, or fails.
pub fn run(command: &mut Command) -> Result<()> {
    let name = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let status = command
        .status()
        .with_context(|| format!("{name} could not be started: is it installed?"))?;
    ensure!(status.success(), "{name} ended with {status}");
    Ok(())
}

/// Whether a program can be started and succeeds; its output is discarded.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Installs the packages of `end2end/package-lock.json`, unless they are up to date. Errors: npm fails.
pub fn install_node_modules() -> Result<()> {
    let changed = |file: &str| {
        end2end()
            .join(file)
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    if changed("node_modules/.package-lock.json") >= changed("package-lock.json") {
        return Ok(());
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    step("npm ci", || {
        run(program(npm).arg("ci").current_dir(end2end()))
    })
}

/// Adds rustfmt and clippy, which a minimal toolchain lacks. Errors: rustup fails.
pub fn add_components() -> Result<()> {
    if succeeds(&mut cargo("fmt --version")) && succeeds(&mut cargo("clippy --version")) {
        return Ok(());
    }
    run(program("rustup").args(["component", "add", "rustfmt", "clippy"]))
}
