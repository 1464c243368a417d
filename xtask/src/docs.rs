//! Documentation from what the tests were built from.
//!
//! `cargo doc` compiles all dependencies once more, into metadata that no other step needs. `cargo test --doc` hands
//! rustdoc the compiled ones; with this program in rustdoc's place, it writes documentation as well as running the tests
//! in it, if there are any: looking for them alone compiles half of the package.

use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use crate::steps::{run, target};

/// The variable that makes this program act as rustdoc.
pub const AS_RUSTDOC: &str = "HANDRAIL_XTASK_AS_RUSTDOC";

/// Runs rustdoc with the arguments of this process, if there are examples to test, then again without those of a test run.
pub fn as_rustdoc() -> ExitCode {
    let given = || env::args_os().skip(1);
    let root = given().map(PathBuf::from).find(|path| is_rust(path));
    let tests = match root.as_deref().and_then(Path::parent).map(has_examples) {
        Some(Ok(false)) => Ok(()),
        _ => run(Command::new("rustdoc").args(given())),
    };
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

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "rs")
}

/// Whether a Rust file in this folder has an example in its documentation. Errors: one cannot be read.
fn has_examples(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let has_some = match path.is_dir() {
            true => has_examples(&path)?,
            false => is_rust(&path) && is_tested(&fs::read_to_string(&path)?),
        };
        if has_some {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the documentation in this text has a block of code that is not called text.
fn is_tested(source: &str) -> bool {
    let comments = source.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"))
    });
    let fences = comments.filter_map(|comment| comment.trim().strip_prefix("```"));
    // Every second one ends a block.
    fences.step_by(2).any(|kind| kind != "text")
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
    use super::{is_tested, without_tests};

    #[test]
    fn examples_are_blocks_of_code_that_are_not_called_text() {
        assert!(!is_tested(
            "/// Like this:\n/// ```text\n/// a\n/// ```\nlet a = \"```\";"
        ));
        assert!(is_tested(
            "//! ```text\n//! a\n//! ```\n    /// ```\n    /// b();\n    /// ```"
        ));
        assert!(is_tested("/// ```no_run\n/// b();\n/// ```"));
    }

    #[test]
    fn only_the_arguments_of_tests_are_left_out() {
        let given = "--crate-name a --test src/lib.rs --test-run-directory /b --extern c";
        let kept = without_tests(given.split(' ').map(Into::into));
        assert_eq!(kept, ["--crate-name", "a", "src/lib.rs", "--extern", "c"]);
    }
}
