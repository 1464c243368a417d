//! No file imports itself through others, and no module of a folder does through those beside it.

use super::imports::imports;
use std::collections::{BTreeMap, BTreeSet};

/// Folders with circles: the pages that are loaded when they are opened are named by what opens them. The order of the layers
/// has a test of its own.
const WITH_CIRCLES: [&str; 2] = ["", "ui"];

/// What imports from what, by name.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The files that are on a circle of imports, or between two, each with such files that it imports from.
fn circles(mut imports: Imports) -> Imports {
    loop {
        let files: BTreeSet<String> = imports.keys().cloned().collect();
        let imported: BTreeSet<String> = imports.values().flatten().cloned().collect();
        for others in imports.values_mut() {
            others.retain(|other| files.contains(other));
        }
        imports.retain(|file, others| imported.contains(file) && !others.is_empty());
        if imports.len() == files.len() {
            return imports;
        }
    }
}

/// The modules of each folder with those that they import from beside them. What is below a module belongs to it, and a
/// `mod.rs` to the module that it puts together.
fn modules(imports: &Imports) -> BTreeMap<String, Imports> {
    let mut folders: BTreeMap<String, Imports> = BTreeMap::new();
    for (file, others) in imports {
        for other in others {
            let parts = file.split('/').zip(other.split('/'));
            let depth = parts.take_while(|(own, its)| own == its).count();
            let module = |path: &str| path.split('/').nth(depth).unwrap_or_default().to_owned();
            let (own, its) = (module(file), module(other));
            if own != "mod.rs" && its != "mod.rs" {
                let folder: Vec<&str> = file.split('/').take(depth).collect();
                let folder = folders.entry(folder.join("/")).or_default();
                folder.entry(own).or_default().insert(its);
            }
        }
    }
    folders
}

#[test]
fn nothing_of_the_product_imports_itself_through_others() {
    for (folder, least) in [("src", 500), ("rehearsal/src", 50)] {
        let mut files = imports(folder);
        assert!(files.len() > least, "only {} files were found", files.len());
        let mut folders = modules(&files);
        folders.retain(|folder, _| !WITH_CIRCLES.contains(&folder.as_str()));
        // These put their folders together: they know all of their files, which may know them.
        files.retain(|file, _| !file.ends_with("mod.rs") && file != "lib.rs");
        folders.insert(String::new(), files);
        let circles = folders.into_iter().map(|(at, found)| (at, circles(found)));
        let circles: Vec<_> = circles.filter(|(_, found)| !found.is_empty()).collect();
        assert!(circles.is_empty(), "{folder}: {circles:#?}");
    }
}

fn imports_of<const FILES: usize>(files: [(&str, &str); FILES]) -> Imports {
    let files = files.map(|(file, others)| {
        let others = others.split_whitespace().map(str::to_owned);
        (file.to_owned(), others.collect())
    });
    BTreeMap::from(files)
}

#[test]
fn circles_are_found() {
    let files = imports_of([("a", "b"), ("b", "c"), ("c", "b d"), ("d", "")]);
    let found = circles(files);
    assert_eq!(found.into_keys().collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn modules_import_what_their_files_import() {
    let files = imports_of([
        ("a/mod.rs", "a/b.rs a/c/d.rs e.rs"),
        ("a/b.rs", "a/c/d.rs a/mod.rs"),
        ("a/c/d.rs", "a/c/f.rs e.rs"),
        ("a/c/f.rs", "a/b.rs"),
    ]);
    let expected = [
        ("", imports_of([("a", "e.rs")])),
        ("a", imports_of([("b.rs", "c"), ("c", "b.rs")])),
        ("a/c", imports_of([("d.rs", "f.rs")])),
    ];
    let expected = expected.map(|(folder, modules)| (folder.to_owned(), modules));
    assert_eq!(modules(&files), BTreeMap::from(expected));
}
