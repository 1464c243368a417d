//! The server's half: one binary, which in a release build holds the site.
//!
//! A dev server reads `target/site` when asked for a file; a release server embeds it, and `build.rs` notices a new one.

use std::{env, path::PathBuf, process::Command};

use anyhow::{Context as _, Result};

use crate::{
    site,
    steps::{cargo, program, run, step, succeeds, target},
};

/// For whom something is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// For a developer who waits for the build.
    Dev,
    /// For those who use it.
    Release,
}

/// Builds the site and the server; answers the server's path.
pub fn build_all(mode: Mode) -> Result<PathBuf> {
    site::build(mode)?;
    build(mode)
}

/// Builds the server alone; answers its path.
pub fn build(mode: Mode) -> Result<PathBuf> {
    let (name, folder, arguments) = match mode {
        Mode::Dev => ("the server (dev)", "debug", "build --bin handrail"),
        Mode::Release => (
            "the server (release)",
            "release",
            "build --bin handrail --release",
        ),
    };
    step(name, || run(&mut server_cargo(arguments)))?;
    Ok(target()
        .join(folder)
        .join(format!("handrail{}", env::consts::EXE_SUFFIX)))
}

/// Builds everything and becomes the server.
pub fn serve(mode: Mode, arguments: &[String]) -> Result<()> {
    let server = build_all(mode)?;
    // Whoever just tries it out sits at this machine and needs no account.
    let tried_out = ["--trust-local".to_owned()];
    let arguments = if arguments.is_empty() {
        &tried_out
    } else {
        arguments
    };
    become_program(program(&server).args(arguments))
        .with_context(|| format!("cannot run {}", server.display()))
}

/// Cargo for the server's half, with OpenSSL built from source where the system has no headers for it.
pub fn server_cargo(arguments: &str) -> Command {
    let mut command = cargo(arguments);
    let brings_its_own =
        cfg!(any(windows, target_os = "macos")) || env::var_os("OPENSSL_DIR").is_some();
    if !brings_its_own && !succeeds(program("pkg-config").args(["--exists", "openssl"])) {
        command.args(["--features", "vendored-openssl"]);
    }
    command
}

/// Replaces this process, so that a signal to it reaches the program.
#[cfg(unix)]
fn become_program(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> Result<()> {
    run(command)
}
