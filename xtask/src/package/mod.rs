//! `cargo xtask package`: what a machine needs that does not build.
//!
//! All outputs depend on the binary and the commit alone: names are sorted, times are that of the commit, owners are root.

mod archive;
mod crates;
mod deb;
mod licences;
mod needs;
mod sbom;

use std::{env, fs, path::Path};

use anyhow::{Context as _, Result, ensure};

use crate::{
    server::{self, Mode},
    steps::{install_node_modules, program, root, step, target},
};
use archive::Entry;
pub use archive::Times;
use needs::Needs;

/// Files of the repository that are in every package.
const FILES: [&str; 6] = [
    "README.md",
    "CHANGELOG.md",
    "docs/OPERATING.md",
    "deploy/handrail.service",
    "deploy/alerts.yml",
    "deploy/grafana.json",
];

/// Builds all packages in `target/package`, of the program at a path or of a new build.
///
/// Errors: a build fails, or the program is none that runs here.
pub fn package(binary: Option<&str>) -> Result<()> {
    let binary = match binary {
        Some(path) => env::current_dir()?.join(path),
        None => server::build_all(Mode::Package)?,
    };
    // The font of the pages has a licence, too.
    install_node_modules()?;
    let needs = Needs::of(&binary)?;
    eprintln!("{needs}");
    let crates = step("the list of crates", crates::shipped)?;
    let version = crates.version.clone();
    let name = format!("handrail-{version}-{}-linux", env::consts::ARCH);
    let to = target().join("package");
    if to.exists() {
        fs::remove_dir_all(&to)?;
    }
    fs::create_dir_all(&to)?;

    let times = Times::of_commit()?;
    let licences = licences::texts(&crates)?;
    let sbom = sbom::cyclone_dx(&crates)?;
    let mut entries = vec![
        Entry::program("handrail", read(&binary)?),
        Entry::file("THIRD-PARTY-LICENSES.txt", licences.clone().into()),
        Entry::file("sbom.cdx.json", sbom.clone().into()),
        // The data folder of the image, which has no program that could create it.
        Entry::private_folder("data", 65_534),
        Entry::file("Containerfile", read(&root().join("deploy/Containerfile"))?),
    ];
    for file in FILES {
        let name = file.rsplit('/').next().unwrap_or(file);
        entries.push(Entry::file(name, read(&root().join(file))?));
    }
    let within = entries.iter().map(|entry| entry.below(&name)).collect();
    let packed = step("the archive", || archive::tar_gz(within, times))?;
    fs::write(to.join(format!("{name}.tar.gz")), packed)?;
    let architecture = deb::architecture()?;
    let packed = step("the Debian package", || {
        deb::build(&entries, &version, architecture, &needs, times)
    })?;
    fs::write(
        to.join(format!("handrail_{version}_{architecture}.deb")),
        packed,
    )?;
    fs::write(to.join(format!("{name}.cdx.json")), sbom)?;
    let sums = archive::sums(&to)?;
    fs::write(to.join("SHA256SUMS"), &sums)?;
    println!("{sums}in {}", to.display());
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// What a program prints. Errors: it fails.
fn output(name: &str, arguments: &[&str]) -> Result<String> {
    let output = program(name).args(arguments).output();
    let output =
        output.with_context(|| format!("{name} could not be started: is it installed?"))?;
    ensure!(
        output.status.success(),
        "{name} failed: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}
