//! `cargo xtask test` and related commands: all checks and tests, summed up in one line.
//!
//! A failed check does not hide later ones: all run, and the last line and the exit code give the total.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    thread,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::{
    backend::{Backend, Kind},
    browser, docs,
    phases::Phases,
    server::{self, Mode, linted, server_cargo},
    site,
    steps::{
        cargo, end2end, install_node_modules, node_module, program, repeats_all, root, run, step,
        succeeds, target,
    },
    tally::{Failure, Tally},
};

/// The packages of the product.
const PACKAGES: &str = "--package handrail --package handrail-rehearsal";

/// Playwright's projects, which decide themselves what they repeat.
const PROJECTS: [&str; 3] = ["desktop", "phone", "nojs"];

/// Dialects of the rehearsal in which `--all` repeats the browser tests.
const FURTHER_DIALECTS: [&str; 2] = ["1.x", "app"];

/// Which tests to run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    All,
    /// Before a commit: formatting, lints and unit tests.
    Quick,
    /// Formatting, lints, documentation and the tests run by cargo.
    Rust,
    /// The browser tests.
    Browser,
}

/// A run of checks, which counts their tests and notes what each of them cost.
#[derive(Default)]
struct Run {
    total: Tally,
    phases: Phases,
}

impl Run {
    /// Runs one check. `repeat` is the command for a failure that names no test.
    fn check(&mut self, name: &str, repeat: &str, work: impl FnOnce() -> Result<Tally>) {
        let mut tally = self.phases.measure(name, || {
            step(name, work).unwrap_or_else(|error| {
                eprintln!("error: {error:#}");
                Failure::of_check(name, repeat, &format!("{error:#}")).into()
            })
        });
        if tally.failed > 0 && tally.failures.is_empty() {
            tally.failures = vec![Failure::of_check(name, repeat, "its output is above")];
        }
        self.total += tally;
    }

    /// Prints the phases, then the failures, and the number of passed and failed tests as the last line.
    fn finish(self) -> ExitCode {
        eprintln!("\n{}", self.phases.table());
        for failure in &self.total.failures {
            eprintln!("{failure}\n");
        }
        println!("{}", self.total);
        if self.total.is_success() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// Runs the tests.
pub fn test(scope: Scope, playwright_arguments: &[String]) -> ExitCode {
    let mut checks = Run::default();
    if repeats_all() {
        eprintln!("{ALL_ADDS}");
    }
    // Npm and the pages need no cargo build of the server: they are built beside it.
    let pages = (scope == Scope::All).then(|| thread::spawn(pages_for_tests));
    let mut binaries = Vec::new();
    if scope != Scope::Browser {
        checks.check("formatting", "cargo fmt --all", || {
            add_components()?;
            uncounted(run(&mut cargo("fmt --all --check")))
        });
        let what = if scope == Scope::Quick {
            "--lib"
        } else {
            "--all-targets"
        };
        checks.check("build and lints", "cargo xtask test --quick", || {
            binaries = built(&format!("test --no-run {what} {PACKAGES}"))?;
            Ok(Tally::default())
        });
    }
    if scope == Scope::Quick {
        checks.check("unit tests", "cargo xtask test --quick", || {
            run_binaries(&binaries)
        });
    }
    if matches!(scope, Scope::All | Scope::Rust) {
        checks.check("tests", "cargo xtask test --rust-only", || {
            run_binaries(&binaries)
        });
        checks.check(
            "documentation",
            "cargo xtask test --rust-only",
            documentation,
        );
        checks.check(
            "lints and tests of xtask",
            "cargo test --package xtask",
            || run_binaries(&built("test --no-run --package xtask")?),
        );
    }
    if let Some(pages) = pages {
        checks.check("pages", "cargo xtask site", || {
            uncounted(pages.join().expect("building pages does not panic"))
        });
    }
    if matches!(scope, Scope::All | Scope::Browser) {
        checks.check(
            "types of the browser tests",
            "cargo xtask test --browser-only",
            || {
                install_node_modules()?;
                uncounted(run(node_module("typescript/bin/tsc")
                    .arg("--noEmit")
                    .current_dir(end2end())))
            },
        );
        checks.check("browser tests", "cargo xtask test --browser-only", || {
            browser_tests(&PROJECTS, playwright_arguments, &[])
        });
        for dialect in FURTHER_DIALECTS.into_iter().filter(|_| repeats_all()) {
            let name = format!("browser tests with {dialect}");
            let repeat =
                format!("HANDRAIL_REHEARSAL={dialect} cargo xtask test --all --browser-only");
            checks.check(&name, &repeat, || {
                let variable = ("HANDRAIL_REHEARSAL", dialect.to_owned());
                browser_tests(&PROJECTS, playwright_arguments, &[variable])
            });
        }
    }
    checks.finish()
}

/// Runs the tests against a real backend: the one at `HANDRAIL_LIVE`, or else one started for them.
///
/// Errors: the backend does not start, or a test fails.
pub fn live(kind: Kind, arguments: &[String]) -> Result<()> {
    if env::var_os("HANDRAIL_LIVE").is_some_and(|address| !address.is_empty()) {
        return report(browser_tests(&["live"], arguments, &[])?);
    }
    let backend = Backend::start(kind)?;
    report(browser_tests(&["live"], arguments, &backend.variables)?)
}

/// Takes the screenshots for the documentation. Errors: a screenshot fails.
pub fn pictures(arguments: &[String]) -> Result<()> {
    report(browser_tests(&["pictures"], arguments, &[])?)
}

/// Runs cargo's benchmarks, then measures loading and live updates in a browser with the release server.
///
/// Errors: a build or a measurement fails.
pub fn bench(arguments: &[String]) -> Result<()> {
    step("cargo bench", || {
        run(&mut server_cargo("bench --features jemalloc"))
    })?;
    let server = server::build_all(Mode::Release)?;
    let mut measure = program("node");
    measure
        .arg("end2end/measure.mjs")
        .args(arguments)
        .env("HANDRAIL_BIN", server);
    if let Some(browser) = browser::find()? {
        measure.env("HANDRAIL_CHROMIUM", browser);
    }
    step("measurements", || run(&mut measure))
}

fn report(tally: Tally) -> Result<()> {
    eprintln!();
    println!("{tally}");
    ensure!(tally.is_success(), "not all tests passed");
    Ok(())
}

/// What `--all` adds, printed at its beginning.
const ALL_ADDS: &str = "\
--all repeats what is tested once otherwise: every spelling of an address, 2,000 seeds of the simulation, all cases of
property tests, each browser test on a phone and without JavaScript, axe in every state, size and theme, all of it with
the dialects 1.x and app, and with the release build of the pages.";

/// Runs the tests whose name contains `name`: those of Rust if there are any, otherwise those of the browser.
pub fn test_one(name: &str) -> ExitCode {
    let mut checks = Run::default();
    let repeat = format!("cargo xtask test '{name}'");
    let function = name.rsplit("::").next().unwrap_or(name);
    let is_in = |folders: &[&str]| {
        folders
            .iter()
            .any(|folder| has_test(&root().join(folder), function))
    };
    let is_of_xtask = is_in(&["xtask/src"]);
    let is_of_product = is_in(&["src", "tests", "rehearsal"]);
    if is_of_product {
        checks.check("tests", &repeat, || {
            let arguments = format!("test --no-fail-fast --lib --bins --tests {PACKAGES} {name}");
            libtest(linted(&mut server_cargo(&arguments)))
        });
    }
    if is_of_xtask {
        checks.check("tests of xtask", &repeat, || {
            libtest(linted(&mut cargo(&format!("test --package xtask {name}"))))
        });
    }
    if !is_of_product && !is_of_xtask {
        checks.check("browser tests", &repeat, || {
            let pattern = ["-g".to_owned(), as_pattern(name)];
            let anywhere = ("HANDRAIL_NAMED", "1".to_owned());
            browser_tests(&PROJECTS, &pattern, &[anywhere])
        });
    }
    checks.finish()
}

/// Whether a Rust file in this folder has a function whose name contains `name`.
fn has_test(folder: &Path, name: &str) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths = entries.map(|entry| entry.path());
    let declares = |text: String| {
        text.lines().any(|line| {
            let declared = line.split_once("fn ").map(|(_, after)| after);
            declared
                .is_some_and(|after| after.split('(').next().is_some_and(|it| it.contains(name)))
        })
    };
    paths.any(|path| {
        if path.is_dir() {
            return has_test(&path, name);
        }
        path.extension().is_some_and(|extension| extension == "rs")
            && fs::read_to_string(&path).is_ok_and(declares)
    })
}

/// A regular expression that matches this text.
fn as_pattern(text: &str) -> String {
    let escaped = text.chars().flat_map(|letter| {
        let escape = r"\^$.|?*+()[]{}/".contains(letter).then_some('\\');
        escape.into_iter().chain([letter])
    });
    escaped.collect()
}

/// Runs Playwright's `projects` with the dev server. `variables` are added to the environment.
fn browser_tests(
    projects: &[&str],
    arguments: &[String],
    variables: &[(&str, String)],
) -> Result<Tally> {
    add_components()?;
    pages_for_tests()?;
    let server = server::build_with_tests(PACKAGES)?;
    let mut playwright = node_module("@playwright/test/cli.js");
    playwright
        .arg("test")
        .args(
            projects
                .iter()
                .map(|project| format!("--project={project}")),
        )
        .args(arguments);
    playwright
        .current_dir(end2end())
        .env("HANDRAIL_BIN", server)
        .envs(variables.iter().map(|(name, value)| (name, value)));
    if let Some(browser) = browser::find()? {
        playwright.env("HANDRAIL_CHROMIUM", browser);
    }

    let report = end2end().join("test-results/report.json");
    if report.exists() {
        fs::remove_file(&report)?;
    }
    // Playwright's output is for people; standard output is reserved for the total.
    playwright.stdout(std::io::stderr());
    let outcome = step("playwright", || run(&mut playwright));
    let counted =
        Tally::of_playwright(&fs::read_to_string(&report).context("Playwright left no report")?)?;
    Ok(at_least_one_failure(counted, outcome.is_ok()))
}

/// The pages that the browser tests load, as a release has them: what the browser compiles and runs again for each test
/// should be small.
fn pages_for_tests() -> Result<()> {
    site::build_linted(Mode::Release)
}

/// rustdoc's lints, and the tests in the documentation.
fn documentation() -> Result<Tally> {
    libtest(
        linted(&mut server_cargo(&format!("test --doc {PACKAGES}")))
            .env("RUSTDOCFLAGS", "-D warnings")
            .env("RUSTDOC", env::current_exe()?)
            .env(docs::AS_RUSTDOC, "1"),
    )
}

/// Runs `cargo test`, shows its output and adds up its summaries.
fn libtest(command: &mut Command) -> Result<Tally> {
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
struct Binary {
    /// The name of its target.
    name: String,
    path: PathBuf,
    /// The folder of its package, in which cargo would run it.
    folder: PathBuf,
}

/// Runs test binaries at the same time: the tests of `it` mostly wait, and the others calculate. Shows the output of each
/// when it ends.
fn run_binaries(binaries: &[Binary]) -> Result<Tally> {
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
    for outcome in outcomes {
        total += outcome?;
    }
    Ok(total)
}

fn run_binary(binary: &Binary) -> Result<Tally> {
    let log = target().join("xtask").join(format!("{}.log", binary.name));
    fs::create_dir_all(target().join("xtask"))?;
    let file = fs::File::create(&log)?;
    let begun = std::time::Instant::now();
    let status = program(&binary.path)
        .current_dir(&binary.folder)
        .env("CARGO_MANIFEST_DIR", &binary.folder)
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

/// Compiles tests with clippy, shows its warnings, and returns the tests. Errors: there are warnings, or it does not
/// compile.
fn built(arguments: &str) -> Result<Vec<Binary>> {
    let mut binaries = Vec::new();
    lint(&mut server_cargo(arguments), |artifact| {
        // Benchmarks are compiled for their lints alone.
        let is_test =
            artifact["profile"]["test"] == true && artifact["target"]["kind"][0] != "bench";
        let Some(path) = artifact["executable"].as_str().filter(|_| is_test) else {
            return;
        };
        let manifest = Path::new(artifact["manifest_path"].as_str().unwrap_or_default());
        binaries.push(Binary {
            name: artifact["target"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            path: path.into(),
            folder: manifest.parent().unwrap_or(root()).to_owned(),
        });
    })?;
    Ok(binaries)
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
fn at_least_one_failure(mut tally: Tally, succeeded: bool) -> Tally {
    if !succeeded && tally.failed == 0 {
        tally.failed = 1;
    }
    tally
}

/// A check without tests: it counts only if it fails.
fn uncounted(outcome: Result<()>) -> Result<Tally> {
    outcome.map(|()| Tally::default())
}

/// A minimal toolchain has neither rustfmt nor clippy.
fn add_components() -> Result<()> {
    if succeeds(&mut cargo("fmt --version")) && succeeds(&mut cargo("clippy --version")) {
        return Ok(());
    }
    run(program("rustup").args(["component", "add", "rustfmt", "clippy"]))
}
