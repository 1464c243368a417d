//! Output for terminals: what agents wrote cannot move the cursor, hide or reorder text, or set a title.

use serde::Serialize;
use std::io::Write as _;

/// Prints a line to standard output.
pub fn say(text: &str) {
    // A closed standard output is no reason to fail.
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints a value as JSON, in which control characters are escaped anyway.
pub fn json(value: &impl Serialize) {
    let text = serde_json::to_string_pretty(value).expect("plain data");
    say(&in_ascii(&text));
}

/// Prints a value as JSON on one line.
pub fn json_line(value: &impl Serialize) {
    let text = serde_json::to_string(value).expect("plain data");
    say(&in_ascii(&text));
}

/// JSON without hidden characters: they are escaped as JSON does it.
fn in_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_harmful(letter) && letter != '\n' {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(letter);
        }
    }
    out
}

/// Text whose control characters and hidden characters are shown by their code points. Lines and tabs stay.
pub fn harmless(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => out.push(letter),
            _ if is_harmful(letter) => out.push_str(&format!("<U+{:04X}>", letter as u32)),
            _ => out.push(letter),
        }
    }
    out
}

/// The same on one line of at most `most` characters.
pub fn one_line(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = harmless(&text);
    match text.char_indices().nth(most) {
        Some(_) => {
            let kept: String = text.chars().take(most.saturating_sub(1)).collect();
            format!("{kept}…")
        }
        None => text,
    }
}

/// Whether a character is a control character, or changes how its neighbours look without being seen.
fn is_harmful(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{AD}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
            | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}'
        )
}

/// A time in UTC.
pub fn time(at: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(at).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_agent_wrote_cannot_steer_a_terminal() {
        assert_eq!(
            harmless("a\x1b]0;x\x07\r\nb\tc\rd"),
            "a<U+001B>]0;x<U+0007>\nb\tc<U+000D>d"
        );
        assert_eq!(
            harmless("rm \u{202e}x\u{200b}\u{9b}2J"),
            "rm <U+202E>x<U+200B><U+009B>2J"
        );
        assert_eq!(one_line("a\n\x1b[2J  b", 20), "a <U+001B>[2J b");
        assert_eq!(one_line("abcdef", 4), "abc…");
        for code in 0..0x11_0000 {
            let Some(letter) = char::from_u32(code) else {
                continue;
            };
            let shown = harmless(&letter.to_string());
            assert!(
                !shown
                    .chars()
                    .any(|letter| letter.is_control() && !"\n\t".contains(letter))
            );
        }
        let escaped = in_ascii("\"\u{202e}\u{9b}\u{e0041}\"");
        assert!(escaped.is_ascii(), "{escaped}");
        let same: String = serde_json::from_str(&escaped).expect("JSON");
        assert_eq!(same, "\u{202e}\u{9b}\u{e0041}");
    }
}
