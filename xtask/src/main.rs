//! `cargo xtask`: builds, serves and tests Handrail on a machine with only Rust, Node and a C compiler.
//!
//! Cargo compiles, wasm-bindgen is linked as a library, and the remaining tools (esbuild, wasm-opt, Playwright) come
//! from `end2end/package-lock.json`. So there is nothing to install by hand, and no versions can diverge.

mod backend;
mod binaries;
mod browser;
mod browser_tests;
mod checks;
mod docs;
mod failure;
mod faults;
mod fresh;
mod package;
mod phases;
mod portable;
mod postgres;
mod server;
mod shrink;
mod site;
mod steps;
mod tally;

use std::{env, process::ExitCode};

use backend::Kind;
use server::Mode;

const USAGE: &str = "\
usage: cargo xtask <command>

  build [--dev]               the site and the server that embeds it (--dev: fast to build, slow to run)
  site                        the site alone, as a release serves it
  package [--binary PATH]     archive, Debian package and image recipe of a release in target/package, with licences, bill of
                              materials and checksums; of PATH instead of a new build
  serve [--dev] [-- ARGS]     build, then run the server with ARGS (without any: --trust-local)
  test [--all] [--quick | --rust-only | --browser-only | --postgres-only] [-- ARGS]
                              every check, and every promise tested once; ARGS go to Playwright; --quick is what a
                              commit needs: formatting, lints and unit tests; --postgres-only the tests of the journal on
                              PostgreSQL; --all adds the repetitions, which an issue
                              needs: all seeds, spellings, sizes and dialects
  test NAME                   the tests with this in their names, of Rust or else of the browser
  live [--agent-server | --app-server] [-- ARGS]
                              the browser tests against a real OpenHands 0.62 (or agent-server 1.58, or app server 1.11): the one at
                              HANDRAIL_LIVE, else one that is installed and started for them with the scripts in
                              HANDRAIL_BACKENDS
  sim-faults [-- NAMES]       plants the faults of tests/sim/faults.txt and shows how soon the simulation finds each
  mutants [-- NAMES]          plants the mutants of tests/mutants.txt and shows whether the test of each finds it
  bench                       cargo bench, then the measurements in a browser
  pictures                    the screenshots of the documentation";

fn main() -> ExitCode {
    if env::var_os(docs::AS_RUSTDOC).is_some() {
        return docs::as_rustdoc();
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    let own = arguments
        .iter()
        .map(String::as_str)
        .take_while(|argument| *argument != "--")
        .collect::<Vec<_>>();
    let passed_on = arguments.get(own.len() + 1..).unwrap_or_default();

    let own: Vec<&str> = own
        .into_iter()
        .filter(|argument| {
            let is_all = *argument == "--all";
            is_all.then(steps::repeat_all);
            !is_all
        })
        .collect();

    let outcome = match own.as_slice() {
        ["build"] => server::build_all(Mode::Release).map(drop),
        ["build", "--dev"] => server::build_all(Mode::Dev).map(drop),
        ["site"] => site::build(Mode::Release),
        ["package"] => package::package(None),
        ["package", "--binary", path] => package::package(Some(path)),
        ["serve"] => server::serve(Mode::Release, passed_on),
        ["serve", "--dev"] => server::serve(Mode::Dev, passed_on),
        ["test"] => return checks::test(checks::Scope::All, passed_on),
        ["test", "--quick"] => return checks::test(checks::Scope::Quick, passed_on),
        ["test", "--rust-only"] => return checks::test(checks::Scope::Rust, passed_on),
        ["test", "--browser-only"] => return checks::test(checks::Scope::Browser, passed_on),
        ["test", "--postgres-only"] => return checks::test(checks::Scope::Postgres, passed_on),
        ["test", name] if !name.starts_with('-') => return checks::test_one(name),
        ["live"] => browser_tests::live(Kind::OpenHands, passed_on),
        ["live", "--agent-server"] => browser_tests::live(Kind::AgentServer, passed_on),
        ["live", "--app-server"] => browser_tests::live(Kind::AppServer, passed_on),
        ["sim-faults"] => faults::hunt(passed_on),
        ["mutants"] => faults::mutants(passed_on),
        ["bench"] => checks::bench(passed_on),
        ["pictures"] => browser_tests::pictures(passed_on),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
