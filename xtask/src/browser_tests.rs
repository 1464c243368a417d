//! The browser tests: Playwright with the dev server and the pages of a release.

use std::{env, fs};

use anyhow::{Context as _, Result, ensure};

use crate::{
    backend::{Backend, Kind},
    binaries::{PACKAGES, at_least_one_failure, economical},
    browser, server, site,
    steps::{add_components, end2end, node_module, run, step},
    tally::Tally,
};

/// Playwright's projects, which decide themselves what they repeat.
pub const PROJECTS: [&str; 3] = ["desktop", "phone", "nojs"];

/// Runs Playwright's `projects` with the dev server. `variables` are added to the environment.
pub fn browser_tests(
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
    // A real backend that the tests restart needs them.
    if !projects.contains(&"live") {
        economical(&mut playwright);
    }
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
pub fn pages_for_tests() -> Result<()> {
    site::build_for_tests()
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

fn report(tally: Tally) -> Result<()> {
    eprintln!();
    println!("{tally}");
    ensure!(tally.is_success(), "not all tests passed");
    Ok(())
}
