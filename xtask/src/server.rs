//! The server: one binary, which in a release build contains the site.
//!
//! A dev server reads `target/site` on each request; a release server embeds it, and `build.rs` detects a new one.

use std::{env, path::PathBuf, process::Command};

use anyhow::{Context as _, Result};

use crate::{
    site,
    steps::{cargo, program, run, step, succeeds, target},
};

/// The build profile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Fast builds for developers.
    Dev,
    /// Optimised builds for users.
    Release,
}

/// Builds the site and the server; returns the path of the server. Errors: a build fails.
pub fn build_all(mode: Mode) -> Result<PathBuf> {
    site::build(mode)?;
    build(mode)
}

/// Builds only the server; returns its path. Errors: cargo fails.
pub fn build(mode: Mode) -> Result<PathBuf> {
    let (name, folder, arguments) = match mode {
        Mode::Dev => ("the server (dev)", "debug", "build --bin handrail"),
        Mode::Release => (
            "the server (release)",
            "release",
            "build --bin handrail --release --features jemalloc",
        ),
    };
    step(name, || run(&mut server_cargo(arguments)))?;
    Ok(target()
        .join(folder)
        .join(format!("handrail{}", env::consts::EXE_SUFFIX)))
}

/// The dev server as cargo's tests build it: with other packages or features everything would be compiled a second time.
///
/// Errors: cargo fails.
pub fn build_with_tests(packages: &str) -> Result<PathBuf> {
    step("the server (dev)", || {
        run(linted(&mut server_cargo(&format!(
            "test --no-run --test it {packages}"
        ))))
    })?;
    Ok(target()
        .join("debug")
        .join(format!("handrail{}", env::consts::EXE_SUFFIX)))
}

/// Builds everything and replaces this process by the server.
///
/// Errors: a build fails, or the server cannot be started.
pub fn serve(mode: Mode, arguments: &[String]) -> Result<()> {
    let server = build_all(mode)?;
    // Without arguments, a user tries Handrail out on this machine and needs no account.
    let tried_out = ["--trust-local".to_owned()];
    let arguments = if arguments.is_empty() {
        &tried_out
    } else {
        arguments
    };
    become_program(program(&server).args(arguments))
        .with_context(|| format!("cannot run {}", server.display()))
}

/// Cargo for the server, with OpenSSL built from source where the system has no headers for it.
pub fn server_cargo(arguments: &str) -> Command {
    let mut command = cargo(arguments);
    let brings_its_own =
        cfg!(any(windows, target_os = "macos")) || env::var_os("OPENSSL_DIR").is_some();
    if !brings_its_own && !succeeds(program("pkg-config").args(["--exists", "openssl"])) {
        command.args(["--features", "vendored-openssl"]);
    }
    command
}

/// Has cargo compile the packages of this workspace with clippy, which produces what rustc would: so lints cost no
/// compilation of their own, and no dependency is compiled for them a second time.
pub fn linted(command: &mut Command) -> &mut Command {
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
}

/// Replaces this process, so that signals reach the program.
#[cfg(unix)]
fn become_program(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn become_program(command: &mut Command) -> Result<()> {
    run(command)
}
