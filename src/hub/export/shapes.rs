//! What secrets look like: the beginnings of tokens, and the names that stand before secrets.

use crate::live::SecretKind;

/// Begins each text that stands in place of a secret. What is masked is not masked again.
pub(super) const MASKED: &str = "[masked:";

/// Longest name of a variable or field, in bytes.
pub(super) const NAME: usize = 64;

/// Beginnings of tokens: the beginning, the kind, the least length with it, and whether a digit must occur.
pub(super) const TOKENS: [(&str, SecretKind, usize, bool); 24] = [
    ("sk-", SecretKind::ApiKey, 20, true),
    ("sk_live_", SecretKind::ApiKey, 20, true),
    ("rk_live_", SecretKind::ApiKey, 20, true),
    ("AIza", SecretKind::ApiKey, 35, false),
    ("hf_", SecretKind::ApiKey, 24, false),
    ("gsk_", SecretKind::ApiKey, 24, true),
    ("npm_", SecretKind::ApiKey, 36, true),
    ("pypi-", SecretKind::ApiKey, 40, true),
    ("dckr_pat_", SecretKind::ApiKey, 24, false),
    ("ghp_", SecretKind::RepositoryToken, 24, false),
    ("gho_", SecretKind::RepositoryToken, 24, false),
    ("ghu_", SecretKind::RepositoryToken, 24, false),
    ("ghs_", SecretKind::RepositoryToken, 24, false),
    ("ghr_", SecretKind::RepositoryToken, 24, false),
    ("github_pat_", SecretKind::RepositoryToken, 24, false),
    ("glpat-", SecretKind::RepositoryToken, 20, false),
    ("AKIA", SecretKind::AwsKey, 20, false),
    ("ASIA", SecretKind::AwsKey, 20, false),
    ("xoxb-", SecretKind::SlackToken, 16, true),
    ("xoxp-", SecretKind::SlackToken, 16, true),
    ("xoxa-", SecretKind::SlackToken, 16, true),
    ("xoxr-", SecretKind::SlackToken, 16, true),
    ("xoxs-", SecretKind::SlackToken, 16, true),
    ("xapp-", SecretKind::SlackToken, 16, true),
];

/// Ends of names that say that a secret follows, in lower case and with underscores.
const NAMES: [&str; 12] = [
    "api_key",
    "apikey",
    "secret",
    "secret_key",
    "access_key",
    "access_key_id",
    "private_key",
    "password",
    "passwd",
    "passphrase",
    "_token",
    "authorization",
];

/// Whether the name of a field says that its value is a secret.
pub(super) fn names_secret(name: &str) -> bool {
    if name.len() > NAME {
        return false;
    }
    let name = name.to_ascii_lowercase().replace('-', "_");
    name == "token" || NAMES.iter().any(|end| name.ends_with(end))
}

/// Whether the name of an environment variable says so. In capital letters, more of them do.
pub(super) fn variable_names_secret(name: &str) -> bool {
    let is_capital = name.bytes().any(|byte| byte.is_ascii_uppercase())
        && !name.bytes().any(|byte| byte.is_ascii_lowercase());
    let ends = [
        "_TOKEN", "_KEY", "_SECRET", "PASSWORD", "PASSWD", "_PASS", "_PWD",
    ];
    let words = ["TOKEN", "KEY", "SECRET", "APIKEY"];
    is_capital && (words.contains(&name) || ends.iter().any(|end| name.ends_with(end)))
}

/// Whether a value that follows such a name can be a secret, rather than a reference or what is masked already.
pub(super) fn is_value(value: &str) -> bool {
    !value.is_empty()
        && !value.starts_with(MASKED)
        && !value.starts_with(['$', '<', '{'])
        && !value.bytes().all(|byte| byte == b'*' || byte == b'.')
}
