//! Making hidden characters visible.
//!
//! A direction mark or a zero-width character can make a command read differently from what it does. In text that a
//! person must judge (a command, code, a diff) each such character becomes a visible token with its code point, and its
//! name in the tooltip.

use super::Html;
use std::fmt::Write;

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

/// Appends `text` as HTML with hidden characters as tokens; returns whether there were any.
pub(super) fn escape_revealing(out: &mut String, text: &str) -> bool {
    let mut from = 0;
    let mut before = '\0';
    for (at, letter) in text.char_indices() {
        if is_hidden(letter) && !is_emoji_style(before, letter) {
            escape(out, &text[from..at]);
            token(out, letter);
            from = at + letter.len_utf8();
        }
        before = letter;
    }
    escape(out, &text[from..]);
    from > 0
}

/// `text` as HTML with hidden characters as tokens; `None` if it has none.
pub fn reveal_hidden(text: &str) -> Option<Html> {
    let mut out = String::with_capacity(text.len() + 64);
    escape_revealing(&mut out, text).then_some(out)
}

/// Whether `text` contains a hidden character.
pub(super) fn has_hidden(text: &str) -> bool {
    let mut before = '\0';
    text.chars().any(|letter| {
        let found = is_hidden(letter) && !is_emoji_style(before, letter);
        before = letter;
        found
    })
}

/// Any text as one line of plain text: line breaks become spaces, hidden characters their code points, and text beyond
/// `most` characters an ellipsis.
pub(super) fn plain_line(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (count, letter) in text.trim().chars().enumerate() {
        if count == most {
            out.push('…');
            break;
        }
        match letter {
            '\n' | '\t' | '\r' => out.push(' '),
            _ if is_hidden(letter) => push_code_point(&mut out, letter),
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

fn push_code_point(out: &mut String, letter: char) {
    write!(out, "U+{:04X}", u32::from(letter)).expect("a String takes everything");
}

/// A variation selector after a non-ASCII character selects its appearance and hides nothing.
fn is_emoji_style(before: char, letter: char) -> bool {
    matches!(letter, '\u{FE0E}' | '\u{FE0F}') && !before.is_ascii() && !is_hidden(before)
}

/// Whether the character changes the direction of the text after it.
pub(super) fn is_bidi(letter: char) -> bool {
    matches!(letter, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether the character is invisible, or looks like an ordinary space without being one.
fn is_hidden(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_control() && !matches!(letter, '\n' | '\t');
    }
    is_bidi(letter)
        || matches!(letter,
            '\u{80}'..='\u{A0}' | '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{1680}'
            | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{2000}'..='\u{200D}'
            | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}'..='\u{206F}' | '\u{2800}'
            | '\u{3000}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
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
        _ => "INVISIBLE CHARACTER",
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
        ] {
            assert_eq!(reveal_hidden(text), None, "{text}");
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
    fn a_subject_is_one_line_without_hidden_characters() {
        assert_eq!(plain_line(" a\nb\u{202E}c ", 80), "a bU+202Ec");
        assert_eq!(plain_line("abcdef", 3), "abc…");
    }
}
