//! The crates whose code is in the program or in the pages.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::output;
use crate::steps::root;

/// Crates with sources of C libraries, which build scripts use and the program links.
const WITH_LIBRARIES: [&str; 1] = ["openssl-src"];

/// A crate.
pub struct Crate {
    pub name: String,
    pub version: String,
    /// An SPDX expression, as far as its authors wrote one.
    pub license: String,
    pub repository: String,
    pub folder: PathBuf,
    /// SHA-256 of its archive in the registry.
    pub checksum: Option<String>,
    /// Names and versions of those that it depends on.
    pub dependencies: BTreeSet<(String, String)>,
}

/// The crates of a release.
pub struct Crates {
    /// The version of Handrail.
    pub version: String,
    /// All others.
    pub others: Vec<Crate>,
}

/// The crates that are linked on any platform, without those that only build or test. Errors: cargo fails.
pub fn shipped() -> Result<Crates> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let metadata = output(
        &cargo,
        &[
            "metadata",
            "--format-version=1",
            "--locked",
            "--all-features",
        ],
    )?;
    let metadata: Value = serde_json::from_str(&metadata)?;
    let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages = array(&metadata["packages"]);
    let packages: BTreeMap<String, &Value> = packages
        .iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let nodes = array(&metadata["resolve"]["nodes"]);
    let nodes: BTreeMap<String, &Value> =
        nodes.iter().map(|node| (text(&node["id"]), node)).collect();
    let id = packages
        .iter()
        .find(|(_, package)| package["name"] == "handrail");
    let id = id
        .context("the workspace has a package handrail")?
        .0
        .clone();
    let is_linked = |dependency: &Value| {
        let is_library = packages
            .get(&text(&dependency["pkg"]))
            .is_some_and(|package| {
                WITH_LIBRARIES.contains(&package["name"].as_str().unwrap_or_default())
            });
        is_library
            || array(&dependency["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null())
    };
    let dependencies = |id: &str| -> Vec<String> {
        let all = nodes
            .get(id)
            .map(|node| array(&node["deps"]))
            .unwrap_or_default();
        all.iter()
            .filter(|one| is_linked(one))
            .map(|one| text(&one["pkg"]))
            .collect()
    };
    let mut found = BTreeSet::new();
    let mut waiting = vec![id.clone()];
    while let Some(next) = waiting.pop() {
        if found.insert(next.clone()) {
            waiting.extend(dependencies(&next));
        }
    }
    let checksums = checksums()?;
    let named = |id: &String| {
        let package = packages.get(id)?;
        Some((text(&package["name"]), text(&package["version"])))
    };
    let mut others: Vec<Crate> = found
        .iter()
        .filter_map(|id| {
            let package = packages.get(id)?;
            let (name, version) = named(id)?;
            let manifest = PathBuf::from(text(&package["manifest_path"]));
            Some(Crate {
                license: text(&package["license"]),
                repository: text(&package["repository"]),
                folder: manifest.parent()?.to_owned(),
                checksum: checksums.get(&(name.clone(), version.clone())).cloned(),
                dependencies: dependencies(id).iter().filter_map(named).collect(),
                name,
                version,
            })
        })
        .filter(|one| !one.name.starts_with("handrail"))
        .collect();
    others.sort_by(|one, other| (&one.name, &one.version).cmp(&(&other.name, &other.version)));
    Ok(Crates {
        version: text(&packages[&id]["version"]),
        others,
    })
}

/// The checksums in `Cargo.lock`.
fn checksums() -> Result<BTreeMap<(String, String), String>> {
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    let packages = lock.split("[[package]]").skip(1).filter_map(|package| {
        let value = |key: &str| {
            let start = format!("{key} = \"");
            let line = package.lines().find_map(|line| line.strip_prefix(&start))?;
            Some(line.trim_end_matches('"').to_owned())
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    });
    Ok(packages.collect())
}
