//! No file imports itself through others.

use super::imports::imports;
use std::collections::{BTreeMap, BTreeSet};

/// The files that are on a circle of imports, or between two, each with such files that it imports from.
fn circles(mut imports: BTreeMap<String, BTreeSet<String>>) -> BTreeMap<String, BTreeSet<String>> {
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

#[test]
fn no_file_of_the_product_imports_itself_through_others() {
    for (folder, least) in [("src", 500), ("rehearsal/src", 50)] {
        let mut files = imports(folder);
        assert!(files.len() > least, "only {} files were found", files.len());
        // These put their folders together: they know all of their files, which may know them.
        files.retain(|file, _| !file.ends_with("mod.rs") && file != "lib.rs");
        let circles = circles(files);
        assert!(circles.is_empty(), "{folder}: {circles:#?}");
    }
}

#[test]
fn circles_are_found() {
    let files = [("a", "b"), ("b", "c"), ("c", "b d"), ("d", "")].map(|(file, others)| {
        let others: BTreeSet<String> = others.split_whitespace().map(str::to_owned).collect();
        (file.to_owned(), others)
    });
    let found = circles(BTreeMap::from(files));
    assert_eq!(found.into_keys().collect::<Vec<_>>(), ["b", "c"]);
}
