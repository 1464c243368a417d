//! Programs that run with an older glibc than this machine's: linked by zig, which knows the symbols of each version of glibc.
//!
//! Zig and cargo-zigbuild come from PyPI, into a Python environment of their own.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use crate::package::Times;
use crate::steps::{program, run, step, target};

/// The oldest glibc: that of Debian 10, Ubuntu 18.10 and RHEL 8.
const GLIBC: &str = "2.28";
/// What is installed from PyPI.
const TOOLS: [&str; 2] = ["cargo-zigbuild==0.24.1", "ziglang==0.17.1"];

/// The target as cargo names it, for example `x86_64-unknown-linux-gnu`.
pub fn triple() -> String {
    format!("{}-unknown-linux-gnu", env::consts::ARCH)
}

/// Cargo that builds with these arguments for [`triple`] and an old glibc.
///
/// Errors: the tools cannot be installed, for which Python is needed.
pub fn cargo_build(arguments: &str) -> Result<Command> {
    let tools = installed()?;
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [tools.join("bin")]
        .into_iter()
        .chain(env::split_paths(&path));
    let mut command = program(tools.join("bin/cargo-zigbuild"));
    command.env("PATH", env::join_paths(folders)?);
    command.envs(without_paths());
    // OpenSSL writes down when it was built.
    command.env("SOURCE_DATE_EPOCH", Times::of_commit()?.seconds.to_string());
    // Cargo would take it instead.
    command.env_remove("RUSTFLAGS");
    command.args(["zigbuild", "--target", &format!("{}.{GLIBC}", triple())]);
    command.args(arguments.split_whitespace());
    Ok(command)
}

/// A variable by which the sources of crates have the same path on each machine, so that a program does not depend on the folder
/// of whoever builds it. Cargo joins it to the flags of its configuration.
pub fn without_paths() -> Option<(&'static str, String)> {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")))?;
    let flag = format!("--remap-path-prefix={}=/cargo", home.display());
    Some(("CARGO_BUILD_RUSTFLAGS", flag))
}

/// The Python environment with the tools. Errors: there is no Python, or PyPI cannot be reached.
fn installed() -> Result<PathBuf> {
    let folder = target().join("package-tools");
    // Written last, so an environment that was interrupted is made anew.
    let mark = folder.join("installed");
    let wanted = TOOLS.join("\n");
    if fs::read_to_string(&mark).is_ok_and(|text| text == wanted) {
        return Ok(folder);
    }
    step("zig and cargo-zigbuild", || {
        install(&folder).context(
            "python3 with its module venv is needed, and PyPI. Or build the program in another way and give it with --binary",
        )
    })?;
    fs::write(mark, wanted)?;
    Ok(folder)
}

fn install(folder: &Path) -> Result<()> {
    run(program("python3")
        .args(["-m", "venv", "--clear"])
        .arg(folder))?;
    let mut pip = program(folder.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    run(pip.args(TOOLS))
}
