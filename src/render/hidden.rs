//! Making hidden characters visible.
//!
//! A direction mark, a zero-width character or a letter that looks like another can make a command read differently from
//! what it does. In text that a person must judge (a command, code, a diff) each such character becomes a visible token with
//! its code point, and its name in the tooltip.
//!
//! Long because each character has its name here.

use super::shaping::{is_hidden, shapes, tags};
use super::{Html, alike};
use std::collections::HashSet;
use std::fmt::Write;
use std::ops::Range;

pub(super) use super::shaping::is_bidi;

/// The class of the tokens, by which HTML is searched for them.
pub(super) const HIDDEN: &str = "\"hidden-char\"";

/// Appends `text` with the five special characters of HTML escaped.
pub(super) fn escape(out: &mut String, text: &str) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        out.push_str(entity);
        from = at + 1;
    }
    out.push_str(&text[from..]);
}

/// `text` as escaped HTML.
pub(super) fn escaped(text: &str) -> Html {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    escape(&mut out, text);
    out
}

/// The characters of a text that hide something, with their places.
fn hiding(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut before, mut base, mut flag_to) = ('\0', '\0', 0);
    text.char_indices().filter(move |(at, letter)| {
        let found = is_hidden(*letter) && *at >= flag_to && {
            let after = text[at + letter.len_utf8()..].chars().next();
            !shapes(before, base, *letter, after.unwrap_or('\0'))
        };
        if *letter == '\u{1F3F4}' {
            flag_to = at + letter.len_utf8() + tags(&text[at + letter.len_utf8()..]);
        }
        before = *letter;
        if !matches!(letter, '\u{FE0E}' | '\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}') {
            base = *letter;
        }
        found
    })
}

/// The characters of a text that hide something or look like others, with their places.
fn deceiving(text: &str) -> impl Iterator<Item = (usize, char)> {
    let alike = alike::places(text);
    let mut places: Vec<(usize, char)> = hiding(text).collect();
    if !alike.is_empty() {
        let letter = |at: usize| Some((at, text[at..].chars().next()?));
        places.extend(alike.into_iter().filter_map(letter));
        places.sort_unstable();
        places.dedup();
    }
    places.into_iter()
}

/// Appends `text` as HTML with hidden characters as tokens; returns whether there were any.
pub(super) fn escape_revealing(out: &mut String, text: &str) -> bool {
    let mut from = 0;
    for (at, letter) in deceiving(text) {
        escape(out, &text[from..at]);
        token(out, letter);
        from = at + letter.len_utf8();
    }
    escape(out, &text[from..]);
    from > 0
}

/// How much of a line around a part of it may tell what its characters are, in bytes: a line may have very many parts.
const AROUND: usize = 1 << 10;

/// As [`escape_revealing`], for a part of a line: what shapes a letter may stand at its edge.
pub(super) fn escape_part(out: &mut String, line: &str, part: Range<usize>) {
    let may_deceive = |letter| is_hidden(letter) || alike::may_be_alike(letter);
    if !line[part.clone()].chars().any(may_deceive) {
        return escape(out, &line[part]);
    }
    let mut from = part.start;
    let begin = line.floor_char_boundary(part.start.saturating_sub(AROUND));
    let end = line.ceil_char_boundary(part.end + AROUND);
    for (at, letter) in deceiving(&line[begin..end]) {
        let at = begin + at;
        if part.contains(&at) {
            escape(out, &line[from..at]);
            token(out, letter);
            from = at + letter.len_utf8();
        }
    }
    escape(out, &line[from..part.end]);
}

/// Appends a line that looks like `other`: each character that the other has not, and each that hides something or looks
/// like another, is a token.
pub(super) fn escape_beside(out: &mut String, line: &str, other: &str) {
    let others: HashSet<char> = other.chars().collect();
    let is_told = |letter: char| {
        let deceives = alike::may_be_alike(letter) || !others.contains(&letter);
        is_hidden(letter) || (!letter.is_ascii() && deceives)
    };
    let mut from = 0;
    for (at, letter) in line.char_indices().filter(|(_, letter)| is_told(*letter)) {
        escape(out, &line[from..at]);
        token(out, letter);
        from = at + letter.len_utf8();
    }
    escape(out, &line[from..]);
}

/// `text` as HTML with hidden characters as tokens; `None` if it has none.
pub fn reveal_hidden(text: &str) -> Option<Html> {
    let mut out = String::with_capacity(text.len() + 64);
    escape_revealing(&mut out, text).then_some(out)
}

/// Whether `text` contains a hidden character, or one that looks like another.
pub(super) fn has_hidden(text: &str) -> bool {
    deceiving(text).next().is_some()
}

/// Whether a text has more hidden characters than this.
pub(super) fn hides_more_than(text: &str, most: usize) -> bool {
    hiding(text).nth(most).is_some()
}

/// Any text as one line of plain text: line breaks become spaces, hidden characters their code points, and text beyond
/// `most` characters an ellipsis.
pub(super) fn plain_line(text: &str, most: usize) -> String {
    let (mut out, text) = (String::new(), text.trim());
    let mut hidden = hiding(text).peekable();
    for (count, (at, letter)) in text.char_indices().enumerate() {
        if count == most {
            out.push('…');
            break;
        }
        let is_hiding = hidden.next_if(|(hidden, _)| *hidden == at).is_some();
        match letter {
            '\n' | '\t' | '\r' => out.push(' '),
            _ if is_hiding => push_code_point(&mut out, letter),
            _ => out.push(letter),
        }
    }
    out
}

/// Appends the token of a hidden character.
pub(super) fn token(out: &mut String, letter: char) {
    let mut code = String::new();
    push_code_point(&mut code, letter);
    out.push_str("<span class=\"hidden-char\" title=\"");
    out.push_str(&code);
    out.push(' ');
    out.push_str(name(letter));
    out.push_str("\">");
    out.push_str(&code);
    out.push_str("</span>");
}

/// Appends blanks that would not be seen, each as a sign in a token with this name.
pub(super) fn blanks(out: &mut String, blanks: &str, name: &str) {
    if blanks.is_empty() {
        return;
    }
    out.push_str("<span class=\"blank-char\" title=\"");
    out.push_str(name);
    out.push_str("\">");
    out.extend(blanks.chars().map(|blank| match blank {
        '\t' => '→',
        _ => '·',
    }));
    out.push_str("</span>");
}

/// Appends a token for what is missing at the end of a text.
pub(super) fn no_newline(out: &mut String) {
    out.push_str("<span class=\"blank-char\" title=\"NO LINE FEED AT THE END\">");
    out.push_str(super::text::no_newline());
    out.push_str("</span>");
}

/// A line without the blanks at its end, and these.
pub(super) fn split_end(line: &str) -> (&str, &str) {
    line.split_at(line.trim_end_matches([' ', '\t']).len())
}

fn push_code_point(out: &mut String, letter: char) {
    write!(out, "U+{:04X}", u32::from(letter)).expect("a String takes everything");
}

fn name(letter: char) -> &'static str {
    match letter {
        '\u{8}' => "BACKSPACE",
        '\r' => "CARRIAGE RETURN",
        '\u{1B}' => "ESCAPE",
        '\0'..='\u{9F}' => "CONTROL CHARACTER",
        '\u{A0}' => "NO-BREAK SPACE",
        '\u{AD}' => "SOFT HYPHEN",
        '\u{61C}' => "ARABIC LETTER MARK",
        '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => {
            "UNUSUAL SPACE"
        }
        '\u{200B}' => "ZERO WIDTH SPACE",
        '\u{200C}' => "ZERO WIDTH NON-JOINER",
        '\u{200D}' => "ZERO WIDTH JOINER",
        '\u{200E}' => "LEFT-TO-RIGHT MARK",
        '\u{200F}' => "RIGHT-TO-LEFT MARK",
        '\u{2028}' => "LINE SEPARATOR",
        '\u{2029}' => "PARAGRAPH SEPARATOR",
        '\u{202A}' => "LEFT-TO-RIGHT EMBEDDING",
        '\u{202B}' => "RIGHT-TO-LEFT EMBEDDING",
        '\u{202C}' => "POP DIRECTIONAL FORMATTING",
        '\u{202D}' => "LEFT-TO-RIGHT OVERRIDE",
        '\u{202E}' => "RIGHT-TO-LEFT OVERRIDE",
        '\u{2060}' => "WORD JOINER",
        '\u{2066}' => "LEFT-TO-RIGHT ISOLATE",
        '\u{2067}' => "RIGHT-TO-LEFT ISOLATE",
        '\u{2068}' => "FIRST STRONG ISOLATE",
        '\u{2069}' => "POP DIRECTIONAL ISOLATE",
        '\u{2800}' => "BLANK BRAILLE PATTERN",
        '\u{3164}' | '\u{115F}' | '\u{1160}' | '\u{FFA0}' => "HANGUL FILLER",
        '\u{FEFF}' => "ZERO WIDTH NO-BREAK SPACE",
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180D}' => {
            "VARIATION SELECTOR"
        }
        '\u{E0000}'..='\u{E007F}' => "TAG CHARACTER",
        _ if is_hidden(letter) => "INVISIBLE CHARACTER",
        _ => alike::name(letter).unwrap_or("CHARACTER"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_to_left_override_is_shown_with_its_name() {
        let html = reveal_hidden("rm \u{202E}txt.a").expect("there is one");
        assert_eq!(
            html,
            "rm <span class=\"hidden-char\" title=\"U+202E RIGHT-TO-LEFT OVERRIDE\">U+202E</span>txt.a"
        );
    }

    #[test]
    fn ordinary_text_in_any_script_hides_nothing() {
        for text in [
            "ls -la\n\techo",
            "größer",
            "日本語",
            "שלום",
            "✔\u{FE0F} done",
            // A family, a heart on fire, a keycap, the flag of England, a dark thumb.
            "👨\u{200D}👩\u{200D}👧",
            "❤\u{FE0F}\u{200D}🔥",
            "1\u{FE0F}\u{20E3}",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
            "🧑🏿\u{200D}💻",
            // Persian and Hindi.
            "می\u{200C}خواهم",
            "क\u{94D}\u{200D}ष",
            "日本\u{3000}語",
            "\u{3000}段落",
            "葛\u{E0100}城",
        ] {
            assert_eq!(reveal_hidden(text), None, "{text}");
            assert_eq!(plain_line(text, 80), text.trim().replace(['\n', '\t'], " "));
        }
    }

    #[test]
    fn zero_width_odd_space_control_and_tag_characters_are_shown() {
        for letter in [
            '\u{200B}',
            '\u{A0}',
            '\u{1B}',
            '\r',
            '\u{FEFF}',
            '\u{E0041}',
            '\u{2028}',
            '\u{3164}',
            '\u{FE0F}',
        ] {
            assert!(has_hidden(&format!("a{letter}b")), "{letter:?}");
        }
    }

    #[test]
    fn what_shapes_letters_elsewhere_hides_in_a_command() {
        for text in [
            "rm\u{3000}-rf",
            "ad\u{200D}min",
            "ad\u{200C}min",
            "👧\u{200D}x",
            "x\u{FE0F}",
            "1\u{FE0F}2",
            "a\u{E0100}",
            "🏴\u{E0067}\u{E0062}x",
            "🏴\u{E0072}\u{E006D}\u{E0020}\u{E002D}\u{E0072}\u{E0066}\u{E007F}",
            "a🏴\u{E007F}",
            "می\u{202E}خ",
        ] {
            assert!(has_hidden(text), "{text:?}");
        }
    }

    #[test]
    fn a_long_line_of_many_parts_takes_time_in_proportion_to_its_length() {
        let word = "\u{430}pple ";
        let line = word.repeat(20_000);
        let mut out = String::new();
        for part in 0..20_000 {
            let start = part * word.len();
            escape_part(&mut out, &line, start..start + word.len());
        }
        assert_eq!(out.matches(HIDDEN).count(), 20_000);
        out.clear();
        let letters: String = ('\u{4E00}'..='\u{9FFF}').collect();
        escape_beside(&mut out, &letters, &letters);
        assert_eq!(out, letters);
    }

    #[test]
    fn what_looks_like_another_character_is_shown_with_its_name() {
        for (text, name) in [
            ("curl http://\u{430}pple.com", "U+0430 CYRILLIC LETTER"),
            ("cafe\u{301}", "U+0301 COMBINING MARK"),
            ("a\u{FFFD}", "U+FFFD REPLACEMENT CHARACTER"),
        ] {
            let html = reveal_hidden(text).expect("there is one");
            assert!(html.contains(name), "{html}");
            assert!(has_hidden(text));
        }
        assert_eq!(reveal_hidden("echo \"Привет\" > файл.txt"), None);
    }

    #[test]
    fn a_subject_is_one_line_without_hidden_characters() {
        assert_eq!(plain_line(" a\nb\u{202E}c ", 80), "a bU+202Ec");
        assert_eq!(plain_line("abcdef", 3), "abc…");
    }
}
