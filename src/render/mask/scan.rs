//! Finds secrets in a text, by their known shapes and by the words before them (`named.rs`).
//!
//! Texts are agents' output of any length, so the time is linear in the length: each rule looks at a byte a bounded
//! number of times, and looks back at most [`NAME`] bytes.
//!
//! Long because each kind of token is a rule.

use super::named::named;
use super::shapes::{
    NAME, Secret, Token, is_of, is_of_token, is_value, known_tokens, name_before, until,
};
use crate::render::SecretKind;
use std::sync::LazyLock;

/// Bytes of a token that are looked at to tell whether it is one, unless the least length is more.
const CHECKED: usize = 64;
/// Longest authority of a URL, in bytes.
const AUTHORITY: usize = 1024;
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
    webhooks(text, &mut found);
    named(text, &mut found);
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
        if !text[from..end_of_label].contains("PRIVATE KEY") {
            continue;
        }
        let end = text[end_of_label..]
            .find("-----END ")
            .map(|end| end_of_label + end + 9);
        let end = end.and_then(|end| Some(end + text[end..].find("-----")? + 5));
        from = end.unwrap_or(text.len());
        found.push((SecretKind::PrivateKey, at..from));
    }
    // Those of PuTTY: the number of their lines, and the lines.
    for (at, word) in text.match_indices("Private-Lines: ") {
        let behind = &text[at + word.len()..];
        let number: String = behind
            .chars()
            .take(4)
            .take_while(char::is_ascii_digit)
            .collect();
        let Ok(number) = number.parse::<usize>() else {
            continue;
        };
        let start = text.len() - behind.len() + number.to_string().len();
        let mut lines = text[start..].split_inclusive('\n').take(number + 1);
        let first = lines.next().unwrap_or_default().len();
        let length: usize = lines.map(str::len).sum();
        let end = start + first + text[start + first..][..length].trim_end().len();
        if end > start + first && is_value(&text[start + first..end]) {
            found.push((SecretKind::PrivateKey, start + first..end));
        }
    }
}

/// The known tokens by their first byte.
static BY_FIRST: LazyLock<Vec<Vec<Token>>> = LazyLock::new(|| {
    let mut by_first = vec![Vec::new(); 256];
    for token in known_tokens() {
        by_first[usize::from(token.0.as_bytes()[0])].push(token);
    }
    by_first
});

/// Tokens with a known beginning, and JSON Web Tokens.
fn tokens(text: &str, found: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_begin = at == 0 || !is_of_token(bytes[at - 1]);
        if !is_begin || !(is_of_token(bytes[at]) || bytes[at] == b'$') {
            at += 1;
            continue;
        }
        let known = BY_FIRST[usize::from(bytes[at])].iter();
        let ends = known.filter_map(|token| Some((token.1, end_of_token(text, at, token)?)));
        let known = ends.max_by_key(|(_, end)| *end);
        let end = known.or_else(|| Some((SecretKind::Jwt, jwt(bytes, at)?)));
        let end = end.or_else(|| Some((SecretKind::ApiKey, structured(bytes, at)?)));
        let end = end.or_else(|| Some((SecretKind::ApiKey, prefixed(bytes, at)?)));
        match end {
            Some((kind, end)) => {
                found.push((kind, at..end));
                at = end;
            }
            None => {
                at += bytes[at..]
                    .iter()
                    .take_while(|byte| is_of_token(**byte))
                    .count()
                    .max(1)
            }
        }
    }
}

/// The end of a token that begins here, if it is this one.
fn end_of_token(text: &str, at: usize, (start, kind, least, alphabet): &Token) -> Option<usize> {
    let rest = text[at..].strip_prefix(start)?;
    let run = |most: usize| {
        rest.bytes()
            .take(most)
            .take_while(|byte| is_of(alphabet, *byte))
            .count()
    };
    let length = run(CHECKED.max(*least));
    let token = &rest[..length];
    // Random texts of this length have a digit; words and names mostly have none.
    let needs_digit = !alphabet.starts_with(['a', 'w']);
    let is_whole = start.len() + length >= *least
        && (!needs_digit || token.bytes().any(|byte| byte.is_ascii_digit()));
    // Ids of AWS keys have one length.
    let is_other = *kind == SecretKind::AwsKey
        && *least == 20
        && (start.len() + length != 20 || !token.bytes().all(|byte| is_of("u", byte)));
    (is_whole && !is_other).then(|| at + start.len() + run(usize::MAX))
}

/// The end of a JSON Web Token that begins here.
fn jwt(bytes: &[u8], at: usize) -> Option<usize> {
    let run = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| is_of_token(**byte))
            .count()
    };
    let part = |from: usize| {
        bytes.get(from).filter(|byte| **byte == b'.')?;
        let length = run(from + 1);
        (length >= 4).then_some(from + 1 + length)
    };
    let first = run(at);
    let is_head = bytes[at..].starts_with(b"eyJ") && first >= 10;
    is_head.then(|| part(at + first).and_then(part))?
}

/// The end of a token that is known by its parts alone: of Discord and Telegram bots, of Azure, of Mailchimp, and of
/// Terraform.
fn structured(bytes: &[u8], at: usize) -> Option<usize> {
    // In an address the word stands before it.
    let at = at
        + if bytes[at..].starts_with(b"bot") {
            3
        } else {
            0
        };
    let run = |from: usize, more: &[u8]| {
        let rest = bytes
            .get(from..)
            .unwrap_or_default()
            .iter()
            .take(LONGEST_PARTS);
        rest.take_while(|byte| is_of_token(**byte) || more.contains(byte))
            .count()
    };
    let first = run(at, b"");
    let next = bytes.get(at + first).copied();
    let is_digits = || bytes[at..at + first].iter().all(u8::is_ascii_digit);
    match (first, next) {
        (8..=12, Some(b':')) if is_digits() => {
            let token = run(at + first + 1, b"");
            let is_token = token == 35 && bytes[at + first + 1..].starts_with(b"AA");
            is_token.then_some(at + first + 1 + token)
        }
        (23..=28, Some(b'.')) if b"MNO".contains(&bytes[at]) => {
            let (time, code) = (run(at + first + 1, b""), run(at + first + 8, b""));
            let is_token =
                time == 6 && bytes.get(at + first + 7) == Some(&b'.') && (27..=40).contains(&code);
            is_token.then_some(at + first + 8 + code)
        }
        (14, Some(b'.')) if bytes[at + 15..].starts_with(b"atlasv1.") => {
            let rest = run(at + 23, b"");
            (rest >= 60).then_some(at + 23 + rest)
        }
        (36..=38, _) if bytes[at..at + 32].iter().all(u8::is_ascii_hexdigit) => {
            let region = bytes[at + 32..at + first].strip_prefix(b"-us")?;
            region.iter().all(u8::is_ascii_digit).then_some(at + first)
        }
        (5, Some(b'~')) if bytes[at + 3].is_ascii_digit() && bytes[at + 4] == b'Q' => {
            let length = run(at, b"~.");
            // A full stop behind it ends a sentence.
            let length = length - usize::from(bytes[at + length - 1] == b'.');
            (37..=40).contains(&length).then_some(at + length)
        }
        _ => None,
    }
}

/// The end of a token of a vendor that is not known: a short word, an underscore, and random letters and digits.
fn prefixed(bytes: &[u8], at: usize) -> Option<usize> {
    const LEAST: usize = 30;
    let rest = &bytes[at..bytes.len().min(at + LONGEST_PARTS)];
    let word = rest.iter().take_while(|byte| byte.is_ascii_lowercase());
    let word = word.count();
    let is_word = (2..=10).contains(&word) && rest.get(word) == Some(&b'_');
    let token = rest.get(word + 1..).unwrap_or_default().iter();
    let token: Vec<u8> = token
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .copied()
        .collect();
    let count = |of: fn(&u8) -> bool| token.iter().filter(|byte| of(byte)).count();
    let is_random = token.len() >= LEAST
        && count(u8::is_ascii_digit) >= 2
        && count(u8::is_ascii_uppercase) >= 3
        && count(u8::is_ascii_lowercase) >= 3;
    let end = at + word + 1 + token.len();
    let is_whole = bytes.get(end).is_none_or(|next| !is_of_token(*next));
    (is_word && is_random && is_whole).then_some(end)
}

/// Longest of the tokens that are known by their parts.
const LONGEST_PARTS: usize = 128;

/// Addresses to which anybody who knows them can post.
fn webhooks(text: &str, found: &mut Vec<Secret>) {
    const PLACES: [&str; 5] = [
        "hooks.slack.com/services/",
        "hooks.slack.com/workflows/",
        "discord.com/api/webhooks/",
        "discordapp.com/api/webhooks/",
        "webhook.office.com/webhookb2/",
    ];
    for place in PLACES {
        for (at, _) in text.match_indices(place) {
            let from = at + place.len();
            let path = until(&text[from..], |letter| {
                letter.is_whitespace() || "\"'`<>)\\".contains(letter)
            });
            if path.len() >= 20 && is_value(path) {
                found.push((SecretKind::ApiKey, from..from + path.len()));
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
        let is_known = ["bearer", "basic", "token"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known));
        if scheme.is_empty() {
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
        let is_header = is_header && (is_known || is_long);
        if (is_header || is_bare) && value.len() >= 4 && is_value(value) {
            found.push((SecretKind::Authorization, from..from + value.len()));
        }
    }
}

/// Whether the name in a URL is a key rather than somebody's name.
fn is_random_name(name: &str) -> bool {
    name.len() >= 20
        && name.bytes().filter(u8::is_ascii_digit).count() >= 3
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && name.bytes().all(is_of_token)
}

/// Passwords in URLs: `https://user:password@host`, `https://key@host`.
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
        // A name alone is a secret if it is a random one.
        let (user, password) = match credentials.split_once(':') {
            Some((key, "x-oauth-basic")) => (0, key),
            Some((user, password)) => (user.len() + 1, password),
            None if is_random_name(credentials) => (0, credentials),
            None => continue,
        };
        if is_value(password) {
            let start = from + user;
            found.push((SecretKind::UrlPassword, start..start + password.len()));
        }
    }
}
