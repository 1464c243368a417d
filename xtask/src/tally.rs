//! Test counts from the output of libtest and Playwright, summed up in one line.

use std::{fmt, ops::AddAssign};

use anyhow::{Context as _, Result};
use serde_json::Value;

/// Number of tests by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, and failed checks without test counts.
    pub failed: u64,
    /// Tests that were skipped.
    pub skipped: u64,
}

impl Tally {
    /// A check that failed as a whole.
    pub const FAILURE: Self = Self {
        passed: 0,
        failed: 1,
        skipped: 0,
    };

    /// Whether any test ran and none failed: a run without tests is not a success.
    pub fn is_success(self) -> bool {
        self.failed == 0 && self.passed > 0
    }

    /// Parses a line of libtest's output; `None` unless it is the summary of a test binary.
    pub fn of_libtest(line: &str) -> Option<Self> {
        let counts = line.strip_prefix("test result: ")?.split_once(". ")?.1;
        let count = |what: &str| {
            counts
                .split("; ")
                .find_map(|part| part.strip_suffix(what)?.trim().parse().ok())
                .unwrap_or_default()
        };
        Some(Self {
            passed: count("passed"),
            failed: count("failed"),
            skipped: count("ignored"),
        })
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
        })
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)?;
        if self.skipped > 0 {
            write!(formatter, ", {} skipped", self.skipped)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_of_a_test_binary_is_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.05s";
        assert_eq!(
            Tally::of_libtest(line),
            Some(Tally {
                passed: 12,
                failed: 3,
                skipped: 1
            })
        );
        assert_eq!(Tally::of_libtest("test result_is_kept ... ok"), None);
    }

    #[test]
    fn a_playwright_report_is_counted() {
        let report = r#"{"stats": {"expected": 5, "unexpected": 1, "flaky": 2, "skipped": 3}}"#;
        assert_eq!(
            Tally::of_playwright(report).unwrap(),
            Tally {
                passed: 7,
                failed: 1,
                skipped: 3
            }
        );
        assert!(Tally::of_playwright("{}").is_err());
    }

    #[test]
    fn a_run_without_tests_is_not_a_success() {
        assert!(!Tally::default().is_success());
        assert!(
            !Tally {
                passed: 3,
                failed: 1,
                skipped: 0
            }
            .is_success()
        );
        assert!(
            Tally {
                passed: 3,
                failed: 0,
                skipped: 1
            }
            .is_success()
        );
    }

    #[test]
    fn skipped_tests_are_listed_only_if_there_are_any() {
        assert_eq!(
            Tally {
                passed: 3,
                failed: 0,
                skipped: 0
            }
            .to_string(),
            "3 passed, 0 failed"
        );
        assert_eq!(
            Tally {
                passed: 3,
                failed: 0,
                skipped: 2
            }
            .to_string(),
            "3 passed, 0 failed, 2 skipped"
        );
    }
}
