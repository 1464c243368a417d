//! The browser side: the library as WebAssembly, the style sheet and the public files, ready to be served from
//! `target/site`.
//!
//! Cargo → wasm-split and wasm-bindgen (as libraries) → wasm-opt → `site.mjs` (esbuild, content hashes, compression).
//! Each step is skipped if its inputs are unchanged, so a warm build costs only cargo's own check.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, anyhow};
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    fresh::unless_fresh,
    portable,
    server::{Mode, linted},
    shrink::shrink,
    steps::{cargo, end2end, install_node_modules, program, repeats_all, root, run, step, target},
};

/// The only target of the browser side.
pub const WASM: &str = "wasm32-unknown-unknown";

/// The cargo arguments that select the browser side of the crate.
const BROWSER_HALF: &str =
    "--lib --target wasm32-unknown-unknown --no-default-features --features hydrate";

/// Builds `target/site`. Errors: a tool is missing or fails, or a file cannot be written.
pub fn build(mode: Mode) -> Result<()> {
    let kind = match mode {
        Mode::Release | Mode::Package => SiteKind::Release,
        Mode::Dev => SiteKind::Dev,
    };
    build_from(kind, &mut |cargo| {
        if mode == Mode::Package {
            cargo.envs(portable::without_paths());
        }
    })
}

/// With clippy, whose warnings are errors: so lints cost no compilation of their own. What only makes files small, for two
/// minutes of CPU time, is left to releases and to `--all`.
pub fn build_for_tests() -> Result<()> {
    let kind = if repeats_all() {
        SiteKind::Release
    } else {
        SiteKind::Tests
    };
    build_from(kind, &mut |cargo| {
        linted(cargo).args(["-D", "warnings"]);
    })
}

/// What a site is built for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SiteKind {
    /// As small as possible.
    Release,
    /// Quick to build, and the same in all but its size.
    Tests,
    /// Quick to build, readable in a debugger.
    Dev,
}

impl SiteKind {
    /// The profile of cargo.
    fn profile(self) -> &'static str {
        match self {
            Self::Release => "wasm-release",
            Self::Tests | Self::Dev => "wasm-dev",
        }
    }

    /// The word that `site.mjs` knows it by.
    fn word(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Tests => "tests",
            Self::Dev => "dev",
        }
    }
}

/// `arrange` completes the call of cargo.
fn build_from(kind: SiteKind, arrange: &mut dyn FnMut(&mut Command)) -> Result<()> {
    add_target()?;
    install_node_modules()?;
    let (profile, word) = (kind.profile(), kind.word());
    step(&format!("the browser side ({profile})"), || {
        // wasm-split needs the relocations to split the file.
        let mut compile = cargo(&format!(
            "rustc {BROWSER_HALF} --crate-type cdylib --profile {profile} -- -C link-args=--emit-relocs"
        ));
        arrange(&mut compile);
        run(&mut compile)
    })?;

    let compiled = target().join(WASM).join(profile).join("handrail.wasm");
    let browser = root().join("target/browser");
    let lock = end2end().join("package-lock.json");
    step("wasm-split, wasm-bindgen and wasm-opt", || {
        unless_fresh(&browser, &[compiled.clone(), lock.clone()], word, || {
            // Removes parts of earlier builds, which would be served forever.
            if browser.exists() {
                fs::remove_dir_all(&browser)?;
            }
            let parts = split(&compiled, &browser)?;
            Bindgen::new()
                .input_path(browser.join(WHOLE))
                .out_name("handrail")
                .web(true)?
                .typescript(false)
                // The parts share the function table.
                .keep_lld_exports(true)
                // The page knows the file by its hashed name, so the glue must not guess one.
                .omit_default_module_path(true)
                .keep_debug(kind == SiteKind::Dev)
                .remove_producers_section(true)
                .generate(&browser)?;
            fs::remove_file(browser.join(WHOLE))?;
            fs::rename(
                browser.join("handrail_bg.wasm"),
                browser.join("handrail.wasm"),
            )?;
            if kind == SiteKind::Dev {
                eprintln!("   wasm-opt is left out of a dev build");
                return Ok(());
            }
            for file in parts.into_iter().chain([browser.join("handrail.wasm")]) {
                shrink(
                    &file,
                    &browser.join("handrail.js"),
                    kind == SiteKind::Release,
                )?;
            }
            Ok(())
        })
    })?;

    let source = |path: &str| root().join(path);
    let inputs = [
        browser,
        lock,
        source("style"),
        source("public"),
        source("src/worker"),
        source("xtask/site.mjs"),
        source("xtask/start.js"),
    ];
    step("the site", || {
        unless_fresh(&source("target/site"), &inputs, word, || {
            run(program("node").arg("xtask/site.mjs").arg(word))
        })
    })
}

/// The part that is loaded first, between wasm-split and wasm-bindgen.
const WHOLE: &str = "first.wasm";

/// Splits the compiled file into the part for the first screen and the lazily loaded parts, whose paths are returned.
/// The source marks the possible split points (`wasm_split`).
fn split(compiled: &Path, browser: &Path) -> Result<Vec<PathBuf>> {
    let input = fs::read(compiled)?;
    let first = browser.join(WHOLE);
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = browser;
    options.main_out_path = &first;
    options.main_module = "./handrail.js";
    let split = wasm_split_cli_support::transform(options).map_err(|error| anyhow!("{error:#}"))?;
    Ok(split.split_modules)
}

/// Adds the standard library for WebAssembly to the toolchain if it is missing. Errors: rustc or rustup fails.
pub fn add_target() -> Result<()> {
    let library = program("rustc")
        .args(["--print", "target-libdir", "--target", WASM])
        .output()?
        .stdout;
    if std::path::Path::new(String::from_utf8_lossy(&library).trim()).is_dir() {
        return Ok(());
    }
    step("rustup target add", || {
        run(program("rustup").args(["target", "add", WASM]))
    })
}
