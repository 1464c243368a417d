//! The browser's half: the library as WebAssembly, the style sheet and the public files, ready to be served from `target/site`.
//!
//! cargo → wasm-bindgen (a library here) → wasm-opt → `site.mjs` (esbuild, names by content, compression). Each step is skipped
//! while its inputs are the same, so a warm build costs what cargo needs to see that nothing changed.

use std::fs;

use anyhow::Result;
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    fresh::unless_fresh,
    server::Mode,
    steps::{cargo, end2end, install_node_modules, node_module, program, root, run, step, target},
};

/// The one target of the browser's half.
pub const WASM: &str = "wasm32-unknown-unknown";

/// What selects the browser's half of the crate.
pub const BROWSER_HALF: &str =
    "--lib --target wasm32-unknown-unknown --no-default-features --features hydrate";

/// What rustc itself assumes of a browser; wasm-opt refuses code that uses more than it was told of.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Builds `target/site`.
pub fn build(mode: Mode) -> Result<()> {
    add_target()?;
    install_node_modules()?;
    let (profile, word) = match mode {
        Mode::Release => ("wasm-release", "release"),
        Mode::Dev => ("wasm-dev", "dev"),
    };
    step(&format!("the browser's half ({profile})"), || {
        run(&mut cargo(&format!(
            "build {BROWSER_HALF} --profile {profile}"
        )))
    })?;

    let compiled = target().join(WASM).join(profile).join("handrail.wasm");
    let browser = root().join("target/browser");
    let lock = end2end().join("package-lock.json");
    step("wasm-bindgen and wasm-opt", || {
        unless_fresh(&browser, &[compiled.clone(), lock.clone()], word, || {
            Bindgen::new()
                .input_path(&compiled)
                .web(true)?
                .typescript(false)
                // The page names the file by its content, so the glue must not guess a name.
                .omit_default_module_path(true)
                .keep_debug(mode == Mode::Dev)
                .remove_name_section(mode == Mode::Release)
                .remove_producers_section(true)
                .generate(&browser)?;
            let (bound, optimised) = (
                browser.join("handrail_bg.wasm"),
                browser.join("handrail.wasm"),
            );
            if mode == Mode::Dev {
                eprintln!("   wasm-opt is left out of a dev build");
                fs::rename(bound, optimised)?;
                return Ok(());
            }
            run(node_module("binaryen/bin/wasm-opt")
                .arg("-Oz")
                .args(WASM_FEATURES)
                .arg(&bound)
                .arg("-o")
                .arg(&optimised))
        })
    })?;

    let source = |path: &str| root().join(path);
    let inputs = [
        browser,
        lock,
        source("style"),
        source("public"),
        source("xtask/site.mjs"),
        source("xtask/start.js"),
    ];
    step("the site", || {
        unless_fresh(&source("target/site"), &inputs, word, || {
            run(program("node").arg("xtask/site.mjs").arg(word))
        })
    })
}

/// Adds the standard library for WebAssembly to the toolchain where it is missing.
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
