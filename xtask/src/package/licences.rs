//! The licence texts of everything that a release contains, each text once.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use anyhow::{Context as _, Result};

use super::crates::Crates;
use crate::steps::end2end;

/// Beginnings of the names of files with licences and notices.
const NAMES: [&str; 6] = [
    "LICENSE",
    "LICENCE",
    "COPYING",
    "COPYRIGHT",
    "NOTICE",
    "UNLICENSE",
];
/// Sources of libraries in C, below the folders of crates.
const LIBRARIES: [(&str, &str); 2] = [
    ("openssl-src", "openssl"),
    ("tikv-jemalloc-sys", "jemalloc"),
];
/// The font of the pages.
const FONT: &str = "node_modules/@fontsource-variable/inter";
/// SQLite's code has no licence to pass on.
const SQLITE: &str = "libsqlite3-sys contains SQLite, which is in the public domain.\n";

/// All texts, each with the names of what it belongs to. Errors: a file cannot be read.
pub fn texts(crates: &Crates) -> Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for one in &crates.others {
        let name = format!("{} {} ({})", one.name, one.version, one.license);
        let mut found = texts_in(&one.folder)?;
        for (_, library) in LIBRARIES.iter().filter(|(of, _)| *of == one.name) {
            found.extend(texts_in(&one.folder.join(library))?);
        }
        if found.is_empty() {
            without.push(format!("{name}, {}", one.repository));
        }
        for text in found {
            texts.entry(text).or_default().push(name.clone());
        }
    }
    for text in texts_in(&end2end().join(FONT))? {
        let name = "Inter, the font of the pages".to_owned();
        texts.entry(text).or_default().push(name);
    }
    let mut texts: Vec<_> = texts.into_iter().collect();
    texts.sort_by(|one, other| one.1.cmp(&other.1));
    let mut all =
        String::from("Handrail contains the following works of others, under these licences.\n");
    all.push_str(SQLITE);
    for (text, names) in texts {
        write!(
            all,
            "\n{}\n{}\n\n{text}\n",
            "=".repeat(80),
            names.join("\n")
        )?;
    }
    write!(
        all,
        "\n{}\nThese have no text of their own in their packages; the texts of their licences are above.\n\n{}\n",
        "=".repeat(80),
        without.join("\n")
    )?;
    Ok(all)
}

/// The texts in a folder. Errors: it cannot be read.
fn texts_in(folder: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    let entries = fs::read_dir(folder);
    for entry in entries.with_context(|| format!("{} cannot be read", folder.display()))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_uppercase();
        if path.is_file() && NAMES.iter().any(|start| name.starts_with(start)) {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path| {
        let text = String::from_utf8_lossy(&fs::read(path)?).replace('\r', "");
        Ok(text.trim().to_owned())
    };
    paths.iter().map(read).collect()
}
