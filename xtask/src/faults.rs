//! Mutation testing: faults are planted into a copy of the sources, all in one build, each of them active in the runs that
//! look for it. The simulation looks for those of `tests/sim/faults.txt`, and one test of the default tests for each of
//! `tests/mutants.txt`. A fault that is missed shows that a test is too weak.

use crate::server::server_cargo;
use crate::steps::{program, root, target};
use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The faults that the simulation must find.
const FAULTS: &str = "tests/sim/faults.txt";
/// The faults that one of the default tests must find.
const MUTANTS: &str = "tests/mutants.txt";
/// Seeds per fault, with long plans, which find most faults sooner.
const SEEDS: &str = "600";
/// A test that has not ended after this long has failed.
const LIMIT: Duration = Duration::from_secs(120);
/// The folder of the copy.
const COPY: &str = "target/planted";
/// The end of the copy's library.
const IS_ACTIVE: &str = r#"
/// Whether this fault is active in this process.
pub(crate) fn fault(name: &str) -> bool {
    static ACTIVE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    ACTIVE.get_or_init(|| std::env::var("HANDRAIL_FAULT").unwrap_or_default()) == name
}
"#;

/// One fault.
struct Fault {
    name: String,
    what: String,
    /// The test that must find it: a unit test, or one of `it` behind this word.
    test: String,
    /// Files, each with the original text and its replacement.
    changes: Vec<(String, String, String)>,
}

impl Fault {
    /// The program that has its test, and the test's name there.
    fn test(&self) -> (&str, &str) {
        match self.test.split_once(' ') {
            Some((program, test)) => (program, test),
            None => ("lib", &self.test),
        }
    }
}

/// Plants the faults of the simulation, and has it find those with these names, or all of them.
///
/// Errors: a fault cannot be planted, the copy does not compile, or a fault is not found.
pub fn hunt(names: &[String]) -> Result<()> {
    let faults = planted(FAULTS)?;
    let programs = build(&["--test", "sim"])?;
    let simulation = programs.get("sim").context("cargo built no simulation")?;
    let mut missed = 0;
    for fault in selected(&faults, names) {
        let mut run = test(simulation, "all_invariants_hold_for_many_seeds", fault);
        run.arg("--nocapture")
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

/// Plants the mutants, and has each of those with these names, or all of them, found by its test.
///
/// Errors: a mutant cannot be planted, the copy does not compile, a test fails without its mutant, or passes with it.
pub fn mutants(names: &[String]) -> Result<()> {
    let faults = planted(MUTANTS)?;
    let mut targets = vec!["--lib"];
    // The program, over which the tests of `it` run, takes longer to compile than most of these tests take.
    if selected(&faults, names).any(|fault| fault.test().0 == "it") {
        targets.extend(["--test", "it"]);
    }
    let programs = build(&targets)?;
    let mut missed = 0;
    println!("{:<44} {:<9} {:>7}  test", "mutant", "", "seconds");
    for fault in selected(&faults, names) {
        let (program, name) = fault.test();
        let program = programs.get(program).context("cargo did not build it")?;
        let mut sound = test(program, name, fault);
        sound.env_remove("HANDRAIL_FAULT");
        let is_sound = passes(&mut sound)?;
        let begun = Instant::now();
        let is_found = is_sound && !passes(&mut test(program, name, fault))?;
        missed += usize::from(!is_found);
        let verdict = match (is_sound, is_found) {
            (false, _) => "no test",
            (true, true) => "found",
            (true, false) => "not found",
        };
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "{:<44} {verdict:<9} {seconds:>7.2}  {}",
            fault.name, fault.test
        );
    }
    ensure!(missed == 0, "{missed} mutants were not found");
    Ok(())
}

/// The faults with these names, or all of them.
fn selected<'a>(faults: &'a [Fault], names: &'a [String]) -> impl Iterator<Item = &'a Fault> {
    let is_selected = |fault: &&Fault| names.is_empty() || names.contains(&fault.name);
    faults.iter().filter(is_selected)
}

/// A run of one test with a fault.
fn test(program: &Path, name: &str, fault: &Fault) -> Command {
    let mut run = Command::new(program);
    run.args(["--exact", name])
        .current_dir(root().join(COPY))
        .env("CARGO_MANIFEST_DIR", root().join(COPY))
        .env("HANDRAIL_FAULT", &fault.name);
    run
}

/// Whether a run of one test ends in time, and the test exists and passes.
fn passes(run: &mut Command) -> Result<bool> {
    let log = root().join(COPY).join("test.log");
    let output = fs::File::create(&log)?;
    let mut run = run.stdout(output.try_clone()?).stderr(output).spawn()?;
    let begun = Instant::now();
    while run.try_wait()?.is_none() {
        if begun.elapsed() > LIMIT {
            run.kill()?;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let text = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
    Ok(run.wait()?.success() && text.contains("ok. 1 passed"))
}

/// Copies the sources, and plants all faults of a list.
fn planted(list: &str) -> Result<Vec<Fault>> {
    let faults = read(&fs::read_to_string(root().join(list))?)?;
    copy()?;
    for (name, old, new) in faults.iter().flat_map(|fault| &fault.changes) {
        let file = root().join(COPY).join(name);
        let text = fs::read_to_string(&file).with_context(|| name.clone())?;
        let planted = replaced(&text, old, new).with_context(|| format!("in {name}: {old}"))?;
        fs::write(file, planted)?;
    }
    let library = root().join(COPY).join("src/lib.rs");
    let text = fs::read_to_string(&library)?;
    fs::write(library, text + IS_ACTIVE)?;
    Ok(faults)
}

/// A text with one part of it replaced. Errors: it does not have exactly one such part.
fn replaced(text: &str, old: &str, new: &str) -> Result<String> {
    if text.matches(old).count() != 1 {
        bail!("the original must occur exactly once");
    }
    Ok(text.replacen(old, new, 1))
}

/// Builds tests of the copy, and returns their programs by name; the unit tests are `lib`.
///
/// Our own code is not optimised: that would take longer than it saves.
fn build(targets: &[&str]) -> Result<HashMap<String, PathBuf>> {
    let mut cargo = server_cargo(
        "test --no-run --offline --message-format=json --package handrail --package handrail-rehearsal",
    );
    // The target folder is that of all builds, so that dependencies are not compiled once more.
    cargo
        .args(targets)
        .arg("--target-dir")
        .arg(target())
        .current_dir(root().join(COPY))
        .stderr(Stdio::inherit());
    let output = cargo.output()?;
    let messages = String::from_utf8(output.stdout)?;
    let messages: Vec<serde_json::Value> = messages
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let errors = messages.iter().filter_map(|message| {
        let message = &message["message"];
        message["rendered"]
            .as_str()
            .filter(|_| message["level"] == "error")
    });
    ensure!(
        output.status.success(),
        "the copy does not compile:\n{}",
        errors.collect::<String>()
    );
    let programs = messages.iter().filter_map(|message| {
        let path = message["executable"].as_str()?;
        let name = match message["target"]["kind"][0].as_str()? {
            "test" => message["target"]["name"].as_str()?,
            kind => kind,
        };
        Some((name.to_owned(), PathBuf::from(path)))
    });
    Ok(programs.collect())
}

/// Copies all files tracked by git, and those that will be.
fn copy() -> Result<()> {
    let listed = program("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .output()?;
    ensure!(
        listed.status.success(),
        "git does not say which files there are"
    );
    let names = String::from_utf8(listed.stdout)?;
    // Without sources that are gone.
    let sources = root().join(COPY).join("src");
    if sources.is_dir() {
        fs::remove_dir_all(sources)?;
    }
    for name in names
        .split('\0')
        // Cargo's configuration counts for the copy as well, once.
        .filter(|name| !name.starts_with(".cargo/") && root().join(name).is_file())
    {
        let to = root().join(COPY).join(name);
        let folder = to.parent().context("a file has a parent folder")?;
        fs::create_dir_all(folder)?;
        let mut text = fs::read(root().join(name))?;
        if name.ends_with("Cargo.toml") {
            // With a version of their own, the packages of the copy have files of their own in the target folder.
            let manifest = String::from_utf8(text)?;
            text = replaced(
                &manifest,
                "\nversion = \"0.1.0\"",
                "\nversion = \"0.1.0+planted\"",
            )?
            .into_bytes();
        }
        // Unchanged files are not written, because cargo recompiles files with newer times.
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(&to, text)?;
        }
    }
    Ok(())
}

/// Parses a list of faults.
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
                test: String::new(),
                changes: Vec::new(),
            });
        } else if let Some(test) = line.strip_prefix("! ") {
            let fault = faults.last_mut().context("a test belongs to a fault")?;
            test.clone_into(&mut fault.test);
        } else if let Some(name) = line.strip_prefix("@ ") {
            name.clone_into(&mut file);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn list(name: &str) -> Vec<Fault> {
        let text = fs::read_to_string(root().join(name)).expect("the list is there");
        read(&text).expect("the list is well-formed")
    }

    #[test]
    fn every_fault_can_be_planted() {
        for list in [list(FAULTS), list(MUTANTS)] {
            let mut files = HashMap::new();
            for fault in &list {
                let name = format!("crate::fault(\"{}\")", fault.name);
                let news = fault.changes.iter().map(|(_, _, new)| new.as_str());
                assert!(
                    news.collect::<String>().contains(&name),
                    "{name} is missing"
                );
                for (file, old, new) in &fault.changes {
                    let text = files.entry(file.clone()).or_insert_with(|| {
                        fs::read_to_string(root().join(file)).expect("the file is there")
                    });
                    *text = replaced(text, old, new)
                        .unwrap_or_else(|error| panic!("{} in {file}: {error}", fault.name));
                }
            }
        }
    }

    #[test]
    fn the_document_has_every_mutant_and_its_test() {
        let document = fs::read_to_string(root().join("docs/TESTS.md")).expect("it is there");
        let rows = list(MUTANTS).into_iter().map(|fault| {
            let (program, test) = fault.test();
            let of_it = if program == "it" { " (it)" } else { "" };
            format!("| {} | `{test}`{of_it} |", fault.what)
        });
        let missing: Vec<_> = rows.filter(|row| !document.contains(row)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }
}
