//! Characters that look like others: letters of another script in a Latin word, marks that could be part of the letter
//! before them, and what stands for characters that could not be read.
//!
//! A text wholly in one script has none of them.

use unicode_normalization::{UnicodeNormalization, char::compose, char::is_combining_mark};

/// Letters that look like Latin ones, and these.
const ALIKE: [(&str, &str); 5] = [
    // Cyrillic.
    ("аеорсухіјѕһԁԛԝӏѵ", "aeopcyxijshdqwlv"),
    ("АВЕКМНОРСТУХІЈЅӀԚԜѴҮ", "ABEKMHOPCTYXIJSIQWVY"),
    // Greek.
    ("οναριυ", "ovapiu"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
    // Armenian, and letters of phonetic writing.
    ("օսհɑɡ", "ouhag"),
];

/// The Latin letter that a letter of another script looks like.
fn latin(letter: char) -> Option<char> {
    match letter {
        '\0'..='\u{24F}' => None,
        // Wide letters, and those of formulas.
        '\u{FF21}'..='\u{FF3A}'
        | '\u{FF41}'..='\u{FF5A}'
        | '\u{1D400}'..='\u{1D7FF}'
        | '\u{2160}'..='\u{217F}' => letter.nfkc().next().filter(char::is_ascii_alphabetic),
        // All scripts of the table.
        '\u{250}'..='\u{58F}' => {
            let mut pairs = ALIKE
                .iter()
                .flat_map(|(from, to)| from.chars().zip(to.chars()));
            pairs.find(|(from, _)| *from == letter).map(|(_, to)| to)
        }
        _ => None,
    }
}

fn is_latin(letter: char) -> bool {
    matches!(letter, 'a'..='z' | 'A'..='Z' | '\u{AA}' | '\u{BA}' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

/// Whether a character is one that [`places`] may find.
pub(super) fn may_be_alike(letter: char) -> bool {
    !letter.is_ascii()
        && (letter == '\u{FFFD}' || is_combining_mark(letter) || latin(letter).is_some())
}

/// Where a text has characters that look like others, in order.
pub(super) fn places(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    if !text.chars().any(may_be_alike) {
        return found;
    }
    let mut base = '\0';
    for (at, letter) in text.char_indices() {
        let composed = compose(base, letter).filter(|_| is_combining_mark(letter));
        if composed.is_some() || letter == '\u{FFFD}' {
            found.push(at);
        }
        if !is_combining_mark(letter) || composed.is_some() {
            base = composed.unwrap_or(letter);
        }
    }
    let ends_chunk = |letter: char| letter.is_whitespace() || "\"'`<>()[]{}|;,".contains(letter);
    let mut at = 0;
    for chunk in text.split_inclusive(ends_chunk) {
        if !chunk.is_ascii() {
            let is_latin = chunk.contains(is_latin);
            letters(chunk, |start, word| {
                let foreign = |letter: &char| letter.is_alphabetic() && !self::is_latin(*letter);
                let is_mixed = word.contains(self::is_latin);
                let is_alike = word
                    .chars()
                    .filter(foreign)
                    .all(|letter| latin(letter).is_some());
                if is_alike && (is_mixed || (is_latin && word.chars().nth(1).is_some())) {
                    let letters = word.char_indices().filter(|(_, letter)| foreign(letter));
                    found.extend(letters.map(|(from, _)| at + start + from));
                }
            });
        }
        at += chunk.len();
    }
    found.sort_unstable();
    found
}

/// Calls `each` with every word of letters and where it begins.
fn letters(text: &str, mut each: impl FnMut(usize, &str)) {
    let is_of_word = |letter: char| letter.is_alphabetic() || is_combining_mark(letter);
    let mut start = None;
    for (at, letter) in text.char_indices() {
        match (start, is_of_word(letter)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                each(from, &text[from..at]);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        each(from, &text[from..]);
    }
}

/// Whether two different lines look the same, except for blanks.
pub(super) fn look_same(one: &str, other: &str) -> bool {
    let is_plain = |letter: &char| !letter.is_whitespace() && !super::shaping::is_hidden(*letter);
    let seen = |text: &str| -> String {
        let letters = text.nfc().filter(is_plain);
        letters
            .map(|letter| latin(letter).unwrap_or(letter))
            .collect()
    };
    one != other && !(one.is_ascii() && other.is_ascii()) && seen(one) == seen(other)
}

/// The script or the kind of a character, for its name.
pub(super) fn name(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\u{FFFD}' => "REPLACEMENT CHARACTER",
        _ if is_combining_mark(letter) => "COMBINING MARK",
        '\u{400}'..='\u{52F}' => "CYRILLIC LETTER",
        '\u{370}'..='\u{3FF}' => "GREEK LETTER",
        '\u{530}'..='\u{58F}' => "ARMENIAN LETTER",
        '\u{250}'..='\u{2AF}' => "PHONETIC LETTER",
        '\u{FF01}'..='\u{FF5E}' => "WIDE LETTER",
        '\u{1D400}'..='\u{1D7FF}' => "LETTER OF FORMULAS",
        '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => "LATIN LETTER",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_look_like_latin_ones_are_found_in_latin_words() {
        for (text, found) in [
            ("curl http://аpple.com", "а"),
            ("http://аррӏе.com/x", "аррӏе"),
            ("pip install rеquests", "е"),
            ("αdmin", "α"),
            ("ｒm -rf", "ｒ"),
            ("𝐫m", "𝐫"),
            ("cafe\u{301}", "\u{301}"),
            ("a\u{FFFD}", "\u{FFFD}"),
        ] {
            let places = places(text);
            let letters: String = places
                .iter()
                .filter_map(|at| text[*at..].chars().next())
                .collect();
            assert_eq!(letters, found, "{text}");
        }
    }

    #[test]
    fn ordinary_texts_in_any_script_have_none() {
        for text in [
            "rm -rf /srv/größe/café/Việt",
            "echo \"Привет, мир: сор и о\" > файл.txt",
            "cat /home/user/Документы/отчёт.pdf",
            "мир и API-ключ, git-репозиторий",
            "Δt = 3 μm, λx.x, σ_max, 2π",
            "echo Καλημέρα",
            "日本語 ＡＰＩ です",
            "n\u{BA} 1\u{AA}",
            "x\u{304}, क\u{94D}ष, שָׁלוֹם",
            "👩‍👧 ❤\u{FE0F}",
        ] {
            assert_eq!(places(text), Vec::<usize>::new(), "{text}");
        }
    }

    #[test]
    fn lines_that_look_the_same_are_told_from_others() {
        for (one, other) in [
            ("café", "cafe\u{301}"),
            ("❤", "❤\u{FE0F}"),
            ("cop", "сор"),
            ("Å", "\u{212B}"),
        ] {
            assert!(look_same(one, other) && look_same(other, one), "{one}");
            assert!(!look_same(one, one), "{one}");
        }
        assert!(!look_same("café", "cafe") && !look_same("a", "a "));
    }
}
