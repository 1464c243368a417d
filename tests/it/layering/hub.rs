//! The order of the files inside the hub.

use super::{layered, named};

/// The files of the hub in reading order: each imports only from its own group and those before it.
const HUB: [&[&str]; 5] = [
    &[
        "clock",
        "error",
        "support",
        "view",
        "follower",
        "outgoing",
        "renderer",
        "message",
        "environment",
    ],
    &["parts"],
    &["actor"],
    &["handle"],
    &[],
];

/// The paths of all `use` declarations, written out.
fn uses(code: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].trim_end_matches("pub ").trim_end_matches(") ");
        let is_declaration = before.is_empty()
            || before.ends_with('\n')
            || before.ends_with("pub(super")
            || before.ends_with("pub(crate");
        if is_declaration {
            let tree = code[at + 4..].split(';').next().unwrap_or_default();
            expand(tree, &[], &mut paths);
        }
    }
    paths
}

/// Writes out one tree of a `use` declaration behind `prefix`.
fn expand(tree: &str, prefix: &[String], paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    let mut path = prefix.to_vec();
    let Some(open) = tree.find('{') else {
        let name = tree.split(" as ").next().unwrap_or_default();
        path.extend(name.split("::").map(|part| part.trim().to_owned()));
        paths.push(path);
        return;
    };
    let head = tree[..open].trim_end_matches("::");
    path.extend(
        head.split("::")
            .filter(|part| !part.is_empty())
            .map(|part| part.trim().to_owned()),
    );
    let inner = tree[open + 1..].trim_end().trim_end_matches('}');
    let (mut depth, mut part) = (0, String::new());
    for letter in inner.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&std::mem::take(&mut part), &path, paths);
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    if !part.trim().is_empty() {
        expand(&part, &path, paths);
    }
}

/// The modules of a file of the hub and what it imports of them: each a path below `hub`, empty for `hub/mod.rs`.
fn hub_imports() -> Vec<(String, Vec<String>)> {
    let files: Vec<(Vec<String>, Vec<Vec<String>>)> = layered()
        .into_iter()
        .filter(|(name, ..)| name.starts_with("hub/") && !name.contains("/tests/"))
        .map(|(name, _, code)| {
            let path = name.trim_end_matches(".rs").trim_end_matches("/mod");
            let path: Vec<String> = path.split('/').map(str::to_owned).collect();
            let code = code
                .split("#[cfg(test)]\nmod tests {")
                .next()
                .unwrap_or_default()
                .to_owned();
            let uses = uses(&code);
            (path, uses)
        })
        .collect();
    let is_file = |path: &[String]| files.iter().any(|(own, _)| own == path);
    let absolute = |own: &[String], used: &[String]| {
        let mut base = own.to_vec();
        let mut rest = used;
        match rest.first().map(String::as_str) {
            Some("crate") => base.clear(),
            Some("self") => {}
            Some("super") => {
                while rest.first().is_some_and(|part| part == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
                base.extend(rest.iter().cloned());
                return base;
            }
            Some(child) => {
                base.push(child.to_owned());
                if !is_file(&base) {
                    return used.to_vec();
                }
                base.pop();
                base.extend(rest.iter().cloned());
                return base;
            }
            None => {}
        }
        base.extend(rest[1..].iter().cloned());
        base
    };
    // The file that a path leads to, also through what a `mod.rs` hands on.
    let resolve = |mut path: Vec<String>| {
        for _ in 0..4 {
            let mut file = path.clone();
            while !file.is_empty() && !is_file(&file) {
                file.pop();
            }
            let name = path.get(file.len());
            let handed_on = files
                .iter()
                .find(|(own, _)| *own == file)
                .and_then(|(own, uses)| {
                    let mut uses = uses.iter().map(|used| absolute(own, used));
                    uses.find(|used| {
                        used.last() == name
                            && used.len() > file.len() + 1
                            && used.starts_with(&file)
                    })
                });
            match handed_on {
                Some(further) => path = further,
                None => return file,
            }
        }
        path
    };
    let short = |path: &[String]| path.get(1..).unwrap_or_default().join("/");
    files
        .iter()
        .map(|(own, uses)| {
            let imports = uses.iter().map(|used| resolve(absolute(own, used)));
            let mut imports: Vec<String> = imports
                .filter(|file| file.first().is_some_and(|layer| layer == "hub") && file != own)
                .map(|file| short(&file))
                .collect();
            imports.sort();
            imports.dedup();
            (short(own), imports)
        })
        .collect()
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
    for (own, imports) in &files {
        for import in imports.iter().filter(|import| place(import) > place(own)) {
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
fn no_file_of_the_hub_imports_itself_through_others() {
    // `mod.rs` puts the hub together, and what it puts together has methods of the hub: that circle is the hub itself.
    let files: Vec<(String, Vec<String>)> = hub_imports()
        .into_iter()
        .filter(|(own, _)| !own.is_empty())
        .collect();
    let reached_from = |start: &str| {
        let (mut reached, mut next) = (Vec::new(), vec![start.to_owned()]);
        while let Some(file) = next.pop() {
            let imports = files.iter().find(|(own, _)| *own == file);
            for import in imports.iter().flat_map(|(_, imports)| imports) {
                if !reached.contains(import) {
                    reached.push(import.clone());
                    next.push(import.clone());
                }
            }
        }
        reached
    };
    let circles: Vec<&String> = files
        .iter()
        .map(|(own, _)| own)
        .filter(|own| reached_from(own).contains(own))
        .collect();
    assert!(circles.is_empty(), "{circles:#?}");
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
                ".now()",
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
