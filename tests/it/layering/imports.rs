//! What each file of a crate imports: by its `use` declarations and by the paths in its code, also through names that
//! other files hand on. Tests are left out.

use super::{code_of, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The names of a path, or of the modules that lead to a file; none for the root of the crate.
type Names = Vec<String>;

/// The files of a crate, by the modules that lead to them.
type Files = BTreeMap<Names, File>;

/// What a declaration begins with.
const KEYWORDS: [&str; 8] = [
    "struct", "enum", "trait", "type", "fn", "const", "static", "mod",
];

struct File {
    /// Its path below the folder of the crate.
    path: String,
    /// The names that it imports, each with its path.
    uses: Vec<(String, Names)>,
    /// Its code beside them.
    code: String,
}

/// The files of the crate in a folder, each with those that it imports from, by their paths below the folder.
pub(super) fn imports(folder: &str) -> BTreeMap<String, BTreeSet<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths = Vec::new();
    sources(&folder, &mut paths);
    let named = paths.iter().map(|path| {
        let name = path.strip_prefix(&folder).expect("it was found there");
        (name.to_string_lossy().replace('\\', "/"), code_of(path))
    });
    imports_of(named)
}

/// The same for the files with these paths and codes.
fn imports_of(
    sources: impl Iterator<Item = (String, String)>,
) -> BTreeMap<String, BTreeSet<String>> {
    let is_test = |path: &str| path.contains("tests/") || path.ends_with("tests.rs");
    let files: Files = sources
        .filter(|(path, _)| !is_test(path) && path != "main.rs")
        .map(|(path, code)| (modules(&path), File::of(path, &code)))
        .collect();
    let imports = files.iter().map(|(module, file)| {
        let uses = file.uses.iter().map(|(_, path)| path.clone());
        let paths = uses.chain(file.paths());
        let imported: BTreeSet<String> = paths
            .filter_map(|path| absolute(&files, module, &path))
            .map(|path| declaring(&files, path))
            .filter(|other| other != module)
            .map(|other| files[&other].path.clone())
            .collect();
        (file.path.clone(), imported)
    });
    imports.collect()
}

/// The modules that lead to a file.
fn modules(path: &str) -> Names {
    let module = match path {
        "lib.rs" => "",
        _ => path.trim_end_matches(".rs").trim_end_matches("/mod"),
    };
    let names = module.split('/').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

impl File {
    fn of(path: String, code: &str) -> Self {
        let code = code.split("\nmod tests {").next().unwrap_or_default();
        let (mut uses, mut rest, mut open) = (Vec::new(), String::new(), None::<String>);
        for line in code.lines() {
            let part = match open {
                Some(_) => Some(line.trim()),
                None => tree_in(line),
            };
            let Some(part) = part else {
                // A visibility names a module without importing from it.
                rest.push_str(&line.replace("(in crate::", "(in "));
                rest.push('\n');
                continue;
            };
            let tree = open.get_or_insert_default();
            tree.push_str(part);
            if let Some(tree) = tree.strip_suffix(';') {
                expand(tree, &[], &mut uses);
                open = None;
            }
        }
        let code = rest;
        Self { path, uses, code }
    }

    /// The paths in its code, written out if their first name is imported.
    fn paths(&self) -> impl Iterator<Item = Names> {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
        let words = self.code.split(move |letter: char| !is_part(letter));
        let words = words.map(|word| word.trim_matches(':'));
        words.filter(|word| word.contains("::")).map(move |word| {
            let path: Names = word.split("::").map(str::to_owned).collect();
            match self.uses.iter().find(|(name, _)| *name == path[0]) {
                Some((_, known)) => [&known[..], &path[1..]].concat(),
                None => path,
            }
        })
    }

    fn declares(&self, name: &str) -> bool {
        let is_word = |word: &&str| !word.is_empty();
        let words = self
            .code
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .filter(is_word);
        let next = words.clone().skip(1);
        words
            .zip(next)
            .any(|(word, next)| next == name && KEYWORDS.contains(&word))
    }
}

/// The tree of the `use` declaration that a line begins with. An indented one is read like other code.
fn tree_in(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest
            .trim_start_matches(|letter: char| letter != ' ')
            .trim_start(),
        None => line,
    };
    line.strip_prefix("use ")
}

/// Writes out the tree of a `use` declaration behind `prefix`: each name with its path.
fn expand(tree: &str, prefix: &[String], uses: &mut Vec<(String, Names)>) {
    if tree.trim().is_empty() {
        return;
    }
    let (head, group) = match tree.split_once('{') {
        Some((head, group)) => (head, Some(group)),
        None => (tree, None),
    };
    let (head, alias) = match head.split_once(" as ") {
        Some((head, alias)) => (head, Some(alias.trim())),
        None => (head, None),
    };
    let parts = head.split("::").map(str::trim);
    let parts = parts.filter(|part| !part.is_empty() && (prefix.is_empty() || *part != "self"));
    let path: Names = prefix
        .iter()
        .cloned()
        .chain(parts.map(str::to_owned))
        .collect();
    let Some(group) = group else {
        let name = alias.or(path.last().map(String::as_str));
        uses.push((name.unwrap_or_default().to_owned(), path));
        return;
    };
    let group = group.rsplit_once('}').map_or(group, |(inner, _)| inner);
    let (mut depth, mut start) = (0, 0);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&group[start..at], &path, uses);
                start = at + 1;
            }
            _ => {}
        }
    }
    expand(&group[start..], &path, uses);
}

/// A path from the root of the crate; `None` if it leads to another crate.
fn absolute(files: &Files, module: &[String], path: &[String]) -> Option<Names> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    let (base, rest) = match path.first()?.as_str() {
        "crate" => (&module[..0], &path[1..]),
        "self" => (module, &path[1..]),
        "super" => (&module[..module.len().saturating_sub(ups)], &path[ups..]),
        _ if files.contains_key(&[module, &path[..1]].concat()) => (module, path),
        _ => return None,
    };
    Some([base, rest].concat())
}

/// The file that declares what a path leads to, also if other files hand it on.
fn declaring(files: &Files, mut path: Names) -> Names {
    for _ in 0..8 {
        let mut lengths = (0..=path.len()).rev();
        let length = lengths.find(|length| files.contains_key(&path[..*length]));
        let (module, rest) = path.split_at(length.expect("the root of the crate is a file"));
        let next = rest.first().and_then(|name| handed_on(files, module, name));
        let Some(next) = next else {
            return module.to_vec();
        };
        path = [&next[..], &rest[1..]].concat();
    }
    panic!("{path:?} is handed on in a circle");
}

/// The path behind a name that a file hands on; `None` if the file declares the name itself.
fn handed_on(files: &Files, module: &[String], name: &str) -> Option<Names> {
    let from = |wanted: &str| {
        let uses = files[module].uses.iter();
        let uses = uses.filter(|(known, _)| known == wanted);
        let paths = uses.filter_map(|(_, path)| absolute(files, module, path));
        paths.collect::<Vec<Names>>()
    };
    let own = [module, &[name.to_owned()]].concat();
    let named = from(name).into_iter().find(|path| *path != own);
    named.or_else(|| {
        let mut all = from("*").into_iter().map(|mut path| {
            path.pop();
            path
        });
        let declares = |path: &Names| files.get(path).is_some_and(|file| file.declares(name));
        let mut path = all.find(|path| path != module && declares(path))?;
        path.push(name.to_owned());
        Some(path)
    })
}

#[test]
fn imports_are_found_in_declarations_and_paths_and_behind_names_that_are_handed_on() {
    let sources = [
        ("lib.rs", "mod a;"),
        (
            "a/mod.rs",
            "mod one;\nmod two;\npub use one::One;\npub use two::*;",
        ),
        (
            "a/one.rs",
            "use super::two::{self, Two as Other};\n\npub(in crate::b) struct One;",
        ),
        (
            "a/two.rs",
            "pub struct Two;\n\nmod tests {\n    use crate::b::One;\n}",
        ),
        ("a/tests.rs", "use crate::b::One;"),
        ("b.rs", "pub(crate) use crate::{\n    a::{One},\n    c,\n};"),
        (
            "c.rs",
            "use crate::a;\n\nfn f() {\n    a::Two::new(std::mem::take(x));\n}",
        ),
        ("d.rs", "fn f() -> crate::a::Three {\n    super::c::f()\n}"),
    ];
    let sources = sources.map(|(path, code)| (path.to_owned(), code.to_owned()));
    let found = imports_of(sources.into_iter());
    let lines = found.iter().map(|(file, others)| {
        let others: Vec<&str> = others.iter().map(String::as_str).collect();
        format!("{file}: {}", others.join(", "))
    });
    let expected = [
        "a/mod.rs: a/one.rs, a/two.rs",
        "a/one.rs: a/two.rs",
        "a/two.rs: ",
        "b.rs: a/one.rs, c.rs",
        "c.rs: a/mod.rs, a/two.rs",
        "d.rs: a/mod.rs, c.rs",
        "lib.rs: ",
    ];
    assert_eq!(lines.collect::<Vec<String>>(), expected);
}
