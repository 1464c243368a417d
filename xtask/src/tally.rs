//! Test counts and failures from the output of libtest and Playwright.

use std::{fmt, iter, mem, ops::AddAssign};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::failure::Failure;

/// Failed tests of one binary that are repeated at most.
const MOST_REPEATED: usize = 8;

/// Number of tests by result, and the failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, and failed checks without test counts.
    pub failed: u64,
    /// Tests that were skipped.
    pub skipped: u64,
    /// Tests that were not run, because nothing that they depend on has changed since they passed.
    pub unchanged: u64,
    /// What failed: a failed test whose output names none of it is in the count alone.
    pub failures: Vec<Failure>,
    /// What failed at first and passed when it was repeated. It counts as passed, and has found something all the same.
    pub flaky: Vec<Failure>,
}

impl From<Failure> for Tally {
    fn from(failure: Failure) -> Self {
        Self {
            failed: 1,
            failures: vec![failure],
            ..Self::default()
        }
    }
}

impl Tally {
    /// Whether any test ran and none failed: a run without tests is not a success.
    pub fn is_success(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    /// Repeats each of its failed tests with `passes`: one that passes then is flaky, as Playwright counts it.
    pub fn repeated(mut self, passes: impl Fn(&str) -> bool) -> Self {
        // Many failures are no accident.
        if self.failures.len() > MOST_REPEATED {
            return self;
        }
        let (flaky, failures): (Vec<_>, Vec<_>) = mem::take(&mut self.failures)
            .into_iter()
            .partition(|failure| passes(&failure.name));
        let repaired = u64::try_from(flaky.len()).unwrap_or(u64::MAX);
        self.failed -= repaired;
        self.passed += repaired;
        self.failures = failures;
        self.flaky.extend(flaky);
        self
    }

    /// Parses libtest's output of any number of test binaries.
    pub fn of_libtest(output: &str) -> Self {
        let mut tally = Self::default();
        for counts in output.lines().filter_map(counts_of_libtest) {
            tally += counts;
        }
        tally.failures = failures_of_libtest(output);
        tally
    }

    /// Parses Playwright's JSON report.
    ///
    /// # Errors
    /// If it is not such a report. A test that passed only on a retry counts as passed.
    pub fn of_playwright(report: &str) -> Result<Self> {
        let report: Value = serde_json::from_str(report)?;
        let count = |what: &str| {
            report["stats"][what]
                .as_u64()
                .with_context(|| format!("the report has no stats.{what}"))
        };
        Ok(Self {
            passed: count("expected")? + count("flaky")?,
            failed: count("unexpected")?,
            skipped: count("skipped")?,
            failures: failures_of_suites(&report["suites"], "unexpected"),
            flaky: failures_of_suites(&report["suites"], "flaky"),
            ..Self::default()
        })
    }
}

/// The counts in a line of libtest's output; `None` unless it is the summary of a test binary.
fn counts_of_libtest(line: &str) -> Option<Tally> {
    let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
    let count = |what: &str| {
        counts
            .split("; ")
            .find_map(|part| part.strip_suffix(what)?.trim().parse().ok())
            .unwrap_or_default()
    };
    Some(Tally {
        passed: count("passed"),
        failed: count("failed"),
        skipped: count("ignored"),
        ..Tally::default()
    })
}

/// The failed tests, each with the section of the output that libtest prints for it.
fn failures_of_libtest(output: &str) -> Vec<Failure> {
    let failed = output
        .lines()
        .filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
    failed
        .map(|name| {
            let head = format!("---- {name} stdout ----\n");
            let section = output.split_once(&head).map_or("", |(_, after)| after);
            let ends = ["\n---- ", "\nfailures:\n"];
            let end = ends.iter().filter_map(|end| section.find(end)).min();
            Failure::of_test(name, &section[..end.unwrap_or(section.len())])
        })
        .collect()
}

/// The tests with this outcome in Playwright's suites, which lie in one another.
fn failures_of_suites(suites: &Value, outcome: &str) -> Vec<Failure> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for suite in list(suites) {
        for spec in list(&suite["specs"]) {
            let failed = |test: &Value| test["status"] == outcome;
            for test in list(&spec["tests"]).iter().filter(|test| failed(test)) {
                let results = list(&test["results"]);
                let message = results
                    .iter()
                    .rev()
                    .find_map(|result| result["error"]["message"].as_str());
                let place = format!(
                    "{}:{} on {}\n{}",
                    spec["file"].as_str().unwrap_or_default(),
                    spec["line"],
                    test["projectName"].as_str().unwrap_or_default(),
                    without_colours(message.unwrap_or_default()),
                );
                found.push(Failure::of_test(
                    spec["title"].as_str().unwrap_or_default(),
                    &place,
                ));
            }
        }
        found.extend(failures_of_suites(&suite["suites"], outcome));
    }
    found
}

/// A text without the escape sequences that colour it.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, after)| after));
    iter::once(first).chain(rest).collect()
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.unchanged += other.unchanged;
        self.failures.extend(other.failures);
        self.flaky.extend(other.flaky);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(formatter, ", {} skipped", self.skipped)?;
        }
        if self.unchanged > 0 {
            write!(
                formatter,
                ", {} unchanged since they passed",
                self.unchanged
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summaries_of_test_binaries_are_counted() {
        let output = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.05s\n\
            test result_is_kept ... ok\n\
            test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.05s\n";
        let tally = Tally::of_libtest(output);
        assert_eq!((tally.passed, tally.failed, tally.skipped), (14, 3, 1));
    }

    #[test]
    fn a_failed_test_is_named_with_its_output_and_a_command() {
        let output = "test a::b ... FAILED\ntest a::c ... FAILED\ntest a::d ... ok\n\nfailures:\n\n\
            ---- a::b stdout ----\nthe first\n\n---- a::c stdout ----\nthe second\n\n\nfailures:\n    a::b\n    a::c\n";
        let failures = Tally::of_libtest(output).failures;
        let texts: Vec<_> = failures
            .iter()
            .map(|failure| failure.text.as_str())
            .collect();
        assert_eq!(texts, ["the first", "the second"]);
        assert_eq!(failures[1].repeat, "cargo xtask test a::c");
    }

    #[test]
    fn a_test_that_passes_when_it_is_repeated_is_flaky() {
        let output = "test a ... FAILED\ntest b ... FAILED\n\
            test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.05s\n";
        let tally = Tally::of_libtest(output).repeated(|name| name == "a");
        assert_eq!((tally.passed, tally.failed), (4, 1));
        assert_eq!(
            (&*tally.flaky[0].name, &*tally.failures[0].name),
            ("a", "b")
        );
    }

    #[test]
    fn a_playwright_report_is_counted() {
        let report = r#"{"stats": {"expected": 5, "unexpected": 1, "flaky": 2, "skipped": 3}, "suites": [
            {"specs": [], "suites": [{"specs": [{"title": "it's a test", "file": "a.spec.ts", "line": 7, "tests": [
                {"projectName": "phone", "status": "unexpected", "results": [{"error": {"message": "\u001b[31mred\u001b[39m"}}]},
                {"projectName": "desktop", "status": "expected", "results": []}]}]}]}]}"#;
        let tally = Tally::of_playwright(report).unwrap();
        assert_eq!((tally.passed, tally.failed, tally.skipped), (7, 1, 3));
        assert_eq!(tally.failures.len(), 1);
        assert_eq!(tally.failures[0].text, "a.spec.ts:7 on phone\nred");
        assert_eq!(
            tally.failures[0].repeat,
            r"cargo xtask test 'it'\''s a test'"
        );
        assert!(Tally::of_playwright("{}").is_err());
    }

    #[test]
    fn a_run_without_tests_is_not_a_success() {
        let tally = |passed, failed| Tally {
            passed,
            failed,
            ..Tally::default()
        };
        assert!(!tally(0, 0).is_success());
        assert!(!tally(3, 1).is_success());
        assert!(tally(3, 0).is_success());
    }

    #[test]
    fn skipped_and_unchanged_tests_are_listed_only_if_there_are_any() {
        let tally = |skipped, unchanged| Tally {
            passed: 3,
            skipped,
            unchanged,
            ..Tally::default()
        };
        assert_eq!(tally(0, 0).to_string(), "3 passed, 0 failed");
        assert_eq!(tally(2, 0).to_string(), "3 passed, 0 failed, 2 skipped");
        let text = tally(0, 5).to_string();
        assert_eq!(text, "3 passed, 0 failed, 5 unchanged since they passed");
    }
}
