//! Finds passwords in sentences, in the words of several languages, and in commands that take somebody's name and password
//! as words of their own or in one.

use super::shapes::{Secret, is_placeholder, is_random, is_value};
use crate::render::SecretKind;

/// Words for a password, as they begin in lower case and as a sentence begins with them.
const WORDS: [&str; 20] = [
    "password",
    "passw0rd",
    "passcode",
    "passphrase",
    "passwort",
    "kennwort",
    "contraseña",
    "clave",
    "senha",
    "mot de passe",
    "wachtwoord",
    "hasło",
    "parola",
    "пароль",
    "Пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "mật khẩu",
];
/// What stands between such a word and the password.
const BETWEEN: [&str; 11] = [
    " is: ", " is ", " was ", " ist ", " est ", " es ", " : ", ": ", ":", "：", "是",
];
/// Bytes of a line that are looked at before such a word and behind it.
const LONGEST: usize = 120;
/// Shortest password in a sentence, in bytes.
const SHORTEST: usize = 6;

/// Passwords in a line that begins at `start` of the text.
pub(super) fn in_sentences(line: &str, start: usize, found: &mut Vec<Secret>) {
    let lower = line.to_ascii_lowercase();
    for word in WORDS {
        for (at, _) in lower.match_indices(word) {
            let behind = at + word.len();
            let between = BETWEEN
                .iter()
                .find(|words| lower[behind..].starts_with(**words));
            let Some(between) = between else {
                continue;
            };
            let from = behind + between.len();
            let most = line.floor_char_boundary(from.saturating_add(LONGEST).min(line.len()));
            let value = line[from..most].split(char::is_whitespace).next();
            let value = value
                .unwrap_or_default()
                .trim_matches(['.', ',', ';', ')', '"', '\'', '`', '“', '”']);
            // A colon in code has a type or an expression behind it: here only sentences count.
            let before = &line[line.ceil_char_boundary(at.saturating_sub(LONGEST))..at];
            let is_sentence = !between.contains(':') || !word.is_ascii() || is_prose(before);
            let is_code = value.contains(['(', ')', '{', '}', '[', ']', '<', '>', '|', '"', '\'']);
            if is_sentence
                && !is_code
                && value.len() >= SHORTEST
                && is_random(value)
                && is_value(value)
                && !is_placeholder(word, value)
            {
                push(line, start, value, found);
            }
        }
    }
}

/// Whether a line begins with words of a sentence, or with nothing.
fn is_prose(before: &str) -> bool {
    before
        .chars()
        .all(|letter| letter.is_alphabetic() || " ,.'-*>".contains(letter))
        && (before.trim().is_empty() || before.ends_with(' '))
}

/// Passwords of commands in a line that begins at `start` of the text.
pub(super) fn in_commands(line: &str, start: usize, found: &mut Vec<Secret>) {
    let words: Vec<&str> = line.split_ascii_whitespace().take(64).collect();
    let has = |name: &str| {
        words
            .iter()
            .any(|word| word.trim_matches(['"', '\'', '`']) == name)
    };
    let behind = |wanted: &str, more: usize| {
        let at = words.iter().position(|word| *word == wanted);
        at.and_then(|at| words.get(at + more).copied())
    };
    let value = if has("chpasswd") {
        words.iter().find_map(|word| second(word, ':'))
    } else if has("smbclient") {
        behind("-U", 1).and_then(|word| second(word, '%'))
    } else if has("rabbitmqctl") {
        behind("change_password", 2).or_else(|| behind("add_user", 2))
    } else if has("net") && has("use") {
        let at = words.iter().position(|word| word.starts_with("/user:"));
        let next = at.and_then(|at| words.get(at + 1).copied());
        next.filter(|next| !next.starts_with('/'))
    } else {
        None
    };
    if let Some(value) = value.map(|value| value.trim_matches(['"', '\'']))
        && value.len() >= 4
        && is_value(value)
        && !is_placeholder("", value)
    {
        push(line, start, value, found);
    }
}

/// What stands in a word behind a separator.
fn second(word: &str, separator: char) -> Option<&str> {
    word.split_once(separator).map(|(_, second)| second)
}

/// Takes a part of the line as a secret.
fn push(line: &str, start: usize, value: &str, found: &mut Vec<Secret>) {
    let at = start + value.as_ptr().addr() - line.as_ptr().addr();
    found.push((SecretKind::Named, at..at + value.len()));
}
