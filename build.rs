//! Notices a newly built site, so that a release server embeds it.

use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if is_release && env::var_os("CARGO_FEATURE_SSR").is_some() {
        fs::create_dir_all("target/site").expect("the project folder is writable");
        println!("cargo::rerun-if-changed=target/site");
    }
}
