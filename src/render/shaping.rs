//! Invisible characters, and those that only shape others and hide nothing there.
//!
//! One of these is accepted between the characters that it shapes only: elsewhere it makes two words look like one.

use crate::conversation::is_unspaced;

/// Whether an invisible character only shapes those around it: `base` is the last one before it that is no selector.
pub(super) fn shapes(before: char, base: char, letter: char, after: char) -> bool {
    match letter {
        // The appearance of a character, and of a key.
        '\u{FE0E}' | '\u{FE0F}' => {
            (!before.is_ascii() && !is_hidden(before))
                || (after == '\u{20E3}' && (before.is_ascii_digit() || "#*".contains(before)))
        }
        // Several emoji as one, and joined letters.
        '\u{200D}' => {
            (is_picture(base) && is_picture(after)) || (is_joined(before) && is_joined(after))
        }
        '\u{200C}' => is_joined(before) && is_joined(after),
        // The blank of a script whose letters are as wide.
        '\u{3000}' => is_wide(before) || is_wide(after),
        // The form of a Han character.
        '\u{E0100}'..='\u{E01EF}' => is_unspaced(before),
        _ => false,
    }
}

/// Bytes of the tags that make a flag of a region; 0 if they are no such tags.
pub(super) fn tags(text: &str) -> usize {
    const MOST: usize = 7;
    let tags = text.char_indices().take(MOST);
    for (at, letter) in tags {
        match letter {
            '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' => {}
            '\u{E007F}' if at > 0 => return at + letter.len_utf8(),
            _ => return 0,
        }
    }
    0
}

/// Whether a character may be part of an emoji.
fn is_picture(letter: char) -> bool {
    matches!(letter, '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}' | '\u{2600}'..='\u{27BF}'
        | '\u{2B00}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Whether a letter is of a script whose letters are joined.
fn is_joined(letter: char) -> bool {
    matches!(letter, '\u{600}'..='\u{DFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{18AF}' | '\u{FB50}'..='\u{FDFF}'
        | '\u{FE70}'..='\u{FEFC}' | '\u{10A00}'..='\u{11FFF}')
        && !is_bidi(letter)
}

/// Whether a character is as wide as an ideographic blank, or is one.
fn is_wide(letter: char) -> bool {
    is_unspaced(letter) || matches!(letter, '\u{3000}'..='\u{303F}' | '\u{FF01}'..='\u{FF60}')
}

/// Whether the character changes the direction of the text after it.
pub(super) fn is_bidi(letter: char) -> bool {
    matches!(letter, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Whether the character is invisible, or looks like an ordinary space without being one.
pub(super) fn is_hidden(letter: char) -> bool {
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
