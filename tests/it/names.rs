//! Headers and errors: files say what they contain, and public functions which errors they return.

use crate::layering::sources;
use std::fs;
use std::path::Path;

#[test]
fn files_begin_with_their_contents_and_long_ones_give_a_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for folder in ["src", "rehearsal", "tests", "benches", "xtask/src"] {
        let mut paths = Vec::new();
        sources(&root.join(folder), &mut paths);
        for path in paths {
            let text = fs::read_to_string(&path).expect("sources are text");
            let header = text.lines().map_while(|line| line.strip_prefix("//!"));
            let header = header.collect::<String>();
            let is_crate = path == root.join("src/lib.rs");
            let reasons = ["Long because", "is long", "usual length", "is one file"];
            let has_reason = reasons.iter().any(|reason| header.contains(reason));
            if header.is_empty() && !is_crate {
                wrong.push(format!("{} has no header", path.display()));
            } else if text.lines().count() > 300 && !has_reason {
                wrong.push(format!("{} is long without a reason", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Errors that the header of a layer tells for all of its methods.
const COMMON: [&str; 9] = [
    "NotFound",
    "Imported",
    "Elsewhere",
    "Backend",
    "Journal",
    "Closed",
    "TooMuch",
    "Broken",
    "Closing",
];

/// Whether a function returns an error that the header of its layer does not tell.
fn has_further_errors(function: &str) -> bool {
    let mut named = function.split("Error::").skip(1);
    let is_further = |rest: &str| !COMMON.iter().any(|common| rest.starts_with(common));
    function.contains("return invalid(")
        || function.contains("=> invalid(")
        || named.any(|rest| rest.starts_with(char::is_uppercase) && is_further(rest))
}

#[test]
fn public_functions_tell_their_errors() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for layer in ["hub", "journal", "people", "api", "notify", "server"] {
        let root = fs::read_to_string(src.join(layer).join("mod.rs")).expect("layers have a root");
        let is_told = root.lines().any(|line| line == "//! # Errors");
        let mut paths = Vec::new();
        sources(&src.join(layer), &mut paths);
        for path in paths {
            let text = fs::read_to_string(&path).expect("sources are text");
            let lines: Vec<&str> = text.lines().collect();
            for (at, line) in lines.iter().enumerate() {
                let start = line.trim_start();
                if !start.starts_with("pub fn ") && !start.starts_with("pub async fn ") {
                    continue;
                }
                let end = format!("{}}}", &line[..line.len() - start.len()]);
                let rest = lines[at..].iter().take_while(|line| **line != end);
                let function = rest.copied().collect::<Vec<_>>().join("\n");
                let signature = function.split('{').next().unwrap_or_default();
                let result = signature.split("->").nth(1).unwrap_or_default();
                let above = lines[..at].iter().rev().map(|line| line.trim_start());
                let mut doc =
                    above.take_while(|line| line.starts_with("///") || line.starts_with('#'));
                if result.contains("Result")
                    && (!is_told || has_further_errors(&function))
                    && !doc.any(|line| line.contains("Errors"))
                {
                    wrong.push(format!("{}:{}", path.display(), at + 1));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "these do not tell their errors: {wrong:#?}"
    );
}
