//! Documentation from what the tests were built from.
//!
//! `cargo doc` compiles all dependencies once more, into metadata that no other step needs. `cargo test --doc` hands
//! rustdoc the compiled ones; with this program in rustdoc's place, it writes documentation as well as running the tests
//! in it.

use std::{
    env,
    ffi::OsString,
    process::{Command, ExitCode},
};

use crate::steps::{run, target};

/// The variable that makes this program act as rustdoc.
pub const AS_RUSTDOC: &str = "HANDRAIL_XTASK_AS_RUSTDOC";

/// Runs rustdoc with the arguments of this process, then again without those of a test run.
pub fn as_rustdoc() -> ExitCode {
    let given = || env::args_os().skip(1);
    let tests = run(Command::new("rustdoc").args(given()));
    let documentation = run(Command::new("rustdoc")
        .args(without_tests(given()))
        .arg("--out-dir")
        .arg(target().join("doc")));
    match tests.and(documentation) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn without_tests(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--test") => {}
            Some("--test-run-directory") => drop(arguments.next()),
            _ => kept.push(argument),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::without_tests;

    #[test]
    fn only_the_arguments_of_tests_are_left_out() {
        let given = "--crate-name a --test src/lib.rs --test-run-directory /b --extern c";
        let kept = without_tests(given.split(' ').map(Into::into));
        assert_eq!(kept, ["--crate-name", "a", "src/lib.rs", "--extern", "c"]);
    }
}
