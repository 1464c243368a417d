//! Mutation testing: faults are planted into a copy of the sources, all in one build, each of them active in the runs that
//! look for it. The simulation looks for those of `tests/sim/faults.txt`, and one test of the default tests for each of
//! `tests/mutants.txt`. A fault that is missed shows that a test is too weak.
//!
//! Long because both lists are planted and hunted in the same copy.

mod list;

use crate::binaries::PACKAGES;
use crate::postgres::Server;
use crate::server::server_cargo;
use crate::steps::{program, root, target};
use anyhow::{Context, Result, ensure};
use list::{FAULTS, Fault, MUTANTS, read, replaced};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Seeds per fault, with long plans, which find most faults sooner.
const SEEDS: &str = "600";
/// A test that has not ended after this long has failed.
const LIMIT: Duration = Duration::from_secs(60);
/// The folder of the copy.
const COPY: &str = "target/planted";
/// The end of the copy's libraries.
const IS_ACTIVE: &str = r#"
/// Whether this fault is active in this process.
#[allow(dead_code)]
pub(crate) fn fault(name: &str) -> bool {
    static ACTIVE: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    ACTIVE.get_or_init(|| std::env::var("HANDRAIL_FAULT").unwrap_or_default()) == name
}
"#;

/// Plants the faults of the simulation, and has it find those with these names, or all of them.
///
/// Errors: a fault cannot be planted, the copy does not compile, or a fault is not found.
pub fn hunt(names: &[String]) -> Result<()> {
    let faults = planted(FAULTS)?;
    with_tests(&["--test", "sim"], |programs| {
        let simulation = programs.get("sim").context("cargo built no simulation")?;
        simulate(simulation, selected(&faults, names))
    })
}

/// Has the simulation find faults. A fault counts only if as many seeds pass without it.
fn simulate<'a>(simulation: &Path, faults: impl Iterator<Item = &'a Fault>) -> Result<()> {
    let mut missed = 0;
    for fault in faults {
        let found = search(simulation, fault, true, SEEDS)?;
        if let Some(found) = &found {
            let seeds = found.split(' ').next().unwrap_or(SEEDS);
            let without = search(simulation, fault, false, seeds)?;
            ensure!(
                without.is_none(),
                "the simulation fails without any fault: {}",
                without.unwrap_or_default()
            );
        }
        missed += usize::from(found.is_none());
        println!(
            "{:<36} {}\n    {}",
            fault.name,
            found.as_deref().unwrap_or("not found"),
            fault.what
        );
    }
    ensure!(
        missed == 0,
        "{missed} faults were not found in {SEEDS} seeds"
    );
    Ok(())
}

/// After how many of so many seeds the simulation fails, and how.
fn search(
    simulation: &Path,
    fault: &Fault,
    is_active: bool,
    seeds: &str,
) -> Result<Option<String>> {
    let mut run = test(simulation, "all_invariants_hold_for_many_seeds", fault);
    if !is_active {
        run.env_remove("HANDRAIL_FAULT");
    }
    run.arg("--nocapture")
        .env("HANDRAIL_SIM_SEEDS", seeds)
        .env("HANDRAIL_SIM_LONG", "1")
        .env("HANDRAIL_SIM_HASTE", "1");
    let output = run.output()?;
    let output = [output.stderr, output.stdout].concat();
    let output = String::from_utf8_lossy(&output);
    let mut lines = output.lines();
    let found = lines.find_map(|line| line.split_once("found after "));
    Ok(found.map(|(_, found)| found.to_owned()))
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
    with_tests(&targets, |programs| {
        let server = selected(&faults, names)
            .any(|fault| fault.needs_server)
            .then(Server::start)
            .transpose()?;
        let address = server.map(|server| (server.address(), server));
        let address = address.as_ref().map(|(address, _)| address.as_str());
        find(programs, address, selected(&faults, names))
    })
}

/// Has each mutant found by its test.
fn find<'a>(
    programs: &HashMap<String, PathBuf>,
    server: Option<&str>,
    faults: impl Iterator<Item = &'a Fault>,
) -> Result<()> {
    let mut missed = 0;
    println!("{:<44} {:<9} {:>7}  test", "mutant", "", "seconds");
    for fault in faults {
        let (program, name) = fault.test();
        let program = programs.get(program).context("cargo did not build it")?;
        let run = || {
            let mut run = test(program, name, fault);
            if let Some(server) = server.filter(|_| fault.needs_server) {
                run.arg("--include-ignored");
                run.env("HANDRAIL_TEST_DATABASE", server);
            }
            run
        };
        let mut sound = run();
        sound.env_remove("HANDRAIL_FAULT");
        let is_sound = passes(&mut sound)?;
        let begun = Instant::now();
        let is_found = is_sound && !passes(&mut run())?;
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

/// Writes the copy with all faults of a list.
fn planted(list: &str) -> Result<Vec<Fault>> {
    let faults = read(&fs::read_to_string(root().join(list))?)?;
    let mut files = sources()?;
    for (name, old, new) in faults.iter().flat_map(|fault| &fault.changes) {
        let text = files.get_mut(name).with_context(|| name.clone())?;
        let original = String::from_utf8(std::mem::take(text))?;
        let planted = replaced(&original, old, new).with_context(|| format!("in {name}: {old}"))?;
        *text = planted.into_bytes();
    }
    for library in ["src/lib.rs", "src/pure.rs"] {
        let library = files.get_mut(library).context("there is a library")?;
        library.extend(IS_ACTIVE.as_bytes());
    }
    let copy = root().join(COPY);
    remove_gone(&copy, Path::new("src"), &files)?;
    for (name, text) in files {
        let to = copy.join(name);
        fs::create_dir_all(to.parent().context("a file has a parent folder")?)?;
        // Unchanged files are not written, because cargo recompiles files with newer times.
        if fs::read(&to).ok().as_ref() != Some(&text) {
            fs::write(&to, text)?;
        }
    }
    Ok(faults)
}

/// Builds tests of the copy, and lets `work` have their programs by the names of their targets.
fn with_tests(
    targets: &[&str],
    work: impl FnOnce(&HashMap<String, PathBuf>) -> Result<()>,
) -> Result<()> {
    let outcome = build(targets).and_then(|programs| work(&programs));
    // A server with faults is left nowhere: the next build puts its own in this place.
    let server = format!("debug/handrail{}", std::env::consts::EXE_SUFFIX);
    let _ = fs::remove_file(target().join(server));
    outcome
}

/// Builds tests of the copy. Our own code is not optimised: that would take longer than it saves.
fn build(targets: &[&str]) -> Result<HashMap<String, PathBuf>> {
    let arguments = "test --no-run --offline --message-format=json";
    let mut cargo = server_cargo(&format!("{arguments} {PACKAGES}"));
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
            "lib" | "test" => message["target"]["name"].as_str()?,
            kind => kind,
        };
        Some((name.to_owned(), PathBuf::from(path)))
    });
    Ok(programs.collect())
}

/// All files tracked by git, and those that will be.
fn sources() -> Result<HashMap<String, Vec<u8>>> {
    let listed = program("git")
        .args("ls-files -z --cached --others --exclude-standard".split(' '))
        .output()?;
    ensure!(
        listed.status.success(),
        "git does not say which files there are"
    );
    let names = String::from_utf8(listed.stdout)?;
    let mut files = HashMap::new();
    for name in names
        .split('\0')
        // Cargo's configuration counts for the copy as well, once.
        .filter(|name| !name.starts_with(".cargo/") && root().join(name).is_file())
    {
        let mut text = fs::read(root().join(name))?;
        if name.ends_with("Cargo.toml") {
            // With a version of their own, the packages of the copy have files of their own in the target folder.
            let manifest = String::from_utf8(text)?;
            let (start, rest) = manifest
                .split_once("\nversion = \"")
                .context("a package has a version")?;
            let (version, rest) = rest.split_once('"').context("a text has an end")?;
            text = format!("{start}\nversion = \"{version}+planted\"{rest}").into_bytes();
        }
        files.insert(name.to_owned(), text);
    }
    Ok(files)
}

/// Removes files of the copy, in this folder and below, that are no longer among the sources.
fn remove_gone(copy: &Path, folder: &Path, files: &HashMap<String, Vec<u8>>) -> Result<()> {
    for entry in fs::read_dir(copy.join(folder)).into_iter().flatten() {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        if entry.path().is_dir() {
            remove_gone(copy, &name, files)?;
        } else if !name.to_str().is_some_and(|name| files.contains_key(name)) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
