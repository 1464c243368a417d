//! Mutation testing of the simulation: the faults listed in `tests/sim/faults.txt` are planted into a copy of the
//! sources, all in one build, and the simulation looks for one after the other. A fault that it misses shows that the
//! simulation is too weak.

use crate::steps::{program, root};
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Seeds per fault, with long plans, which find most faults sooner.
const SEEDS: &str = "600";
/// The folder of the copy.
const COPY: &str = "target/sim-faults";
/// A module for the copy: which fault is active in this process.
const LOOKED_FOR: &str = r#"//! Which fault is active.

use std::sync::OnceLock;

/// Whether this fault is active.
pub(crate) fn fault(name: &str) -> bool {
    static WANTED: OnceLock<String> = OnceLock::new();
    WANTED.get_or_init(|| std::env::var("HANDRAIL_FAULT").unwrap_or_default()) == name
}
"#;

/// One fault.
struct Fault {
    name: String,
    what: String,
    /// Files, each with the original text and its replacement.
    changes: Vec<(String, String, String)>,
}

/// Plants all faults, and looks for those with these names, or for all of them.
///
/// Errors: a fault cannot be planted, the copy does not compile, or a fault is not found.
pub fn hunt(names: &[String]) -> Result<()> {
    let list = fs::read_to_string("tests/sim/faults.txt")
        .context("run this in the root of the repository")?;
    let faults = read(&list)?;
    copy()?;
    for fault in &faults {
        plant(fault)?;
    }
    let module = format!("{COPY}/src/journal/fault.rs");
    fs::write(module, LOOKED_FOR)?;
    let journal = format!("{COPY}/src/journal/mod.rs");
    let text = fs::read_to_string(&journal)?;
    ensure!(
        text.contains("mod events;"),
        "the journal has no place for a fault"
    );
    let text = text.replacen(
        "mod events;",
        "mod events;\nmod fault;\npub(crate) use fault::fault;",
        1,
    );
    fs::write(journal, text)?;
    let simulation = build()?;
    let mut missed = 0;
    for fault in faults
        .iter()
        .filter(|fault| names.is_empty() || names.contains(&fault.name))
    {
        let mut run = Command::new(&simulation);
        run.args(["--exact", "all_invariants_hold_for_many_seeds"])
            .arg("--nocapture")
            .current_dir(COPY)
            .env("HANDRAIL_FAULT", &fault.name)
            .env("HANDRAIL_SIM_SEEDS", SEEDS)
            .env("HANDRAIL_SIM_LONG", "1")
            .env("HANDRAIL_SIM_HASTE", "1");
        let output = run.output()?;
        let output = [output.stderr, output.stdout].concat();
        let output = String::from_utf8_lossy(&output);
        let found = output
            .lines()
            .find_map(|line| line.split_once("found after ").map(|(_, found)| found));
        missed += usize::from(found.is_none());
        println!(
            "{:<36} {}\n    {}",
            fault.name,
            found.unwrap_or("not found"),
            fault.what
        );
    }
    ensure!(
        missed == 0,
        "{missed} faults were not found in {SEEDS} seeds"
    );
    Ok(())
}

/// Builds the simulation in the copy, and returns its program.
fn build() -> Result<PathBuf> {
    let mut cargo = program("cargo");
    cargo
        .args([
            "test",
            "--package",
            "handrail",
            "--package",
            "handrail-rehearsal",
        ])
        .args(["--test", "sim", "--no-run", "--message-format=json"])
        .current_dir(COPY)
        // Four times as many seeds in the same time.
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "2")
        .stderr(Stdio::inherit());
    let output = cargo.output()?;
    ensure!(output.status.success(), "the copy does not compile");
    let output = String::from_utf8(output.stdout)?;
    let built = output
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| {
            let is_it = message["target"]["name"] == "sim";
            let path = message["executable"].as_str().map(str::to_owned);
            path.filter(|_| is_it)
        });
    // A later build in the same target folder would replace it.
    let kept = root().join(COPY).join("simulation");
    fs::copy(built.context("cargo reports no program")?, &kept)?;
    Ok(kept)
}

/// Copies all files tracked by git.
fn copy() -> Result<()> {
    let listed = Command::new("git").args(["ls-files", "-z"]).output()?;
    ensure!(
        listed.status.success(),
        "git does not say which files there are"
    );
    let names = String::from_utf8(listed.stdout)?;
    // Without sources that are gone.
    let sources = Path::new(COPY).join("src");
    if sources.is_dir() {
        fs::remove_dir_all(sources)?;
    }
    for name in names
        .split('\0')
        // Cargo's configuration counts for the copy as well, once.
        .filter(|name| !name.starts_with(".cargo/") && Path::new(name).is_file())
    {
        let to = Path::new(COPY).join(name);
        let folder = to.parent().context("a file has a parent folder")?;
        fs::create_dir_all(folder)?;
        // Unchanged files are not written, because cargo recompiles files with newer times.
        let text = fs::read(name)?;
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(&to, text)?;
        }
    }
    Ok(())
}

fn plant(fault: &Fault) -> Result<()> {
    for (name, old, new) in &fault.changes {
        let file = format!("{COPY}/{name}");
        let text = fs::read_to_string(&file)?;
        if text.matches(old.as_str()).count() != 1 {
            bail!("{}: its text must occur exactly once in {name}", fault.name);
        }
        fs::write(file, text.replacen(old.as_str(), new, 1))?;
    }
    Ok(())
}

/// Parses the list of faults.
fn read(list: &str) -> Result<Vec<Fault>> {
    let mut faults: Vec<Fault> = Vec::new();
    let mut lines = list.lines();
    let mut file = String::new();
    while let Some(line) = lines.next() {
        if let Some(head) = line.strip_prefix("= ") {
            let (name, what) = head
                .split_once(": ")
                .context("a fault has a name and a description")?;
            faults.push(Fault {
                name: name.to_owned(),
                what: what.to_owned(),
                changes: Vec::new(),
            });
        } else if let Some(name) = line.strip_prefix("@ ") {
            file = name.to_owned();
        } else if line == "<<<" {
            let part = |lines: &mut std::str::Lines<'_>, ends: &[&str]| {
                let taken = lines.take_while(|line| !ends.contains(line));
                taken.map(|line| format!("{line}\n")).collect::<String>()
            };
            let old = part(&mut lines, &["==="]);
            let new = part(&mut lines, &[">>>"]);
            let fault = faults.last_mut().context("a text belongs to a fault")?;
            fault.changes.push((file.clone(), old, new));
        }
    }
    Ok(faults)
}
