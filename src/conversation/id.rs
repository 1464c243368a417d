//! The format of conversation ids: one rule for ids from backends and for ids in URLs.

/// Maximum length of an id, in bytes. Current backends use 32 or 36.
const LONGEST: usize = 128;

/// Whether `text` is a valid conversation id: up to 128 ASCII letters, digits, `-` and `_`, starting with a letter or
/// digit.
///
/// Such an id needs no escaping in a URL path, a header or a file name. Comparison is case-sensitive, so each
/// conversation has exactly one spelling.
pub fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.len() <= LONGEST
        && text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_means_itself_alone_wherever_it_stands() {
        for good in [
            "0123456789abcdef0123456789abcdef",
            "01234567-89ab-cdef-0123-456789abcdef",
            "my_project-2",
            "A",
            &"x".repeat(LONGEST),
        ] {
            assert!(is_id(good), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            "a.b",
            "-rf",
            "_",
            "a/b",
            "a\\b",
            "a b",
            " a",
            "a\n",
            "a\0",
            "%61",
            "a?",
            "ä",
            "\u{200b}a",
            &"x".repeat(LONGEST + 1),
        ] {
            assert!(!is_id(bad), "{bad:?}");
        }
    }
}
