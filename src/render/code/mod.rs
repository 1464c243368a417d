//! Source code as HTML. Tokens get one of a few classes; the colours are in the style sheet.
//!
//! Highlighting must stay cheap: long lines, large texts and the rest of a text that exceeds the time limit stay plain.
//! All text is escaped in any case.

use super::{FileView, Html, hidden};
use std::{
    ops::Range,
    sync::LazyLock,
    time::{Duration, Instant},
};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// Largest text that is highlighted, in bytes.
const MOST_BYTES: usize = 256 * 1024;
/// Longest line that is highlighted, in bytes: a longer one is data, and regular expressions are slow on it.
const LONGEST_LINE: usize = 1000;
/// Time limit for highlighting one text; the rest stays plain.
const TIME_LIMIT: Duration = Duration::from_millis(250);

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// The name of blanks at the end of a line.
pub(super) const BLANKS_AT_END: &str = "BLANKS AT THE END OF THE LINE";

/// Scopes from specific to general, each with its class.
static CLASSES: LazyLock<Vec<(Scope, Option<&'static str>)>> = LazyLock::new(|| {
    [
        ("comment", Some("comment")),
        ("string", Some("string")),
        ("constant.numeric", Some("number")),
        ("constant.character.escape", Some("constant")),
        ("constant", Some("constant")),
        ("entity.name.function", Some("function")),
        ("support.function", Some("function")),
        ("variable.function", Some("function")),
        ("entity.name.tag", Some("keyword")),
        ("entity.name", Some("type")),
        ("entity.other.attribute-name", Some("function")),
        ("entity.other.inherited-class", Some("type")),
        ("support.type", Some("type")),
        ("support.class", Some("type")),
        ("storage", Some("keyword")),
        ("keyword.operator", None),
        ("keyword", Some("keyword")),
        ("variable.language", Some("keyword")),
        ("variable.parameter", None),
        ("markup.heading", Some("keyword")),
        ("markup.raw", Some("string")),
    ]
    .into_iter()
    .map(|(scope, class)| {
        (
            Scope::new(scope).expect("the table holds well-formed scopes"),
            class,
        )
    })
    .collect()
});

/// All classes of tokens, with the prefix `hl-`.
pub(super) const CLASS_NAMES: [&str; 7] = [
    "hl-comment",
    "hl-string",
    "hl-number",
    "hl-constant",
    "hl-function",
    "hl-type",
    "hl-keyword",
];

/// A span of a line with one class, up to the byte `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    end: usize,
    class: Option<&'static str>,
}

/// Highlights `text`. `hint` is a path, a file extension or the name of a language; empty means plain text. The lines
/// are joined by line feeds, and no element spans two lines.
pub fn code_html(text: &str, hint: &str) -> Html {
    let mut out = String::with_capacity(text.len() * 2);
    for (number, line) in highlighted(text, hint).into_iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        out.push_str(&line);
    }
    out
}

/// As [`code_html`], with each carriage return as a token; with `blanks`, the blanks at the end of each line, too.
pub(super) fn exact_code_html(text: &str, hint: &str, blanks: bool) -> Html {
    let mut out = String::with_capacity(text.len() * 2);
    let tokens = scan(text, hint);
    let raw = text.strip_suffix('\n').unwrap_or(text).split('\n');
    for (number, (line, tokens)) in raw.zip(tokens).enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let (line, end) = match line.strip_suffix('\r') {
            Some(line) => (line, "\r"),
            None => (line, ""),
        };
        let (line, blank) = if blanks {
            hidden::split_end(line)
        } else {
            (line, "")
        };
        out.push_str(&paint(line, &tokens, &[]));
        hidden::blanks(&mut out, blank, BLANKS_AT_END);
        hidden::escape_revealing(&mut out, end);
    }
    out
}

/// The lines of a file, highlighted according to its name; `first` is the number of the first line.
pub fn file_view(path: &str, text: &str, first: u32) -> FileView {
    let lines = highlighted(text, path);
    FileView {
        path: path.to_owned(),
        first,
        total: count(lines.len()),
        lines,
        cut: false,
    }
}

/// Highlighted HTML of each line of `text`.
fn highlighted(text: &str, hint: &str) -> Vec<Html> {
    let tokens = scan(text, hint);
    lines(text)
        .zip(tokens)
        .map(|(line, tokens)| paint(line, &tokens, &[]))
        .collect()
}

/// The lines of a text as an editor counts them: a trailing line feed starts no new line.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.strip_suffix('\n')
        .unwrap_or(text)
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// Converts a count, saturating at `u32::MAX`.
pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The tokens of each line; an empty list for a plain line.
pub(super) fn scan(text: &str, hint: &str) -> Vec<Vec<Token>> {
    let Some(syntax) = syntax_for(hint).filter(|_| text.len() <= MOST_BYTES) else {
        return lines(text).map(|_| Vec::new()).collect();
    };
    let begun = Instant::now();
    let mut state = Some((ParseState::new(syntax), ScopeStack::new()));
    let mut ended = String::new();
    let scanned = lines(text).map(|line| {
        if line.len() > LONGEST_LINE || begun.elapsed() > TIME_LIMIT {
            return Vec::new();
        }
        ended.clear();
        ended.push_str(line);
        ended.push('\n');
        let Some((parser, stack)) = &mut state else {
            return Vec::new();
        };
        let tokens = scan_line(&ended, parser, stack);
        if tokens.is_none() {
            state = None;
        }
        tokens.unwrap_or_default()
    });
    scanned.collect()
}

fn scan_line(line: &str, parser: &mut ParseState, stack: &mut ScopeStack) -> Option<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut push = |end: usize, class| match tokens.last_mut() {
        Some(last) if last.class == class => last.end = end,
        Some(last) if last.end >= end => {}
        None if end == 0 => {}
        _ => tokens.push(Token { end, class }),
    };
    let body = line.len() - 1;
    for (at, change) in parser.parse_line(line, &SYNTAXES).ok()? {
        push(at.min(body), class_of(stack));
        stack.apply(&change).ok()?;
    }
    push(body, class_of(stack));
    Some(tokens)
}

/// The class of the innermost scope that has one.
fn class_of(stack: &ScopeStack) -> Option<&'static str> {
    let found = |scope: &Scope| {
        CLASSES
            .iter()
            .find(|(prefix, _)| prefix.is_prefix_of(*scope))
    };
    stack
        .as_slice()
        .iter()
        .rev()
        .find_map(found)
        .and_then(|(_, class)| *class)
}

/// One line as HTML: its tokens, the `marked` byte ranges in `<mark>`, hidden characters made visible.
pub(super) fn paint(line: &str, tokens: &[Token], marked: &[Range<usize>]) -> Html {
    let mut out = String::with_capacity(line.len() * 2);
    let plain = [Token {
        end: line.len(),
        class: None,
    }];
    let tokens = if tokens.is_empty() {
        &plain[..]
    } else {
        tokens
    };
    let mut at = 0;
    for token in tokens {
        let end = token.end.min(line.len());
        let stretch = at..end;
        at = end;
        let blank = line[stretch.clone()].trim().is_empty();
        if let Some(class) = token.class.filter(|_| !blank) {
            out.push_str("<span class=\"hl-");
            out.push_str(class);
            out.push_str("\">");
            paint_marks(&mut out, line, stretch, marked);
            out.push_str("</span>");
        } else {
            paint_marks(&mut out, line, stretch, marked);
        }
    }
    out
}

fn paint_marks(out: &mut String, line: &str, stretch: Range<usize>, marked: &[Range<usize>]) {
    let mut at = stretch.start;
    for mark in marked {
        let (from, to) = (mark.start.max(at), mark.end.min(stretch.end));
        if from >= to {
            continue;
        }
        hidden::escape_part(out, line, at..from);
        out.push_str("<mark>");
        hidden::escape_part(out, line, from..to);
        out.push_str("</mark>");
        at = to;
    }
    hidden::escape_part(out, line, at..stretch.end);
}

/// The syntax for a path, an extension or the name of a language.
fn syntax_for(hint: &str) -> Option<&'static SyntaxReference> {
    let file = hint
        .trim()
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let word = file.rsplit('.').next().unwrap_or_default();
    // The bundled set lacks these; a similar syntax reads well.
    let word = match word {
        "ts" | "tsx" | "jsx" | "mjs" | "cjs" | "typescript" => "js",
        "toml" | "ini" | "cfg" | "conf" | "env" => "properties",
        "shell" | "console" | "dockerfile" | "containerfile" | "shell-session" => "sh",
        "jsonl" | "json5" | "jsonc" | "ipynb" => "json",
        "vue" | "svelte" => "html",
        "scss" | "less" => "css",
        "kt" | "kts" => "java",
        "pyi" => "py",
        "" | "txt" | "text" | "plain" | "log" => return None,
        word => word,
    };
    SYNTAXES.find_syntax_by_token(word)
}

#[cfg(test)]
mod tests;
