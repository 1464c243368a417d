//! Documentation from what the tests were built from.
//!
//! `cargo doc` compiles all dependencies once more, into metadata that no other step needs. `cargo test --doc` hands
//! rustdoc the compiled ones; with this program in rustdoc's place it writes documentation instead of running tests in it
//! (there are none).

use std::{
    env,
    ffi::OsString,
    process::{Command, ExitCode},
};

use crate::steps::target;

/// The variable that makes this program act as rustdoc.
pub const AS_RUSTDOC: &str = "HANDRAIL_XTASK_AS_RUSTDOC";

/// Runs rustdoc with the arguments of this process, without those of a test run.
pub fn as_rustdoc() -> ExitCode {
    let status = Command::new("rustdoc")
        .args(without_tests(env::args_os().skip(1)))
        .arg("--out-dir")
        .arg(target().join("doc"))
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: rustdoc could not be started: {error}");
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
