//! Tests that cargo builds: compiled with clippy, and run at the same time.
//!
//! Long because building them, running them, and knowing which are unchanged share one type.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{BufRead as _, BufReader},
    iter,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::{
    fresh::digest_of,
    server::{linted, server_cargo},
    steps::{program, repeats_all, root, succeeds, target},
    tally::Tally,
};

/// The packages of the product.
pub const PACKAGES: &str =
    "--package handrail --package handrail-pure --package handrail-rehearsal";

/// Runs `cargo test`, shows its output and adds up its summaries.
pub fn libtest(command: &mut Command) -> Result<Tally> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().expect("the output was just piped");
    let mut text = String::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        eprintln!("{line}");
        text.push_str(&line);
        text.push('\n');
    }
    Ok(at_least_one_failure(
        Tally::of_libtest(&text),
        child.wait()?.success(),
    ))
}

/// A test binary that cargo has built.
pub struct Binary {
    /// The name and kind of its target.
    name: String,
    path: PathBuf,
    /// The folder of its package, in which cargo would run it.
    folder: PathBuf,
}

impl Binary {
    /// How many of its tests run at a time. Those of `it` mostly wait, for time limits, retries and processes, and those of
    /// the server half the time; the others calculate, and leave them most of the processors.
    fn threads(&self) -> &'static str {
        if self.name.starts_with("it-") || self.name == "handrail-lib" {
            "8"
        } else {
            "3"
        }
    }
}

/// Runs test binaries at the same time: the tests of `it` mostly wait, and the others calculate. Shows the output of each
/// when it ends.
pub fn run_binaries(binaries: &[Binary]) -> Result<Tally> {
    let outcomes: Vec<Result<Tally>> = thread::scope(|scope| {
        let running: Vec<_> = binaries
            .iter()
            .map(|binary| scope.spawn(|| run_binary(binary)))
            .collect();
        let outcome = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().expect("running a test does not panic")
        };
        running.into_iter().map(outcome).collect()
    });
    let mut total = Tally::default();
    for (binary, outcome) in binaries.iter().zip(outcomes) {
        // Alone, without the load of the others.
        total += outcome?.repeated(|test| passes(binary_command(binary), test));
    }
    Ok(total)
}

/// The tests that use a server: those of the journal in the library, with the databases of their folders on it, and those of
/// several nodes, which mostly wait, at the same time.
pub fn run_on_server(binaries: &[Binary], address: &str) -> Result<Tally> {
    let run = |name: &str, tests: &str| {
        let mut found = binaries.iter();
        let binary = found
            .find(|binary| binary.name.starts_with(name))
            .with_context(|| format!("{name} was built"))?;
        let on_server = || {
            // The server takes as much of the processors.
            let mut command = binary_command(binary);
            command.envs([
                ("HANDRAIL_TEST_DATABASE", address),
                ("RUST_TEST_THREADS", "3"),
            ]);
            command
        };
        // Those that need a server are ignored without one.
        let arguments = [tests, "--include-ignored", "--skip", "journal_speed"];
        let tally = libtest(on_server().args(arguments))?;
        anyhow::Ok(tally.repeated(|test| {
            let mut again = on_server();
            again.arg("--include-ignored");
            passes(again, test)
        }))
    };
    thread::scope(|scope| {
        let nodes = scope.spawn(|| run("it-", "nodes::"));
        let mut total = run("handrail-lib", "journal::")?;
        total += nodes.join().expect("running a test does not panic")?;
        Ok(total)
    })
}

/// Whether a test passes when it is run again.
fn passes(mut program: Command, test: &str) -> bool {
    eprintln!("   again: {test}");
    succeeds(program.args(["--exact", test]))
}

fn binary_command(binary: &Binary) -> Command {
    let mut command = program(&binary.path);
    command
        .current_dir(&binary.folder)
        .env("CARGO_MANIFEST_DIR", &binary.folder)
        .env("RUST_TEST_THREADS", binary.threads());
    economical(&mut command);
    command
}

/// What tests do without: certificates of the system, which no test needs and which take each client and each server 40 ms of
/// CPU time to read, and thorough hashes of passwords, except in the tests of these.
pub fn economical(command: &mut Command) {
    command
        .env("SSL_CERT_FILE", "/dev/null")
        .env("HANDRAIL_QUICK_HASHES", "1");
}

/// Runs it, unless it passed as it is.
fn run_binary(binary: &Binary) -> Result<Tally> {
    if repeats_all() || !SELF_CONTAINED.contains(&&*binary.name) {
        return run_all_of(binary);
    }
    let record = Record::of(binary)?;
    if let Some(unchanged) = record.passed() {
        eprintln!(
            "\n   {}: unchanged since its {unchanged} tests passed",
            binary.name
        );
        return Ok(Tally {
            unchanged,
            ..Tally::default()
        });
    }
    let tally = run_all_of(binary)?;
    if tally.is_success() {
        record.keep(tally.passed)?;
    }
    Ok(tally)
}

fn run_all_of(binary: &Binary) -> Result<Tally> {
    let log = target().join("xtask").join(format!("{}.log", binary.name));
    fs::create_dir_all(target().join("xtask"))?;
    let file = fs::File::create(&log)?;
    let begun = Instant::now();
    let status = binary_command(binary)
        .stdout(file.try_clone()?)
        .stderr(file)
        .status()
        .with_context(|| format!("{} could not be started", binary.name))?;
    // A test may print what is not UTF-8.
    let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    eprintln!(
        "{text}\n   {}: {:.1} s",
        binary.name,
        begun.elapsed().as_secs_f64()
    );
    Ok(at_least_one_failure(
        Tally::of_libtest(&text),
        status.success(),
    ))
}

/// Test programs that depend on nothing but themselves, [`DATA`] and variables: they start no other program and read no
/// other file.
const SELF_CONTAINED: [&str; 3] = ["handrail_pure-lib", "handrail_rehearsal-lib", "sim-test"];

/// What they read.
const DATA: [&str; 2] = ["tests/recordings", "proptest-regressions"];

/// That all tests of a program passed, by the digest of all that they depend on.
struct Record {
    file: PathBuf,
    digest: String,
}

impl Record {
    fn of(binary: &Binary) -> Result<Self> {
        let inputs: Vec<_> = iter::once(binary.path.clone())
            .chain(DATA.map(|path| root().join(path)))
            .collect();
        let variables: BTreeMap<_, _> = env::vars_os()
            .filter(|(name, _)| {
                let name = name.to_string_lossy();
                name.starts_with("HANDRAIL_") || name.starts_with("PROPTEST_")
            })
            .collect();
        Ok(Self {
            file: target()
                .join("xtask")
                .join(format!("{}.passed", binary.name)),
            digest: digest_of(&inputs, &format!("{variables:?}"))?,
        })
    }

    /// How many they were, if they passed as they are.
    fn passed(&self) -> Option<u64> {
        let kept = fs::read_to_string(&self.file).ok()?;
        let (digest, count) = kept.split_once(' ')?;
        count.parse().ok().filter(|_| digest == self.digest)
    }

    fn keep(&self, count: u64) -> Result<()> {
        Ok(fs::write(&self.file, format!("{} {count}", self.digest))?)
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Compiles tests with clippy, shows its warnings, and adds the tests to `binaries`, which can be run in spite of warnings.
/// Errors: there are warnings, or it does not compile.
pub fn build(arguments: &str, binaries: &mut Vec<Binary>) -> Result<()> {
    lint(&mut server_cargo(arguments), |artifact| {
        // Benchmarks are compiled for their lints alone.
        let is_test =
            artifact["profile"]["test"] == true && artifact["target"]["kind"][0] != "bench";
        let Some(path) = artifact["executable"].as_str().filter(|_| is_test) else {
            return;
        };
        let manifest = Path::new(artifact["manifest_path"].as_str().unwrap_or_default());
        binaries.push(Binary {
            name: format!(
                "{}-{}",
                text(&artifact["target"]["name"]),
                text(&artifact["target"]["kind"][0])
            ),
            path: path.into(),
            folder: manifest.parent().unwrap_or(root()).to_owned(),
        });
    })
}

/// Compiles with clippy, and shows its warnings: an error if there are any. What is unchanged since repeats its warnings.
/// `artifact` gets each message about something built.
fn lint(command: &mut Command, mut artifact: impl FnMut(&Value)) -> Result<()> {
    let mut child = linted(command)
        .arg("--message-format=json")
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().expect("the output was just piped");
    let mut warnings = String::new();
    for line in BufReader::new(output).lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if message["reason"] == "compiler-message" {
            let text = message["message"]["rendered"].as_str().unwrap_or("");
            eprint!("{text}");
            warnings.push_str(text);
        } else if message["reason"] == "compiler-artifact" {
            artifact(&message);
        }
    }
    ensure!(child.wait()?.success(), "it does not compile:\n{warnings}");
    ensure!(warnings.is_empty(), "there are warnings:\n{warnings}");
    Ok(())
}

/// A failed run without a failed test (a compile error, a crash) counts as one failure.
pub fn at_least_one_failure(mut tally: Tally, succeeded: bool) -> Tally {
    if !succeeded && tally.failed == 0 {
        tally.failed = 1;
    }
    tally
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_counts_as_passed_until_it_changes() {
        let path = env::temp_dir().join(format!("xtask-record-{}", std::process::id()));
        let binary = Binary {
            name: format!("record-{}", std::process::id()),
            path: path.clone(),
            folder: root().to_owned(),
        };
        fs::create_dir_all(target().join("xtask")).unwrap();
        fs::write(&path, "one").unwrap();
        let record = Record::of(&binary).unwrap();
        assert_eq!(record.passed(), None);
        record.keep(7).unwrap();
        assert_eq!(Record::of(&binary).unwrap().passed(), Some(7));
        fs::write(&path, "two").unwrap();
        assert_eq!(Record::of(&binary).unwrap().passed(), None);
        fs::remove_file(path).unwrap();
        fs::remove_file(record.file).unwrap();
    }
}
