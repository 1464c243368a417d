//! Addresses in prose, which become links.

use std::ops::Range;

/// How an address begins.
const STARTS: [&str; 3] = ["https://", "http://", "www."];
/// Longest address, in bytes: a longer one is data.
const LONGEST: usize = 2000;

/// The addresses in a text, in order.
pub(super) fn addresses(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::<Range<usize>>::new(), 0);
    while let Some(at) = next_start(text, from) {
        let end = at + end_of(&text[at..]);
        let is_free = !text[..at]
            .chars()
            .next_back()
            .is_some_and(|before| before.is_ascii_alphanumeric() || "/@._-:".contains(before));
        if is_free && has_host(&text[at..end]) && end - at <= LONGEST {
            found.push(at..end);
            from = end;
        } else {
            from = at + 1;
        }
    }
    found
}

/// The address that a link leads to.
pub(super) fn target(address: &str) -> String {
    match address.starts_with("www.") {
        true => format!("https://{address}"),
        false => address.to_owned(),
    }
}

fn next_start(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let starts = STARTS.iter().filter_map(|start| rest.find(start));
    starts.min().map(|at| from + at)
}

fn has_host(address: &str) -> bool {
    let host = STARTS.iter().find_map(|start| address.strip_prefix(start));
    let needs_dot = address.starts_with("www.");
    host.is_some_and(|host| {
        host.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[')
            && (!needs_dot || host.contains('.'))
    })
}

/// Where the address at the beginning of a text ends: before a blank, before what encloses it, and before the marks of
/// its sentence. A letter of a script without spaces belongs to it only as a part of its own.
fn end_of(text: &str) -> usize {
    let mut before = '\0';
    let mut end = text.len();
    for (at, letter) in text.char_indices() {
        let is_part = match letter {
            '<' | '>' | '"' | '`' | '|' | '\\' | '^' | '{' | '}' => false,
            _ if letter.is_ascii() => letter.is_ascii_graphic(),
            _ if crate::conversation::is_unspaced(letter) => {
                crate::conversation::is_unspaced(before) || "/=#-_".contains(before)
            }
            _ => letter.is_alphanumeric(),
        };
        if !is_part {
            end = at;
            break;
        }
        before = letter;
    }
    let mut address = &text[..end];
    while let Some(last) = address.chars().next_back() {
        let count = |letter: char| address.matches(letter).count();
        let is_of_sentence = match last {
            '?' | '!' | '.' | ',' | ':' | ';' | '*' | '_' | '~' | '\'' => true,
            ')' => count(')') > count('('),
            ']' => count(']') > count('['),
            _ => false,
        };
        if !is_of_sentence {
            break;
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    address.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_end_where_a_reader_ends_them() {
        for (text, found) in [
            (
                "ready: https://github.com/example/repo/pull/12\nnow",
                &["https://github.com/example/repo/pull/12"][..],
            ),
            (
                "on http://localhost:5173/ and www.example.com. Bye",
                &["http://localhost:5173/", "www.example.com"],
            ),
            (
                "https://example.com/a_b_c_(d)?x=1&y=2#z.",
                &["https://example.com/a_b_c_(d)?x=1&y=2#z"],
            ),
            ("(see https://a.example/x)", &["https://a.example/x"]),
            ("見てhttps://a.example/xを開く。", &["https://a.example/x"]),
            (
                "https://zh.example/wiki/中文，见",
                &["https://zh.example/wiki/中文"],
            ),
            ("http://[::1]:3000/", &["http://[::1]:3000/"]),
            ("https://a.example/\u{202e}x", &["https://a.example/"]),
            ("xhttps://a.example https:// www. file:///x", &[]),
            ("dev@www.example.com", &[]),
        ] {
            let all: Vec<_> = addresses(text)
                .into_iter()
                .map(|range| &text[range])
                .collect();
            assert_eq!(all, found, "{text}");
        }
        assert_eq!(target("www.example.com"), "https://www.example.com");
    }

    #[test]
    fn many_addresses_cost_no_more_than_their_length() {
        let text = "http://".repeat(30_000);
        assert!(addresses(&text).len() < 30_000);
    }
}
