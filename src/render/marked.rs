//! Excerpts for search results: plain text around the first word that was found, with these words marked.

use super::{Marked, hidden::plain_line, markdown::plain_whole};
use crate::conversation::{camel_parts, is_unspaced};

/// Length of an excerpt in bytes: two or three lines.
const EXCERPT: usize = 240;
/// Bytes before the first word that was found.
const BEFORE: usize = 60;
/// How often a word of a script without spaces is marked at most.
const MOST_INSIDE: usize = 50;

/// The text around the first of these phrases, in pieces. Each phrase is its words in lower case; with `longer`, the last
/// word may be the beginning of a longer one. Without a match, the beginning of the text.
pub fn marked(text: &str, is_markdown: bool, phrases: &[Vec<String>], longer: bool) -> Vec<Marked> {
    let plain;
    let text = if is_markdown {
        plain = plain_whole(text);
        plain.as_str()
    } else {
        text
    };
    let words = words_of(text);
    let open = phrases.len().wrapping_sub(1);
    let is_open = |place: usize| longer && place == open;
    let mut hits: Vec<(usize, usize)> = Vec::new();
    for at in 0..words.len() {
        // Everything that is marked is in the excerpt.
        if hits
            .first()
            .is_some_and(|first| words[at].0 > first.0 + EXCERPT)
        {
            break;
        }
        for (place, phrase) in phrases.iter().enumerate() {
            hits.extend(hit(text, &words[at..], phrase, is_open(place)));
        }
    }
    // Words of scripts without spaces stand inside of others.
    let lower = text.to_ascii_lowercase();
    let pieces = phrases.iter().flatten();
    for piece in pieces.filter(|piece| piece.contains(is_unspaced)) {
        let found = lower.match_indices(piece.as_str()).take(MOST_INSIDE);
        hits.extend(found.map(|(at, piece)| (at, at + piece.len())));
    }
    hits.sort_unstable();
    let first = hits.first().map_or(0, |first| first.0);
    let start = start_of(text, first);
    let end = text.floor_char_boundary((start + EXCERPT).min(text.len()));
    let mut pieces = Vec::new();
    let mut from = start;
    if start > 0 {
        push(&mut pieces, "…", false);
    }
    for (begin, stop) in hits {
        if begin < from || stop > end {
            continue;
        }
        push(&mut pieces, &text[from..begin], false);
        push(&mut pieces, &text[begin..stop], true);
        from = stop;
    }
    push(&mut pieces, &text[from..end], false);
    if end < text.len() {
        push(&mut pieces, "…", false);
    }
    pieces
}

/// Whether a text has a longer word in place of the last one of a phrase, and nowhere the phrase itself.
#[cfg(feature = "ssr")]
pub fn has_longer(text: &str, phrase: &[String]) -> bool {
    let words = words_of(text);
    let has = |open| (0..words.len()).any(|at| hit(text, &words[at..], phrase, open).is_some());
    has(true) && !has(false)
}

/// Where the words of a text begin and end. Letters of scripts without spaces are words of their own.
fn words_of(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let (mut begun, mut before) = (None, ' ');
    for (at, letter) in text.char_indices() {
        let is_other = is_unspaced(letter) != is_unspaced(before);
        before = letter;
        match (begun, letter.is_alphanumeric()) {
            (None, true) => begun = Some(at),
            (Some(start), true) if is_other => {
                words.push((start, at));
                begun = Some(at);
            }
            (Some(start), false) => {
                words.push((start, at));
                begun = None;
            }
            _ => {}
        }
    }
    words.extend(begun.map(|start| (start, text.len())));
    words
}

/// Where a phrase stands, if it stands at the first of these words.
fn hit(
    text: &str,
    words: &[(usize, usize)],
    phrase: &[String],
    open: bool,
) -> Option<(usize, usize)> {
    let (last, before) = phrase.split_last()?;
    let (start, end) = words[0];
    if before.is_empty() {
        // One word may be a part of a camelCase word.
        let word = &text[start..end];
        let mut at = start;
        for part in camel_parts(word) {
            if is(part, last, open) {
                return Some((at, at + part.len()));
            }
            at += part.len();
        }
    }
    let (until, first) = (words.get(before.len())?, before.iter().zip(words));
    let same = |((start, end), word): ((usize, usize), &String)| is(&text[start..end], word, false);
    let stands = first.map(|(word, place)| (*place, word)).all(same);
    (stands && is(&text[until.0..until.1], last, open)).then_some((start, until.1))
}

/// Whether a word of the text is this one, or begins with it.
fn is(word: &str, wanted: &str, open: bool) -> bool {
    let mut wanted = wanted.chars();
    for letter in word.chars().flat_map(char::to_lowercase) {
        match wanted.next() {
            Some(next) if next == letter => {}
            None => return open,
            Some(_) => return false,
        }
    }
    wanted.next().is_none()
}

/// Where an excerpt begins that has the place `first` in it: at a space, if there is one.
fn start_of(text: &str, first: usize) -> usize {
    if first <= BEFORE {
        return 0;
    }
    let from = text.ceil_char_boundary(first - BEFORE);
    let space = text[from..first].find(char::is_whitespace);
    space.map_or(from, |at| from + at)
}

fn push(pieces: &mut Vec<Marked>, text: &str, hit: bool) {
    if text.is_empty() {
        return;
    }
    // A piece keeps the spaces at its ends, which a line would lose.
    let space = |is_space: bool| if is_space { " " } else { "" };
    let line = plain_line(text, EXCERPT);
    let before = space(text.starts_with(char::is_whitespace));
    let after = space(!line.is_empty() && text.ends_with(char::is_whitespace));
    pieces.push(Marked {
        text: format!("{before}{line}{after}"),
        hit,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, is_markdown: bool, phrases: &[&str], longer: bool) -> String {
        let phrases: Vec<Vec<String>> = phrases
            .iter()
            .map(|phrase| phrase.split(' ').map(str::to_owned).collect())
            .collect();
        let pieces = marked(text, is_markdown, &phrases, longer);
        pieces
            .iter()
            .map(|piece| match piece.hit {
                true => format!("[{}]", piece.text),
                false => piece.text.clone(),
            })
            .collect()
    }

    #[test]
    fn words_phrases_and_parts_of_words_are_marked() {
        assert_eq!(
            shown("Fix the Flux.", false, &["flux"], false),
            "Fix the [Flux]."
        );
        assert_eq!(
            shown(
                "src/journal/search.rs: a search",
                false,
                &["journal search rs"],
                false
            ),
            "src/[journal/search.rs]: a search"
        );
        assert_eq!(
            shown("call parseHeader()", false, &["header"], false),
            "call parse[Header]()"
        );
        assert_eq!(
            shown("two fluxes", false, &["two", "flux"], true),
            "[two] [fluxes]"
        );
        assert_eq!(
            shown("two fluxes", false, &["two", "flux"], false),
            "[two] fluxes"
        );
        assert_eq!(
            shown("nothing here", false, &["else"], false),
            "nothing here"
        );
    }

    #[test]
    fn a_longer_word_counts_only_where_the_word_itself_is_not() {
        let has = |text: &str, phrase: &str| {
            let phrase: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
            has_longer(text, &phrase)
        };
        assert!(has("two Fluxes", "flux") && has("call parseHeader()", "head"));
        assert!(has("ver1.10 of it", "ver1 1"));
        assert!(!has("flux and fluxes", "flux") && !has("a reflux", "flux"));
        assert!(!has("parseHeader(headers)", "header"));
    }

    #[test]
    fn words_of_scripts_without_spaces_are_marked_inside_of_others() {
        assert_eq!(
            shown("请修复登录页面", false, &["登录"], false),
            "请修复[登录]页面"
        );
        assert_eq!(
            shown("重跑gen-itgc后50条", false, &["itgc"], false),
            "重跑gen-[itgc]后50条"
        );
        assert_eq!(
            shown("ระบบล็อกอินไม่", false, &["ล็อกอิน"], false),
            "ระบบ[ล็อกอิน]ไม่"
        );
    }

    #[test]
    fn an_excerpt_of_a_long_text_is_around_the_first_hit() {
        let text = format!("{}needle {}", "before ".repeat(500), "after ".repeat(500));
        let text = shown(&text, false, &["needle"], false);
        assert!(
            text.starts_with("… before") && text.ends_with('…'),
            "{text}"
        );
        assert!(text.contains(" [needle] after"), "{text}");
        assert!(text.len() < EXCERPT + 20, "{}", text.len());
    }

    #[test]
    fn a_message_is_found_without_its_markup_and_hidden_characters_are_shown() {
        assert_eq!(
            shown("## Plan\n\n- **one** `two`", true, &["two"], false),
            "Plan one [two]"
        );
        assert_eq!(
            shown("a\u{202E}b flux", false, &["flux"], false),
            "aU+202Eb [flux]"
        );
    }
}
