//! Finds secrets in a text, by their known shapes and by the names before them.
//!
//! Texts are agents' output of any length, so the time is linear in the length: each rule looks at a byte a bounded
//! number of times, and looks back at most [`NAME`] bytes.

use super::shapes::{NAME, TOKENS, is_value, names_secret, variable_names_secret};
use crate::live::SecretKind;
use std::ops::Range;

/// A secret: its kind, and its bytes in the text.
pub(super) type Secret = (SecretKind, Range<usize>);

/// Longest authority of a URL, in bytes.
const AUTHORITY: usize = 1024;
/// Shortest value of a field whose name says that it is a secret: "on" and "none" are no secrets.
const SHORTEST: usize = 6;

/// The secrets in a text, in order, none over another. `known` are secrets whose exact text is known.
pub(super) fn secrets(text: &str, known: &[String]) -> Vec<Secret> {
    let mut found = Vec::new();
    for key in known {
        let at = text.match_indices(key.as_str());
        found.extend(at.map(|(at, key)| (SecretKind::BackendKey, at..at + key.len())));
    }
    private_keys(text, &mut found);
    tokens(text, &mut found);
    after_schemes(text, &mut found);
    in_urls(text, &mut found);
    assigned(text, &mut found);
    merged(found)
}

/// Overlapping secrets become one, of the kind of the first.
fn merged(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|(_, range)| range.start);
    let mut whole: Vec<Secret> = Vec::new();
    for (kind, range) in found {
        match whole.last_mut() {
            Some((_, last)) if range.start < last.end => last.end = last.end.max(range.end),
            _ => whole.push((kind, range)),
        }
    }
    whole
}

/// Private keys in PEM format; without an end, up to the end of the text.
fn private_keys(text: &str, found: &mut Vec<Secret>) {
    const BEGIN: &str = "-----BEGIN ";
    let mut from = 0;
    while let Some(at) = text[from..].find(BEGIN).map(|at| from + at) {
        from = at + BEGIN.len();
        let head = text.as_bytes()[from..]
            .iter()
            .take(NAME)
            .position(|byte| *byte == b'-');
        let Some(end_of_label) = head.map(|length| from + length) else {
            continue;
        };
        if !text[from..end_of_label].ends_with("PRIVATE KEY") {
            continue;
        }
        let end = text[end_of_label..]
            .find("-----END ")
            .map(|end| end_of_label + end + 9);
        let end = end.and_then(|end| Some(end + text[end..].find("-----")? + 5));
        from = end.unwrap_or(text.len());
        found.push((SecretKind::PrivateKey, at..from));
    }
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Tokens with a known beginning, and JSON Web Tokens.
fn tokens(text: &str, found: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..]
            .iter()
            .take_while(|byte| is_of_token(**byte))
            .count();
        if length == 0 {
            at += 1;
            continue;
        }
        let run = at..at + length;
        let token = &text[run.clone()];
        let known = TOKENS.iter().find(|(start, _, least, digit)| {
            token.starts_with(start)
                && token.len() >= *least
                && (!digit || token.bytes().any(|byte| byte.is_ascii_digit()))
        });
        match known {
            Some((_, SecretKind::AwsKey, ..)) => {
                let is_plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
                if token.len() == 20 && token.bytes().all(is_plain) {
                    found.push((SecretKind::AwsKey, run.clone()));
                }
            }
            Some((_, kind, ..)) => found.push((*kind, run.clone())),
            None => {}
        }
        at = run.end + 1;
        if token.len() >= 10 && token.starts_with("eyJ") {
            let part = |from: usize| {
                bytes.get(from).filter(|byte| **byte == b'.')?;
                let length = bytes[from + 1..]
                    .iter()
                    .take_while(|byte| is_of_token(**byte))
                    .count();
                (length >= 4).then_some(from + 1 + length)
            };
            if let Some(end) = part(run.end).and_then(part) {
                found.push((SecretKind::Jwt, run.start..end));
                at = end;
            }
        }
    }
}

/// Credentials behind "Bearer" and behind "Authorization:".
fn after_schemes(text: &str, found: &mut Vec<Secret>) {
    for (at, _) in text.match_indices([' ', '\t']) {
        let word = text.as_bytes()[..at].iter().rev().take(NAME);
        let start = at - word.take_while(|byte| byte.is_ascii_alphabetic()).count();
        let scheme = &text[start..at];
        if !["bearer", "basic", "token"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known))
        {
            continue;
        }
        let before = text[..start].trim_end_matches([' ', '\t', '"', '\'']);
        let is_header = before.ends_with([':', '='])
            && name_before(before.trim_end_matches([':', '=']))
                .is_some_and(|name| name.to_ascii_lowercase().ends_with("authorization"));
        let rest = text[at..].trim_start_matches([' ', '\t']);
        let from = text.len() - rest.len();
        let value = until(rest, |letter| {
            letter.is_whitespace() || "\"'`,;<>".contains(letter)
        });
        let is_long = value.len() >= 16 && value.bytes().any(|byte| byte.is_ascii_digit());
        let is_bare = scheme.eq_ignore_ascii_case("bearer") && is_long;
        if (is_header || is_bare) && value.len() >= 4 && is_value(value) {
            found.push((SecretKind::Authorization, from..from + value.len()));
        }
    }
}

/// Passwords in URLs: `https://user:password@host`.
fn in_urls(text: &str, found: &mut Vec<Secret>) {
    for (at, _) in text.match_indices("://") {
        let from = at + 3;
        let most = text.floor_char_boundary((from + AUTHORITY).min(text.len()));
        let authority = until(&text[from..most], |letter| {
            letter.is_whitespace() || "/?#\"'`<>\\".contains(letter)
        });
        let Some((credentials, _)) = authority.rsplit_once('@') else {
            continue;
        };
        if let Some((user, password)) = credentials.split_once(':')
            && is_value(password)
        {
            let start = from + user.len() + 1;
            found.push((SecretKind::UrlPassword, start..start + password.len()));
        }
    }
}

/// Values of variables, options and fields whose names say that they are secrets.
fn assigned(text: &str, found: &mut Vec<Secret>) {
    let mut from = 0;
    while let Some(at) = text[from..].find(['=', ':']).map(|at| from + at) {
        from = at + 1;
        let is_colon = text.as_bytes()[at] == b':';
        let before = text[..at].trim_end_matches([' ', '"', '\'', '\\']);
        let Some(name) = name_before(before) else {
            continue;
        };
        let before_name = text.as_bytes()[..before.len() - name.len()].last();
        let is_variable = !is_colon && variable_names_secret(name);
        if !is_variable && !names_secret(name) {
            continue;
        }
        let spaced = &text[at + 1..];
        let rest = spaced.trim_start_matches([' ', '\\']);
        let quote = rest.chars().next().filter(|first| "\"'`".contains(*first));
        let is_quoted = quote.is_some();
        // In prose and code, a colon or a sign of equality without quotes means less.
        let may_be = match (is_quoted, is_variable) {
            (true, _) => true,
            (false, true) => rest.len() == spaced.len(),
            (false, false) if is_colon => name.contains('-'),
            (false, false) => matches!(before_name, Some(b'?' | b'&')),
        };
        let rest = if is_quoted { &rest[1..] } else { rest };
        if !may_be || !is_value(rest) {
            continue;
        }
        let value = match quote {
            Some(quote) => until(rest, |letter| letter == quote || "\\\n".contains(letter)),
            None => until(rest, |letter| {
                letter.is_whitespace() || "\"'`&;,)<>\\".contains(letter)
            }),
        };
        let is_secret =
            is_variable || (value.len() >= SHORTEST && !value.contains(char::is_whitespace));
        if is_secret && is_value(value) {
            let start = text.len() - rest.len();
            found.push((SecretKind::Named, start..start + value.len()));
            from = start + value.len();
        }
    }
}

/// The name that a text ends with.
fn name_before(text: &str) -> Option<&str> {
    let bytes = text.as_bytes().iter().rev().take(NAME);
    let length = bytes.take_while(|byte| is_of_token(**byte)).count();
    (length > 0).then(|| &text[text.len() - length..])
}

/// The text up to the first letter that ends it.
fn until(text: &str, is_end: impl Fn(char) -> bool) -> &str {
    &text[..text.find(is_end).unwrap_or(text.len())]
}
