//! The server: one binary, which in a release build contains the site.
//!
//! A dev server reads `target/site` on each request; a release server embeds it. Only the program itself does, so the
//! library is compiled while the site is built.

use std::{
    env, fs,
    hash::{DefaultHasher, Hasher as _},
    path::PathBuf,
    process::Command,
    thread,
};

use anyhow::{Context as _, Result};

use crate::{
    portable, site,
    steps::{cargo, program, root, run, step, succeeds, target},
};

/// The build profile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Fast builds for developers.
    Dev,
    /// Optimised builds for users.
    Release,
    /// The same with OpenSSL built in and for an old glibc, for machines that do not build.
    Package,
}

impl Mode {
    /// Where the program is, below the target folder.
    fn folder(self) -> String {
        match self {
            Self::Dev => "debug".to_owned(),
            Self::Release => "release".to_owned(),
            Self::Package => format!("{}/release", portable::triple()),
        }
    }

    /// Cargo that builds a part (`--lib`, `--bin NAME`) of the server. The allocator is for what runs for long.
    ///
    /// Errors: tools cannot be installed.
    fn cargo_build(self, part: &str) -> Result<Command> {
        Ok(match self {
            Self::Dev => server_cargo(&format!("build {part}")),
            Self::Release => server_cargo(&format!("build {part} --release --features jemalloc")),
            Self::Package => portable::cargo_build(&format!(
                "{part} --release --features jemalloc,vendored-openssl"
            ))?,
        })
    }
}

/// Builds the site and the server at once; returns the path of the server. Errors: a build fails.
pub fn build_all(mode: Mode) -> Result<PathBuf> {
    let site = thread::spawn(move || site::build(mode));
    let library = step("the server's library", || {
        run(&mut mode.cargo_build("--lib")?)
    });
    site.join().expect("building the site does not panic")?;
    library?;
    build(mode)
}

/// Builds the program over the built library; returns its path. Errors: cargo fails.
fn build(mode: Mode) -> Result<PathBuf> {
    let mut compile = mode.cargo_build("--bin handrail")?;
    if mode != Mode::Dev {
        let manifest = fs::read(root().join("target/site/manifest.json"))?;
        let mut hasher = DefaultHasher::new();
        hasher.write(&manifest);
        // `main.rs` names this variable, so cargo embeds the site again when it is another one.
        compile.env("HANDRAIL_SITE", format!("{:016x}", hasher.finish()));
    }
    step("the server", || run(&mut compile))?;
    Ok(target()
        .join(mode.folder())
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
