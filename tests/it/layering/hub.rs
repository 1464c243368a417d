//! The order of the files inside the hub.

use super::imports::imports;
use super::{layered, named};
use std::collections::{BTreeMap, BTreeSet};

/// Most fields of a type, and most files with its methods.
const MOST_FIELDS: usize = 12;
const MOST_FILES: usize = 6;

/// The files of the hub in reading order: each imports only from its own group and those before it.
const HUB: [&[&str]; 6] = [
    &[
        "error", "support", "view", "follower", "outgoing", "message", "markdown",
    ],
    &["parts"],
    &[
        "backends",
        "changes",
        "authorities",
        "deadlines",
        "touches",
        "deletions",
        "following",
        "limits",
        "lines",
        "list",
        "presence",
        "recent",
        "renderer",
        "rules",
        "seen",
        "sharing",
        "sweep",
        "wait_clock",
    ],
    &["actor"],
    &["handle"],
    &[],
];

/// The files of the hub and what each imports of it, by their paths below `hub` without endings.
fn hub_imports() -> Vec<(String, Vec<String>)> {
    let short = |file: &String| {
        let path = file.strip_prefix("hub/")?.trim_end_matches(".rs");
        Some(path.trim_end_matches("/mod").to_owned())
    };
    let imports = imports("src");
    let of_hub = imports.iter().filter_map(|(file, others)| {
        let others: Vec<String> = others.iter().filter_map(short).collect();
        Some((short(file)?, others))
    });
    of_hub.collect()
}

#[test]
fn imports_of_the_hub_run_from_handle_to_actor_to_parts_to_messages() {
    let place = |file: &str| {
        let first = file.split('/').next().unwrap_or_default();
        let known = HUB.iter().position(|group| group.contains(&first));
        known.unwrap_or(HUB.len() - 1)
    };
    let files = hub_imports();
    assert!(files.len() > 30, "only {} files were found", files.len());
    assert!(
        files.iter().any(
            |(own, imports)| own == "actor/state" && imports.contains(&"parts/link".to_owned())
        )
    );
    let mut wrong = Vec::new();
    // The root puts all of them together, and none of them knows it.
    for (own, imports) in files.iter().filter(|(own, _)| own != "mod") {
        let is_wrong = |import: &&String| *import == "mod" || place(import) > place(own);
        for import in imports.iter().filter(is_wrong) {
            wrong.push(format!("hub/{own} imports hub/{import}"));
        }
        let part = |file: &str| Some(file.strip_prefix("parts/")?.split('/').next()?.to_owned());
        let Some(own_part) = part(own) else { continue };
        let other = |import: &&String| part(import).is_some_and(|part| part != own_part);
        for import in imports.iter().filter(other) {
            wrong.push(format!("the part hub/{own} knows the part hub/{import}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_types_of_the_hub_are_small() {
    let (mut fields, mut files) = (BTreeMap::new(), BTreeMap::<String, BTreeSet<String>>::new());
    for (file, _, code) in layered() {
        if !file.starts_with("hub/") || file.contains("tests") {
            continue;
        }
        let word = |text: &str| {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            let end = text.find(|letter| !is_part(letter));
            text[..end.unwrap_or(text.len())].to_owned()
        };
        let mut lines = code.lines();
        while let Some(line) = lines.next() {
            if let Some((_, name)) = line.split_once("struct ").filter(|_| line.ends_with('{')) {
                let body = lines.by_ref().take_while(|line| *line != "}");
                let is_field = |line: &&str| line.starts_with("    ") && line.contains(": ");
                fields.insert(
                    format!("{file}: {}", word(name)),
                    body.filter(is_field).count(),
                );
            } else if let Some(of) = line.strip_prefix("impl") {
                let of = of.split_once(" for ").map_or(of, |(_, name)| name);
                let of = of.split_once("> ").map_or(of, |(_, name)| name);
                let files = files.entry(word(of.trim_start())).or_default();
                files.insert(file.clone());
            }
        }
    }
    assert!(fields["hub/backends.rs: Connected"] > 5, "{fields:?}");
    assert!(files["Link"].len() > 1, "{files:?}");
    fields.retain(|_, count| *count > MOST_FIELDS);
    files.retain(|_, files| files.len() > MOST_FILES);
    assert!(
        fields.is_empty() && files.is_empty(),
        "{fields:#?} {files:#?}"
    );
}

#[test]
fn the_parts_of_a_conversation_do_no_io() {
    let mut wrong = Vec::new();
    let mut parts = 0;
    for (name, _, code) in layered() {
        if name.starts_with("hub/parts/") {
            parts += 1;
            let words = [
                "tokio",
                "async fn",
                ".await",
                "::now()",
                "clock::",
                "std::fs",
                "std::net",
                "Journal,",
                "Sender",
                "hub::Hub;",
            ];
            wrong.extend(named(&name, &code, &words));
        }
    }
    assert!(parts > 5, "only {parts} parts were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
