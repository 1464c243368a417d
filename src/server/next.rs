//! The page to open after a login: always a path of this server.

/// Length limit of a path, in bytes.
const LONGEST: usize = 2000;

/// The path, if it lies below `base`. Browsers interpret `//`, `\`, control characters and white space in ways that can
/// lead to another site, so a path with any of them is rejected.
pub fn local(next: &str, base: &str) -> Option<String> {
    let strange = |letter: char| letter == '\\' || letter.is_control() || letter.is_whitespace();
    let good = next.len() <= LONGEST
        && next.starts_with('/')
        && next.starts_with(base)
        && !next.starts_with("//")
        && !next.contains(strange);
    good.then(|| next.to_owned())
}

/// Escaped as the value of a query parameter.
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
