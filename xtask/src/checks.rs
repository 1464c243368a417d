//! `cargo xtask test` and related commands: all checks and tests, summed up in one line.
//!
//! A failed check does not hide later ones: all run, and the last line and the exit code give the total.
//!
//! Long because each check stands with the command that repeats it.

use std::{env, fs, path::Path, process::ExitCode, thread};

use anyhow::Result;

use crate::{
    binaries::{self, PACKAGES, libtest, run_binaries, run_on_server},
    browser,
    browser_tests::{PROJECTS, browser_tests, pages_for_tests},
    docs,
    failure::Failure,
    fresh::unless_fresh,
    phases::Phases,
    postgres::Server,
    server::{self, Mode, linted, server_cargo},
    steps::{
        add_components, cargo, end2end, install_node_modules, node_module, program, repeats_all,
        root, run, step,
    },
    tally::Tally,
};

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
    /// The tests of the journal on PostgreSQL.
    Postgres,
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
        for flaky in &self.total.flaky {
            eprintln!("flaky: {flaky}\n");
        }
        for failure in &self.total.failures {
            eprintln!("failed: {failure}\n");
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
    let mut tests = Vec::new();
    if scope != Scope::Browser {
        checks.check("formatting", "cargo fmt --all", || {
            add_components()?;
            uncounted(run(&mut cargo("fmt --all --check")))
        });
        let what = match scope {
            Scope::Quick => "--lib",
            _ => "--tests",
        };
        checks.check("build and lints", "cargo xtask test --quick", || {
            let arguments = format!("test --no-run {what} {PACKAGES}");
            uncounted(binaries::build(&arguments, &mut tests))
        });
    }
    if matches!(scope, Scope::All | Scope::Rust | Scope::Postgres) {
        checks.check(
            "the journal on PostgreSQL",
            "cargo xtask test --postgres-only",
            || {
                let server = Server::start()?;
                run_on_server(&tests, &server.address())
            },
        );
    }
    if scope == Scope::Quick {
        checks.check("unit tests", "cargo xtask test --quick", || {
            run_binaries(&tests)
        });
    }
    if matches!(scope, Scope::All | Scope::Rust) {
        let repeat = "cargo xtask test --all --rust-only";
        checks.check("benchmarks", repeat, || uncounted(benchmarks()));
        checks.check("tests", "cargo xtask test --rust-only", || {
            run_binaries(&tests)
        });
        checks.check(
            "lints and tests of xtask",
            "cargo test --package xtask",
            || {
                let mut own = Vec::new();
                binaries::build("test --no-run --package xtask", &mut own)?;
                run_binaries(&own)
            },
        );
    }
    // One processor works on it while browser tests wait.
    let documents = matches!(scope, Scope::All | Scope::Rust).then(|| thread::spawn(documentation));
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
        if repeats_all() {
            let repeat = "cargo xtask test --all --browser-only";
            checks.check("browser tests on PostgreSQL", repeat, || {
                let server = Server::start()?;
                let variable = ("HANDRAIL_TEST_DATABASE", server.address());
                browser_tests(&PROJECTS, playwright_arguments, &[variable])
            });
        }
    }
    if let Some(documents) = documents {
        let repeat = "cargo xtask test --rust-only";
        checks.check("documentation", repeat, || {
            documents.join().expect("a run of cargo does not panic")
        });
    }
    checks.finish()
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

/// What `--all` adds, printed at its beginning.
const ALL_ADDS: &str = "\
--all repeats what is tested once otherwise: every spelling of an address, 2,000 seeds of the simulation, all cases of
property tests, each browser test on a phone and without JavaScript, axe in every state, size and theme, all of it with
the dialects 1.x and app, with the release build of the pages, and on PostgreSQL.";

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
            let arguments = format!("test --no-fail-fast --tests {PACKAGES} {name}");
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

/// Compiles the benchmarks with clippy, which costs as much as everything else in a warm build, if they or what they share
/// with the tests have changed. A change of the library alone shows in them in a clean clone, or with `--all`.
fn benchmarks() -> Result<()> {
    let compile = || {
        binaries::build(
            &format!("test --no-run --benches {PACKAGES}"),
            &mut Vec::new(),
        )
    };
    if repeats_all() {
        return compile();
    }
    let benches = root().join("benches");
    let inputs = ["benches", "tests/it", "Cargo.toml", "Cargo.lock"].map(|path| root().join(path));
    unless_fresh(&benches, &inputs, "", compile)
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

/// A check without tests: it counts only if it fails.
fn uncounted(outcome: Result<()>) -> Result<Tally> {
    outcome.map(|()| Tally::default())
}
