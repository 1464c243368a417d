//! Addresses in prose, which become links.

use crate::render::shaping::is_hidden;
use std::ops::Range;

/// How an address begins.
const STARTS: [&str; 3] = ["https://", "http://", "www."];
/// Longest address, in bytes: a longer one is data.
const LONGEST: usize = 2000;

/// The addresses in a text, in order. Takes time in proportion to the length of the text, whatever it contains.
pub(super) fn addresses(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut from) = (Vec::<Range<usize>>::new(), 0);
    while let Some(at) = next_start(text, from) {
        let is_free = !text[..at]
            .chars()
            .next_back()
            .is_some_and(|before| before.is_ascii_alphanumeric() || "/@._-".contains(before));
        from = at + 1;
        if is_free && has_host(&text[at..]) {
            let whole = &text[at..at + length(&text[at..])];
            let address = without_marks_of_sentence(whole);
            if whole.len() > LONGEST {
                from = at + whole.len();
            } else if !is_bare(whole)
                || address
                    .get("www.".len()..)
                    .is_some_and(|host| host.contains('.'))
            {
                from = at + address.len();
                found.push(at..from);
            }
        }
    }
    found
}

/// The address that a link leads to.
pub(super) fn target(address: &str) -> String {
    match is_bare(address) {
        true => format!("https://{address}"),
        false => address.to_owned(),
    }
}

/// Whether an address has no scheme.
fn is_bare(address: &str) -> bool {
    behind_start(address, STARTS[2]).is_some()
}

fn next_start(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let starts = |at: &usize| {
        STARTS
            .iter()
            .any(|start| behind_start(&rest[*at..], start).is_some())
    };
    let mut letters = rest.match_indices(['h', 'H', 'w', 'W']).map(|(at, _)| at);
    letters.find(starts).map(|at| from + at)
}

/// The text behind a beginning, in letters of either case.
fn behind_start<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let (begin, rest) = text.split_at_checked(start.len())?;
    begin.eq_ignore_ascii_case(start).then_some(rest)
}

fn has_host(text: &str) -> bool {
    let host = STARTS.iter().find_map(|start| behind_start(text, start));
    host.is_some_and(|host| {
        host.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[')
    })
}

/// The length of the address at the beginning of a text with the marks that follow it, in bytes: it ends before a blank,
/// before what encloses it, and before what cannot be seen. A letter of a script without spaces belongs to it only as a part
/// of its own.
fn length(text: &str) -> usize {
    let mut before = '\0';
    for (at, letter) in text.char_indices() {
        let is_part = match letter {
            '<' | '>' | '"' | '`' | '|' | '\\' | '^' | '{' | '}' => false,
            _ if letter.is_ascii() => letter.is_ascii_graphic(),
            _ if crate::conversation::is_unspaced(letter) => {
                crate::conversation::is_unspaced(before)
                    || "/=#-_".contains(before)
                    || at == "www.".len()
            }
            _ => !(letter.is_whitespace() || is_hidden(letter) || is_mark_of_sentence(letter)),
        };
        if !is_part {
            return at;
        }
        before = letter;
    }
    text.len()
}

/// Whether a character that is not ASCII encloses or ends something in a sentence.
fn is_mark_of_sentence(letter: char) -> bool {
    matches!(letter, '\u{80}'..='\u{BF}' | '\u{37E}' | '\u{387}' | '\u{55A}'..='\u{55F}' | '\u{589}' | '\u{5BE}'..='\u{5F4}'
        | '\u{60C}'..='\u{60D}' | '\u{61B}'..='\u{61F}' | '\u{6D4}' | '\u{964}' | '\u{965}' | '\u{E4F}' | '\u{E5A}' | '\u{E5B}'
        | '\u{104A}'..='\u{104F}' | '\u{17D4}'..='\u{17DA}' | '\u{2000}'..='\u{206F}' | '\u{2308}'..='\u{230B}'
        | '\u{2329}' | '\u{232A}' | '\u{2768}'..='\u{2775}' | '\u{27E6}'..='\u{27EF}' | '\u{2983}'..='\u{2998}' | '\u{3000}'..='\u{303F}'
        | '\u{30FB}' | '\u{FE10}'..='\u{FE1F}' | '\u{FE30}'..='\u{FE6F}' | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}'
        | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}')
}

/// Stand for the marks of emphasis in an address: letters of a script that nobody writes (Linear A).
const STANDS: [(char, char, &str); 3] = [
    ('_', '\u{10700}', "%F0%90%9C%80"),
    ('*', '\u{10701}', "%F0%90%9C%81"),
    ('~', '\u{10702}', "%F0%90%9C%82"),
];

/// The text with letters in place of the marks of emphasis in its addresses, so that Markdown does not take them for marks;
/// `None` if it has no such address.
pub(super) fn shielded(text: &str) -> Option<String> {
    let marks = STANDS.map(|(mark, ..)| mark);
    if !text.contains(marks) || STANDS.iter().any(|(_, letter, _)| text.contains(*letter)) {
        return None;
    }
    let mut made = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for address in addresses(text) {
        // Markdown takes that of a link for an address itself.
        let is_of_link =
            text[..address.start].ends_with("](") || text[..address.start].ends_with('<');
        if !is_of_link && text[address.clone()].contains(marks) {
            made.push_str(&text[from..address.start]);
            made.extend(text[address.clone()].chars().map(|letter| {
                let stand = STANDS.iter().find(|(mark, ..)| *mark == letter);
                stand.map_or(letter, |(_, stand, _)| *stand)
            }));
            from = address.end;
        }
    }
    made.push_str(&text[from..]);
    (from > 0).then_some(made)
}

/// HTML with the marks in place of what stands for them, also where it was percent-encoded.
pub(super) fn unshielded(html: &str) -> String {
    let mut html = html.to_owned();
    for (mark, letter, encoded) in STANDS {
        let mark = mark.encode_utf8(&mut [0; 4]).to_owned();
        html = html.replace(letter, &mark).replace(encoded, &mark);
    }
    html
}

/// An address without the marks of its sentence at its end, and without brackets that do not begin in it.
fn without_marks_of_sentence(mut address: &str) -> &str {
    let excess = |open, close| {
        address.matches(close).count() as isize - address.matches(open).count() as isize
    };
    let (mut round, mut square) = (excess('(', ')'), excess('[', ']'));
    while let Some(last) = address.chars().next_back() {
        match last {
            '?' | '!' | '.' | ',' | ':' | ';' | '*' | '_' | '~' | '\'' => {}
            ')' if round > 0 => round -= 1,
            ']' if square > 0 => square -= 1,
            _ => break,
        }
        address = &address[..address.len() - last.len_utf8()];
    }
    address
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
            ("网址:https://a.example/x，完", &["https://a.example/x"]),
            (
                "HTTPS://A.EXAMPLE/X and Www.example.com",
                &["HTTPS://A.EXAMPLE/X", "Www.example.com"],
            ),
            ("（https://a.example/x_(y)）", &["https://a.example/x_(y)"]),
            (
                "「https://a.example/?q=東京&l=ja」を",
                &["https://a.example/?q=東京&l=ja"],
            ),
            ("xhttps://a.example https:// www. file:///x", &[]),
            ("dev@www.example.com", &[]),
            ("see www.日本.jp, www.ไทย and www.例", &["www.日本.jp"]),
            (
                "https://a.example/e\u{301}x https://a.example/हिन्दी https://a.example/😀。",
                &[
                    "https://a.example/e\u{301}x",
                    "https://a.example/हिन्दी",
                    "https://a.example/😀",
                ],
            ),
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
    fn a_long_text_takes_time_in_proportion_to_its_length() {
        // Each of these took minutes when a part of it was read once for each address.
        for (piece, begin, most) in [
            ("http://", "", 0),
            (")", "http://a", 0),
            ("http://a ", "", 60_000),
            ("http://a,", "", 0),
            ("www.", "", 0),
            ("h", "", 0),
            ("xhttp://a", "", 0),
            ("http://( ", "", 0),
        ] {
            let text = format!("{begin}{}", piece.repeat(60_000));
            assert_eq!(addresses(&text).len(), most, "{piece}");
        }
    }
}
