//! Finds or downloads a browser for the tests.

use std::{env, fs::read_to_string, path::PathBuf};

use anyhow::Result;

use crate::steps::{node_module, program, run, step};

/// Debian's package of the browser without a user interface, which costs much less CPU.
const HEADLESS: &str = "chromium-headless-shell";

/// Names of Chromium and related browsers in packages, the preferred first.
const NAMES: [&str; 5] = [
    HEADLESS,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Installation paths outside the search path.
const PLACES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// The browser to test with, or `None` for Playwright's own.
///
/// In this order: `HANDRAIL_CHROMIUM` or `CHROME`, an installed one, Debian's package (as root; Ubuntu's package is a
/// snap, which does not run in containers), Playwright's own download. Errors: the download fails.
pub fn find() -> Result<Option<PathBuf>> {
    let chosen = ["HANDRAIL_CHROMIUM", "CHROME"]
        .into_iter()
        .find_map(env::var_os)
        .map(PathBuf::from);
    if let Some(browser) = chosen.or_else(installed) {
        return Ok(Some(browser));
    }
    if is_debian() && is_root() {
        let apt = |arguments: &[&str]| {
            run(program("apt-get")
                .env("DEBIAN_FRONTEND", "noninteractive")
                .args(arguments))
        };
        let outcome = step("apt-get install of a browser", || {
            apt(&["update"])?;
            apt(&["install", "--yes", "--no-install-recommends", HEADLESS])
        });
        if let (Ok(()), Some(browser)) = (outcome, installed()) {
            return Ok(Some(browser));
        }
    }
    step("playwright install chromium", || {
        let mut install = node_module("@playwright/test/cli.js");
        install.args(["install", "chromium"]);
        // Chromium's libraries are system packages, which only root may install.
        if cfg!(target_os = "linux") && is_root() {
            install.arg("--with-deps");
        }
        run(&mut install)
    })?;
    Ok(None)
}

fn installed() -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let on_path = NAMES.map(|name| env::split_paths(&folders).map(move |folder| folder.join(name)));
    on_path
        .into_iter()
        .flatten()
        .chain(PLACES.map(PathBuf::from))
        .find(|browser| browser.is_file())
}

fn is_debian() -> bool {
    read_to_string("/etc/os-release")
        .is_ok_and(|release| release.lines().any(|line| line == "ID=debian"))
}

fn is_root() -> bool {
    program("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout == b"0\n")
}
