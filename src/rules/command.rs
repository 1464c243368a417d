//! Reading a command line: two readings, which must agree.
//!
//! The first accepts a small part of the shell's language and nothing else: words with plain quotes, joined by blanks, `|`,
//! `&&` and `||`, and the redirections that lead nowhere (`2>&1`, `>/dev/null`). The second is the grammar of bash. What
//! either does not understand, or both understand differently, is not understood.

use super::{Reason, programs};
use tree_sitter::{Node, Parser};

/// Longest command line, in bytes.
pub const MOST_BYTES: usize = 2000;
/// Commands in a line.
const MOST_COMMANDS: usize = 16;
/// Words of a command.
const MOST_WORDS: usize = 100;
/// Depth of the second reading: one for each command, and some.
const DEEPEST: usize = MOST_COMMANDS + 16;

/// Words with a meaning of their own at the place of a command.
const RESERVED: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

type Commands = Vec<Vec<String>>;

/// The commands of a line, each as its words.
///
/// # Errors
/// The reason why no rule can judge it.
pub fn command_line(line: &str) -> Result<Commands, Reason> {
    if line.len() > MOST_BYTES {
        return Err(Reason::TooLong);
    }
    // Line breaks, tabs and other controls separate commands or hide something; letters beyond ASCII may look like others.
    if !line.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err(
            match line.bytes().any(|byte| byte == b'\n' || byte == b'\t') {
                true => Reason::Shell,
                false => Reason::Hidden,
            },
        );
    }
    let commands = first_reading(line).ok_or(Reason::Shell)?;
    if commands
        .iter()
        .any(|words| programs::runs_others(&words[0]))
    {
        return Err(Reason::RunsOthers);
    }
    match second_reading(line) {
        Some(second) if second == commands => Ok(commands),
        _ => Err(Reason::Shell),
    }
}

/// The state of the first reading.
#[derive(Default)]
struct Reader {
    commands: Commands,
    words: Vec<String>,
    word: String,
    /// Whether `word` has begun.
    is_word: bool,
    /// Whether any of it was quoted.
    is_quoted: bool,
}

impl Reader {
    fn push(&mut self, letter: char) {
        self.word.push(letter);
        self.is_word = true;
    }

    fn end_word(&mut self) -> Option<()> {
        if !self.is_word {
            return Some(());
        }
        let word = std::mem::take(&mut self.word);
        let is_first = self.words.is_empty();
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_./+".contains(letter);
        let is_command = !self.is_quoted
            && word.chars().all(is_name)
            && !word.starts_with('-')
            && !RESERVED.contains(&word.as_str());
        let is_fine =
            !word.is_empty() && self.words.len() < MOST_WORDS && (!is_first || is_command);
        self.words.push(word);
        (self.is_word, self.is_quoted) = (false, false);
        is_fine.then_some(())
    }

    fn end_command(&mut self) -> Option<()> {
        self.end_word()?;
        let words = std::mem::take(&mut self.words);
        let is_fine = !words.is_empty() && self.commands.len() < MOST_COMMANDS;
        self.commands.push(words);
        is_fine.then_some(())
    }
}

/// The commands by a grammar of a few lines. `None` for everything else.
fn first_reading(line: &str) -> Option<Commands> {
    let mut reader = Reader::default();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[1..];
        match letter {
            ' ' => reader.end_word()?,
            '\'' => {
                let (quoted, after) = rest.split_once('\'')?;
                reader.word.push_str(quoted);
                (reader.is_word, reader.is_quoted) = (true, true);
                rest = after;
            }
            '"' => {
                let (quoted, after) = rest.split_once('"')?;
                if quoted.contains(['$', '`', '\\', '!']) {
                    return None;
                }
                reader.word.push_str(quoted);
                (reader.is_word, reader.is_quoted) = (true, true);
                rest = after;
            }
            '&' | '|' => {
                let mark = if letter == '&' { "&" } else { "|" };
                let is_double = rest.starts_with(mark);
                if letter == '&' && !is_double {
                    return None;
                }
                rest = &rest[usize::from(is_double)..];
                if rest.starts_with(['&', '|']) {
                    return None;
                }
                reader.end_command()?;
                // Something must follow.
                if rest.trim_start_matches(' ').is_empty() {
                    return None;
                }
            }
            '>' => {
                match (reader.is_word, reader.is_quoted, reader.word.as_str()) {
                    (false, ..) => {}
                    // The number of the stream, not a word.
                    (true, false, "1" | "2") => {
                        reader.word.clear();
                        reader.is_word = false;
                    }
                    _ => return None,
                }
                let targets = ["&1", "&2", "/dev/null", " /dev/null"];
                rest = targets
                    .iter()
                    .find_map(|target| rest.strip_prefix(target))?;
                let is_end = rest.is_empty() || rest.starts_with([' ', '|', '&']);
                // A redirection alone would be a command.
                if !is_end || reader.words.is_empty() {
                    return None;
                }
            }
            // Mostly `HEAD~1`: only at the start of a word, or behind `=` or `:`, does it stand for a folder.
            '~' if reader
                .word
                .ends_with(|last: char| last.is_ascii_alphanumeric()) =>
            {
                reader.push(letter);
            }
            _ if letter.is_ascii_alphanumeric() || "-_./:,+@%=".contains(letter) => {
                reader.push(letter);
            }
            _ => return None,
        }
    }
    reader.end_command()?;
    Some(reader.commands)
}

/// The commands by the grammar of bash.
fn second_reading(line: &str) -> Option<Commands> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()?;
    let tree = parser.parse(line, None)?;
    let root = tree.root_node();
    if root.has_error() || root.kind() != "program" {
        return None;
    }
    let mut commands = Commands::new();
    collect(root, line, &mut commands, 0)?;
    Some(commands)
}

/// Collects the commands below a node, which must be of a known kind.
fn collect(node: Node<'_>, line: &str, commands: &mut Commands, depth: usize) -> Option<()> {
    if depth > DEEPEST || node.is_missing() {
        return None;
    }
    match node.kind() {
        "program" | "list" | "pipeline" | "redirected_statement" => {
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                collect(child, line, commands, depth + 1)?;
            }
        }
        "command" => commands.push(words_of(node, line)?),
        "file_redirect" => is_harmless(&line[node.byte_range()]).then_some(())?,
        "&&" | "||" | "|" => {}
        _ => return None,
    }
    Some(())
}

fn words_of(command: Node<'_>, line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut cursor = command.walk();
    for child in command.children(&mut cursor) {
        match child.kind() {
            "command_name" if child.child_count() == 1 => {
                words.push(word_of(child.child(0)?, line, 0)?);
            }
            // Before its words, or between them.
            "file_redirect" => is_harmless(&line[child.byte_range()]).then_some(())?,
            _ => words.push(word_of(child, line, 0)?),
        }
    }
    Some(words)
}

/// The text of a word without its quotes.
fn word_of(node: Node<'_>, line: &str, depth: usize) -> Option<String> {
    let text = &line[node.byte_range()];
    match node.kind() {
        "word" | "number" => (!text.contains(['\'', '"', '\\'])).then(|| text.to_owned()),
        "raw_string" => Some(text.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()),
        "string" => {
            let mut cursor = node.walk();
            let is_plain = |child: Node<'_>| matches!(child.kind(), "\"" | "string_content");
            let is_plain = node.children(&mut cursor).all(is_plain);
            let content = text.strip_prefix('"')?.strip_suffix('"')?;
            is_plain.then(|| content.to_owned())
        }
        "concatenation" if depth == 0 => {
            let mut cursor = node.walk();
            let parts = node.children(&mut cursor);
            parts.map(|part| word_of(part, line, 1)).collect()
        }
        _ => None,
    }
}

/// Whether a redirection leads nowhere.
fn is_harmless(redirection: &str) -> bool {
    let from = redirection.trim_start_matches(['1', '2']);
    redirection.len() - from.len() <= 1
        && matches!(from, ">&1" | ">&2" | ">/dev/null" | "> /dev/null")
}
