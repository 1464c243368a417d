//! Every size, colour and duration of the style sheets is a token: only `style/tokens.css` has literals.

use crate::layering::files;
use std::fs;
use std::path::Path;

/// Units of values that depend on their place. Plain numbers and zero have none.
const FREE: [&str; 9] = ["", "%", "fr", "ch", "dvh", "vw", "cqi", "deg", "turn"];

/// Widths of the lines that some properties draw.
const LINES: [&str; 4] = ["1px", "2px", "-1px", "-2px"];
const DRAWING: [&str; 3] = ["border", "outline", "box-shadow"];

/// Words that only a new colour needs.
const COLOURS: [&str; 8] = [
    "rgb",
    "rgba",
    "hsl",
    "hsla",
    "oklch",
    "light-dark",
    "white",
    "black",
];

/// A style sheet without its comments, with the same lines.
fn without_comments(text: &str) -> String {
    let mut code = String::new();
    for (at, part) in text.split("/*").enumerate() {
        let (comment, rest) = match at {
            0 => ("", part),
            _ => part.split_once("*/").unwrap_or((part, "")),
        };
        code.extend(comment.chars().filter(|letter| *letter == '\n'));
        code.push_str(rest);
    }
    code
}

/// The literals of a line that must be tokens. The conditions of `@media` and `@container` cannot be.
fn literals(line: &str) -> Vec<&str> {
    let parts = line.split([';', '{', '}']).map(str::trim);
    let parts = parts.filter(|part| !part.starts_with('@'));
    parts.flat_map(literals_of_declaration).collect()
}

fn literals_of_declaration(text: &str) -> Vec<&str> {
    let property = text.split(':').next().unwrap_or_default();
    let draws =
        DRAWING.iter().any(|start| property.starts_with(start)) && !property.ends_with("radius");
    let words = text.split(|letter: char| !letter.is_alphanumeric() && !"-.#%_".contains(letter));
    words
        .filter(|word| is_literal(word) && !(draws && LINES.contains(word)))
        .collect()
}

fn is_literal(word: &str) -> bool {
    if let Some(colour) = word.strip_prefix('#') {
        return colour.len() >= 3 && colour.chars().all(|digit| digit.is_ascii_hexdigit());
    }
    let number = word.trim_start_matches(['-', '.']);
    let unit = number.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    COLOURS.contains(&word) || (unit.len() < number.len() && !FREE.contains(&unit))
}

#[test]
fn sizes_colours_and_durations_are_tokens() {
    let style = Path::new(env!("CARGO_MANIFEST_DIR")).join("style");
    let mut paths = Vec::new();
    files(&style, "css", &mut paths);
    paths.retain(|path| !path.ends_with("tokens.css"));
    assert!(paths.len() > 20, "only {} files were found", paths.len());
    let mut wrong = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("style sheets are text");
        for (number, line) in (1..).zip(without_comments(&text).lines()) {
            let found = literals(line).into_iter();
            wrong.extend(found.map(|word| format!("{}:{number}: {word}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "make tokens of these: {wrong:#?}");
}

#[test]
fn literals_are_found() {
    assert_eq!(
        literals(".a { gap: 4px; margin: 0 -1.5rem }"),
        ["4px", "-1.5rem"]
    );
    assert_eq!(literals("a:hover { color: #fff; }"), ["#fff"]);
    assert_eq!(
        literals("@media (max-width: 30rem) { .t-f10 { gap: 2px; } }"),
        ["2px"]
    );
    let free = ".a { border: 1px solid var(--line-2); grid: auto / minmax(0, 1fr) 30%; border-radius: 50%; }";
    assert!(literals(free).is_empty());
    assert_eq!(without_comments("a/* 4px\n5px */b"), "a\nb");
}
