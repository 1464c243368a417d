//! What secrets look like: the beginnings of tokens, and the names that stand before secrets.
//!
//! Long because of its tables.

use crate::live::SecretKind;
use std::ops::Range;

/// A secret: its kind, and its bytes in the text.
pub(super) type Secret = (SecretKind, Range<usize>);

/// Begins each text that stands in place of a secret. What is masked is not masked again.
pub(super) const MASKED: &str = "[masked:";

/// Longest name of a variable or field, in bytes.
pub(super) const NAME: usize = 64;

/// Tokens beside those that gitleaks knows, or knows only by their whole length; the same columns. `w` needs no digit.
pub(super) const TOKENS: [(&str, SecretKind, usize, &str); 67] = [
    // Our own.
    ("handrail_", SecretKind::ApiKey, 40, "w_-"),
    ("sk-", SecretKind::ApiKey, 20, "n_-"),
    ("AIza", SecretKind::ApiKey, 35, "w_-"),
    ("hf_", SecretKind::ApiKey, 24, "w_-"),
    ("gsk_", SecretKind::ApiKey, 24, "n_-"),
    ("npm_", SecretKind::ApiKey, 36, "n_-"),
    ("pypi-", SecretKind::ApiKey, 40, "n_-"),
    ("dckr_pat_", SecretKind::ApiKey, 24, "w_-"),
    ("dckr_oat_", SecretKind::ApiKey, 24, "w_-"),
    ("ghp_", SecretKind::RepositoryToken, 24, "w_-"),
    ("gho_", SecretKind::RepositoryToken, 24, "w_-"),
    ("ghu_", SecretKind::RepositoryToken, 24, "w_-"),
    ("ghs_", SecretKind::RepositoryToken, 24, "w_-"),
    ("ghr_", SecretKind::RepositoryToken, 24, "w_-"),
    ("github_pat_", SecretKind::RepositoryToken, 24, "w_-"),
    ("glpat-", SecretKind::RepositoryToken, 20, "w_-."),
    ("ATBB", SecretKind::RepositoryToken, 32, "n="),
    ("ATCTT3", SecretKind::RepositoryToken, 60, "n_-="),
    ("ATATT3", SecretKind::ApiKey, 60, "n_-="),
    ("AKIA", SecretKind::AwsKey, 20, "w_-"),
    ("ASIA", SecretKind::AwsKey, 20, "w_-"),
    ("amzn.mws.", SecretKind::ApiKey, 40, "x-"),
    ("xoxb-", SecretKind::SlackToken, 16, "n_-"),
    ("xoxp-", SecretKind::SlackToken, 16, "n_-"),
    ("xoxa-", SecretKind::SlackToken, 16, "n_-"),
    ("xoxr-", SecretKind::SlackToken, 16, "n_-"),
    ("xoxs-", SecretKind::SlackToken, 16, "n_-"),
    ("xapp-", SecretKind::SlackToken, 16, "n_-"),
    ("xoxe.xox", SecretKind::SlackToken, 40, "n-."),
    ("ya29.", SecretKind::ApiKey, 25, "n_-."),
    ("1//0", SecretKind::ApiKey, 40, "n_-"),
    ("GOCSPX-", SecretKind::ApiKey, 28, "w_-"),
    ("AAAA", SecretKind::ApiKey, 140, "n_-:"),
    ("whsec_", SecretKind::ApiKey, 24, "n+/="),
    ("sq0csp-", SecretKind::ApiKey, 40, "n_-"),
    ("EAACEdEose0cBA", SecretKind::ApiKey, 30, "n"),
    ("r8_", SecretKind::ApiKey, 36, "n"),
    ("xai-", SecretKind::ApiKey, 60, "n"),
    ("nvapi-", SecretKind::ApiKey, 40, "n_-"),
    ("sntrys_", SecretKind::ApiKey, 60, "n+/=_"),
    ("sntryu_", SecretKind::ApiKey, 60, "n+/=_"),
    ("tvly-", SecretKind::ApiKey, 20, "n-"),
    ("fc-", SecretKind::ApiKey, 35, "x"),
    ("cio", SecretKind::ApiKey, 35, "n"),
    ("oy2", SecretKind::ApiKey, 46, "n"),
    ("sbp_", SecretKind::ApiKey, 44, "x"),
    ("sb_secret_", SecretKind::ApiKey, 30, "n_-"),
    ("phx_", SecretKind::ApiKey, 40, "n"),
    ("ntn_", SecretKind::ApiKey, 40, "n"),
    ("secret_", SecretKind::ApiKey, 45, "n"),
    ("figd_", SecretKind::ApiKey, 40, "n_-"),
    ("rnd_", SecretKind::ApiKey, 30, "n"),
    ("tskey-", SecretKind::ApiKey, 24, "n-"),
    ("lsv2_", SecretKind::ApiKey, 40, "n_"),
    ("pcsk_", SecretKind::ApiKey, 40, "n_"),
    ("PRIVATE-TOKEN-", SecretKind::ApiKey, 30, "n"),
    ("SK", SecretKind::ApiKey, 34, "x"),
    ("key-", SecretKind::ApiKey, 36, "x"),
    ("NRAK-", SecretKind::ApiKey, 32, "n"),
    ("NRII-", SecretKind::ApiKey, 37, "n-"),
    // Hashes of passwords, which can be guessed.
    ("$1$", SecretKind::Named, 22, "w./$"),
    ("$5$", SecretKind::Named, 40, "w./$="),
    ("$6$", SecretKind::Named, 40, "w./$="),
    ("$2a$", SecretKind::Named, 50, "w./$"),
    ("$2b$", SecretKind::Named, 50, "w./$"),
    ("$2y$", SecretKind::Named, 50, "w./$"),
    ("$argon2", SecretKind::Named, 40, "w./$=,+"),
];

/// Ends of names that say that a secret follows, in lower case and with underscores.
const NAMES: [&str; 35] = [
    "api_key",
    "apikey",
    "secret",
    "secret_key",
    "secret_key_base",
    "secretkey",
    "access_key",
    "accesskey",
    "access_key_id",
    "account_key",
    "accountkey",
    "private_key",
    "privatekey",
    "signing_key",
    "encryption_key",
    "master_key",
    "shared_key",
    "storage_key",
    "service_key",
    "auth_key",
    "app_key",
    "admin_key",
    "license_key",
    "webhook_key",
    "deploy_key",
    "write_key",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "_token",
    "authtoken",
    "accesstoken",
    "authorization",
    "credentials",
];
/// Whole names of secrets, and ends of names behind an underscore.
const WHOLE: [&str; 8] = [
    "token", "pass", "pwd", "psk", "pat", "auth", "bearer", "sas",
];
/// Names that only look as if a secret followed: what follows is a count, a kind, or a public part.
const HARMLESS: [&str; 9] = [
    "max_token",
    "next_token",
    "page_token",
    "continuation_token",
    "public_key",
    "csrf_token",
    "stop_token",
    "pad_token",
    "eos_token",
];

/// A name in lower case, with underscores between its words.
pub(super) fn plain_name(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    let mut was_small = false;
    for letter in name.trim_start_matches('-').chars() {
        if letter.is_ascii_uppercase() && was_small {
            plain.push('_');
        }
        was_small = letter.is_ascii_lowercase();
        plain.push(if letter == '-' {
            '_'
        } else {
            letter.to_ascii_lowercase()
        });
    }
    plain
}

/// Whether the name of a field says that its value is a secret.
pub(super) fn names_secret(name: &str) -> bool {
    if name.len() > NAME {
        return false;
    }
    let name = plain_name(name);
    let is_whole = |word: &&str| {
        let rest = name.strip_suffix(*word);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
    };
    !HARMLESS.iter().any(|harmless| name.ends_with(harmless))
        && (NAMES.iter().any(|end| name.ends_with(end)) || WHOLE.iter().any(is_whole))
}

/// Whether the name is that of a password, which people choose: it may be short, and a word.
pub(super) fn is_password(name: &str) -> bool {
    let name = plain_name(name);
    [
        "password",
        "passwd",
        "passphrase",
        "pass",
        "pwd",
        "passcode",
        "psk",
    ]
    .iter()
    .any(|end| name.ends_with(end))
}

/// Whether a value is a type, a name or an example rather than a secret.
pub(super) fn is_placeholder(name: &str, value: &str) -> bool {
    const WORDS: [&str; 58] = [
        "string",
        "str",
        "text",
        "bytes",
        "bool",
        "boolean",
        "int",
        "integer",
        "number",
        "float",
        "object",
        "any",
        "void",
        "unknown",
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "optional",
        "required",
        "default",
        "empty",
        "self",
        "this",
        "value",
        "values",
        "test",
        "example",
        "placeholder",
        "redacted",
        "hidden",
        "masked",
        "bearer",
        "basic",
        "digest",
        "option",
        "options",
        "flag",
        "argument",
        "field",
        "input",
        "prompt",
        "file",
        "path",
        "from",
        "with",
        "must",
        "should",
        "into",
        "that",
        "when",
        "type",
        "name",
        "char",
        "static",
        "const",
    ];
    let plain = plain_name(value.trim_end_matches([',', ';', '.', '!', '?']));
    let is_word = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    };
    let is_capital = value.len() >= 2
        && value
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    WORDS.contains(&plain.as_str())
        || is_capital
        || plain == plain_name(name)
        || (is_word(&plain)
            && (names_secret(&plain)
                || ["token", "secret", "password", "_key"]
                    .iter()
                    .any(|word| plain.contains(word))
                || ["your_", "my_", "the_", "some_", "get_", "env_"]
                    .iter()
                    .any(|start| plain.starts_with(start))))
        || value.contains("${")
        || value.contains("{{")
        || value.contains("%s")
        || value.contains("%(")
        || (plain_name(name) == "pwd" && value.starts_with('/'))
        || value
            .rsplit_once('.')
            .is_some_and(|(_, last)| names_secret(last))
        || [
            "os.environ",
            "process.env",
            "env.",
            "self.",
            "this.",
            "config.",
            "settings.",
            "args.",
            "options.",
        ]
        .iter()
        .any(|start| value.starts_with(start))
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

/// Whether a byte belongs to a token or a name.
pub(super) fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether a byte belongs to an alphabet, as the table of tokens names it.
pub(super) fn is_of(alphabet: &str, byte: u8) -> bool {
    let (base, more) = alphabet
        .as_bytes()
        .split_first()
        .expect("each alphabet has a base");
    more.contains(&byte)
        || match base {
            b'd' => byte.is_ascii_digit(),
            b'x' => byte.is_ascii_hexdigit(),
            b'a' => byte.is_ascii_alphabetic(),
            b'u' => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            _ => byte.is_ascii_alphanumeric(),
        }
}

/// The name that a text ends with.
pub(super) fn name_before(text: &str) -> Option<&str> {
    let bytes = text.as_bytes().iter().rev().take(NAME);
    let length = bytes.take_while(|byte| is_of_token(**byte)).count();
    (length > 0).then(|| &text[text.len() - length..])
}

/// The text up to the first letter that ends it.
pub(super) fn until(text: &str, is_end: impl Fn(char) -> bool) -> &str {
    &text[..text.find(is_end).unwrap_or(text.len())]
}
