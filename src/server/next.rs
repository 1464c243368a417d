//! Where somebody wanted to go before they had to log in: a path of ours, and nothing else.

/// The longest path that is remembered.
const LONGEST: usize = 2000;

/// The path, if it is one below `base`. Browsers read `//`, `\` and characters that do not show in ways that
/// lead elsewhere, so none of them may be in it.
pub fn local(next: &str, base: &str) -> Option<String> {
    let strange = |letter: char| letter == '\\' || letter.is_control() || letter.is_whitespace();
    let good = next.len() <= LONGEST
        && next.starts_with('/')
        && next.starts_with(base)
        && !next.starts_with("//")
        && !next.contains(strange);
    good.then(|| next.to_owned())
}

/// As the value of a query.
pub fn escaped(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_ours_is_gone_to() {
        for good in ["/", "/c/1", "/c/1?panel=files&q=%0A", "/c/a%2f%2fb"] {
            assert_eq!(local(good, "/").as_deref(), Some(good));
        }
        for bad in [
            "",
            "//evil",
            "\\\\evil",
            "/\\evil",
            "\\/evil",
            "https:///a%40b",
            "javascript:alert(1)",
            "evil",
            "/\t/evil",
            "/\n/evil",
            " //evil",
            "/\u{2028}",
            "///evil",
            "http://evil",
            "/a\u{0}",
        ] {
            assert_eq!(local(bad, "/"), None, "{bad:?}");
        }
        assert_eq!(local("/elsewhere", "/a/b/"), None);
        assert_eq!(local("/a/b/c/1", "/a/b/").as_deref(), Some("/a/b/c/1"));
        assert_eq!(local(&format!("/{}", "x".repeat(3000)), "/"), None);
    }
}
