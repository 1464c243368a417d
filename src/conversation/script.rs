//! Scripts that are written without spaces between words, and those that are written from right to left.

/// Whether a letter is of a script without spaces: a word of it is found by its parts, and a mark beside it stands as
/// beside a space.
pub fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        // Thai, Lao, Tibetan, Burmese, Khmer.
        '\u{E00}'..='\u{FFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{19E0}'..='\u{19FF}'
        // Hangul: its words have endings.
        | '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{A960}'..='\u{A97F}' | '\u{AC00}'..='\u{D7FF}'
        // Kana, Bopomofo, Han.
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{303B}' | '\u{3041}'..='\u{312F}'
        | '\u{31A0}'..='\u{31BF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FFDC}' | '\u{1B000}'..='\u{1B16F}' | '\u{20000}'..='\u{3FFFF}')
        && letter.is_alphanumeric()
}

/// Whether a letter is of a script that is written from right to left; `None` if it belongs to no direction.
pub fn is_rtl(letter: char) -> Option<bool> {
    if !letter.is_alphabetic() {
        return None;
    }
    Some(matches!(letter,
        '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}'
        | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_without_spaces_are_told_from_the_others() {
        assert!(
            "登録エラー페이지ล็อกอิน々ｱ"
                .chars()
                .filter(|letter| letter.is_alphabetic())
                .all(is_unspaced)
        );
        assert!(!"aéдאع1。、 「".chars().any(is_unspaced));
    }

    #[test]
    fn a_direction_belongs_to_letters() {
        assert_eq!("1. !".chars().find_map(is_rtl), None);
        assert_eq!("1. שלום".chars().find_map(is_rtl), Some(true));
        assert_eq!("- abc שלום".chars().find_map(is_rtl), Some(false));
    }
}
