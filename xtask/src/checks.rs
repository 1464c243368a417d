//! `cargo xtask test` and related commands: all checks and tests, summed up in one line.
//!
//! A failed check does not hide later ones: all run, and the last line and the exit code give the total.

use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    process::{Command, ExitCode, Stdio},
    thread,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::{
    backend::{Backend, Kind},
    browser, docs,
    server::{self, Mode, linted, server_cargo},
    site::{self, BROWSER_HALF},
    steps::{cargo, end2end, install_node_modules, node_module, program, run, step, succeeds},
    tally::Tally,
};

/// The packages of the product.
const PACKAGES: &str = "--package handrail --package handrail-rehearsal";

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

/// Runs one check by its name, and counts its tests.
type Check<'a> = dyn FnMut(&str, &mut dyn FnMut() -> Result<Tally>) + 'a;

/// Runs the tests, and prints the number of passed and failed tests as the last line of standard output.
pub fn test(scope: Scope, playwright_arguments: &[String]) -> ExitCode {
    let mut total = Tally::default();
    let mut failures = Vec::new();
    let mut check = |name: &str, work: &mut dyn FnMut() -> Result<Tally>| {
        let tally = step(name, work).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            Tally::FAILURE
        });
        if tally.failed > 0 {
            failures.push(name.to_owned());
        }
        total += tally;
    };

    if scope != Scope::Browser {
        check("toolchain", &mut || uncounted(add_components()));
        check("rustfmt", &mut || {
            uncounted(run(&mut cargo("fmt --all --check")))
        });
        check("lints, and build of the tests", &mut || {
            uncounted(lint(&mut server_cargo(&format!(
                "test --no-run --all-targets {PACKAGES}"
            ))))
        });
    }
    if scope == Scope::Quick {
        check("unit tests", &mut || {
            libtest(linted(&mut server_cargo(&format!(
                "test --lib --no-fail-fast {PACKAGES}"
            ))))
        });
    }
    if matches!(scope, Scope::All | Scope::Rust) {
        rust(&mut check, scope == Scope::All);
    }
    if matches!(scope, Scope::All | Scope::Browser) {
        check("types of the browser tests", &mut || {
            install_node_modules()?;
            uncounted(run(node_module("typescript/bin/tsc")
                .arg("--noEmit")
                .current_dir(end2end())))
        });
        check("browser tests", &mut || {
            browser_tests(&["desktop", "phone", "nojs"], playwright_arguments, &[])
        });
    }

    if !failures.is_empty() {
        eprintln!("\nfailed: {}", failures.join(", "));
    }
    eprintln!();
    println!("{total}");
    if total.is_success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Lints, documentation and the tests run by cargo. `with_pages` also builds the pages for the browser tests.
fn rust(check: &mut Check<'_>, with_pages: bool) {
    check("lints of the browser's half", &mut || {
        site::add_target()?;
        uncounted(run(
            cargo(&format!("clippy {BROWSER_HALF}")).args(["--", "-D", "warnings"])
        ))
    });
    check("documentation", &mut || {
        libtest(
            linted(&mut server_cargo(&format!("test --doc {PACKAGES}")))
                .env("RUSTDOCFLAGS", "-D warnings")
                .env("RUSTDOC", env::current_exe()?)
                .env(docs::AS_RUSTDOC, "1"),
        )
    });
    // The tests mostly wait, so the pages for the browser tests are built beside them. An error is reported when the
    // browser tests build them again.
    let pages = with_pages.then(|| thread::spawn(|| site::build(Mode::Release)));
    // Two runs, because one run would unify the features of both crates' dependencies and recompile the server's.
    check("cargo test", &mut || {
        libtest(linted(&mut server_cargo(&format!(
            "test --no-fail-fast --lib --bins --tests {PACKAGES}"
        ))))
    });
    if let Some(pages) = pages {
        let _ = pages.join();
    }
    check("lints and tests of xtask", &mut || {
        lint(&mut cargo("test --no-run --package xtask"))?;
        libtest(linted(&mut cargo("test --package xtask --no-fail-fast")))
    });
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
    step("cargo bench", || run(&mut server_cargo("bench --features jemalloc")))?;
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

/// Runs Playwright's `projects` with the dev server and the release build of the site. `variables` are added to the
/// environment.
fn browser_tests(
    projects: &[&str],
    arguments: &[String],
    variables: &[(&str, String)],
) -> Result<Tally> {
    add_components()?;
    site::build(Mode::Release)?;
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

/// Runs `cargo test`, shows its output and adds up its summaries.
fn libtest(command: &mut Command) -> Result<Tally> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().expect("the output was just piped");
    let mut tally = Tally::default();
    for line in BufReader::new(output).lines() {
        let line = line?;
        eprintln!("{line}");
        tally += Tally::of_libtest(&line).unwrap_or_default();
    }
    Ok(at_least_one_failure(tally, child.wait()?.success()))
}

/// Compiles with clippy, and shows its warnings: an error if there are any. What is unchanged since repeats its warnings.
fn lint(command: &mut Command) -> Result<()> {
    let mut child = linted(command)
        .arg("--message-format=json")
        .stdout(Stdio::piped())
        .spawn()?;
    let output = child.stdout.take().expect("the output was just piped");
    let mut has_warnings = false;
    for line in BufReader::new(output).lines() {
        let message: Value = serde_json::from_str(&line?)?;
        if message["reason"] == "compiler-message" {
            eprint!("{}", message["message"]["rendered"].as_str().unwrap_or(""));
            has_warnings |= message["message"]["level"] == "warning";
        }
    }
    ensure!(child.wait()?.success(), "it does not compile");
    ensure!(!has_warnings, "there are warnings");
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
