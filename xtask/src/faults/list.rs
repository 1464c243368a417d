//! The lists of faults: what each is, what must find it, and the texts that plant it.

use anyhow::{Context, Result, bail};

/// The faults that the simulation must find.
pub const FAULTS: &str = "tests/sim/faults.txt";
/// The faults that one of the default tests must find.
pub const MUTANTS: &str = "tests/mutants.txt";
/// The layers whose unit tests are those of `handrail-pure`.
const PURE: [&str; 4] = ["wire::", "conversation::", "render::", "rules::"];

/// One fault.
pub struct Fault {
    pub name: String,
    pub what: String,
    /// The test that must find it: a unit test, or one of `it` behind this word.
    pub test: String,
    /// Whether that test runs on PostgreSQL.
    pub needs_server: bool,
    /// Files, each with the original text and its replacement.
    pub changes: Vec<(String, String, String)>,
}

impl Fault {
    /// The program that has its test, and the test's name there.
    pub fn test(&self) -> (&str, &str) {
        match self.test.split_once(' ') {
            Some((program, test)) => (program, test),
            None if PURE.iter().any(|layer| self.test.starts_with(layer)) => {
                ("handrail_pure", &self.test)
            }
            None => ("handrail", &self.test),
        }
    }
}

/// A text with one part of it replaced. Errors: it does not have exactly one such part.
pub fn replaced(text: &str, old: &str, new: &str) -> Result<String> {
    if text.matches(old).count() != 1 {
        bail!("the original must occur exactly once");
    }
    Ok(text.replacen(old, new, 1))
}

/// Parses a list of faults.
pub fn read(list: &str) -> Result<Vec<Fault>> {
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
                needs_server: false,
                changes: Vec::new(),
            });
        } else if let Some(test) = line.strip_prefix("! ") {
            let fault = faults.last_mut().context("a test belongs to a fault")?;
            let on_server = test.strip_prefix("on PostgreSQL: ");
            fault.needs_server = on_server.is_some();
            on_server.unwrap_or(test).clone_into(&mut fault.test);
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
    use crate::steps::root;
    use std::{collections::HashMap, fs};

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
