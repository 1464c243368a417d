//! The order of the layers, checked in the sources: each layer imports only from the layers before it.

mod circles;
mod hub;
mod imports;

use std::fs;
use std::path::{Path, PathBuf};

/// The layers in reading order, as in `docs/ARCHITECTURE.md`.
const LAYERS: [&str; 17] = [
    "wire",
    "conversation",
    "render",
    "rules",
    "journal",
    "people",
    "backend",
    "live",
    "hub",
    "notify",
    "api",
    "store",
    "ui",
    "app",
    "v1",
    "client",
    "server",
];

/// The Rust sources in a folder and below it.
pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    files(folder, "rs", found);
}

/// The files with an ending in a folder and below it.
pub fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
}

/// The text of a source without comments.
fn code_of(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("sources are text");
    let code = text.lines();
    let code = code.filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// Every source file: its path below `src`, the index of its layer, and its text without comments.
fn layered() -> Vec<(String, usize, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&src, &mut paths);
    paths
        .into_iter()
        .filter_map(|path| {
            let name = path
                .strip_prefix(&src)
                .expect("it was found there")
                .to_string_lossy()
                .replace('\\', "/");
            let layer = name.split(['/', '.']).next().unwrap_or_default().to_owned();
            let place = LAYERS.iter().position(|known| *known == layer)?;
            Some((name, place, code_of(&path)))
        })
        .collect()
}

/// The first path segments after every `crate::`, including those in braces.
fn imported(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let word = |text: &str| {
            text.trim_start()
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap_or("")
                .to_owned()
        };
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut part = String::new();
            for letter in group.chars() {
                match letter {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => names.push(word(&std::mem::take(&mut part))),
                    _ => {}
                }
                part.push(letter);
            }
            names.push(word(part.trim_start_matches(',')));
        } else {
            names.push(word(rest));
        }
    }
    names
}

/// Which of these words a file names.
fn named(name: &str, code: &str, words: &[&str]) -> Vec<String> {
    let found = words.iter().filter(|word| code.contains(**word));
    found.map(|word| format!("{name} names {word}")).collect()
}

#[test]
fn every_layer_imports_only_from_those_before_it() {
    let sources = layered();
    assert!(
        sources.len() > 50,
        "only {} sources were found",
        sources.len()
    );
    let mut wrong = Vec::new();
    for (name, place, code) in &sources {
        for import in imported(code) {
            if LAYERS
                .iter()
                .position(|known| *known == import)
                .is_some_and(|other| other > *place)
            {
                wrong.push(format!("{name} imports {import}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_pure_layers_have_no_framework_no_io_and_no_features() {
    let mut wrong = Vec::new();
    for (name, place, code) in layered() {
        if place > 1 || name.contains("tests") {
            continue;
        }
        let words = [
            "leptos",
            "tokio",
            "axum",
            "std::fs",
            "std::net",
            "std::time",
            "reqwest",
            "rusqlite",
            "feature =",
        ];
        wrong.extend(named(&name, &code, &words));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rust_socketio_axum_and_the_database_stay_where_they_belong() {
    let confined: [(&str, &[&str]); 4] = [
        ("rust_socketio", &["backend/openhands/socket.rs"]),
        (
            "axum",
            &[
                "server/",
                "backend/openhands/",
                // Their tests act as servers.
                "backend/find.rs",
                "backend/agent_server/oversize.rs",
                "backend/app_server/tests/starting.rs",
                "backend/tests/support.rs",
                "api/serve.rs",
                "api/cookies.rs",
            ],
        ),
        ("tokio_postgres", &["journal/engine/"]),
        // Tests fill the disk, and truncate the audit log.
        (
            "rusqlite",
            &[
                "journal/engine/",
                "hub/tests/storing.rs",
                "people/tests/accounts.rs",
                "people/tests/passkeys.rs",
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, _, code) in layered() {
        for (word, homes) in confined {
            let named = code
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .any(|part| part == word);
            if named && !homes.iter().any(|home| name.starts_with(home)) {
                wrong.push(format!("{name} names {word}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
