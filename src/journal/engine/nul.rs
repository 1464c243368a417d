//! NUL characters in texts on a server, which stores none: a mark and a digit stand for them. So what is read is what was
//! written, and hashes of it match.

use std::borrow::Cow;

/// Stands for a NUL with `0` behind it, and for itself with itself behind it. It is no character of any language.
const MARK: char = '\u{FDD0}';
/// Its first byte.
const FIRST: u8 = 0xEF;

/// A text as a server stores it.
pub(in crate::journal) fn stored(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', MARK]) {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '\0' => made.extend([MARK, '0']),
            MARK => made.extend([MARK, MARK]),
            letter => made.push(letter),
        }
    }
    Cow::Owned(made)
}

/// The text that a server has stored.
pub(in crate::journal) fn read(stored: &[u8]) -> Cow<'_, [u8]> {
    // Few texts have a character that begins like it.
    let text = match stored.contains(&FIRST) {
        true => std::str::from_utf8(stored).unwrap_or_default(),
        false => "",
    };
    if !text.contains(MARK) {
        return Cow::Borrowed(stored);
    }
    let (mut made, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, behind)) = rest.split_once(MARK) {
        made.push_str(before);
        made.push(if behind.starts_with('0') { '\0' } else { MARK });
        rest = behind.strip_prefix(['0', MARK]).unwrap_or(behind);
    }
    made.push_str(rest);
    Cow::Owned(made.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_read_is_what_was_written(text in "[\0\u{FDD0}0a\u{FFFD}é]{0,12}") {
            let kept = stored(&text);
            prop_assert!(!kept.contains('\0'));
            prop_assert_eq!(&*read(kept.as_bytes()), text.as_bytes());
        }
    }
}
