//! What secrets look like: the beginnings of tokens, and the names that stand before secrets.

use crate::render::SecretKind;
use std::ops::Range;
use std::sync::LazyLock;

/// A secret: its kind, and its bytes in the text.
pub(super) type Secret = (SecretKind, Range<usize>);

/// Begins each text that stands in place of a secret. What is masked is not masked again.
pub(super) const MASKED: &str = "[masked:";

/// Longest name of a variable or field, in bytes.
pub(super) const NAME: usize = 64;

/// A row of the tables: the beginning of a token, its kind, its least length and its alphabet.
pub(super) type Token = (&'static str, SecretKind, usize, &'static str);

/// The tokens with a known beginning: those of `tokens.txt`, and of the rules of gitleaks.
pub(super) fn known_tokens() -> impl Iterator<Item = Token> {
    let tables = [
        include_str!("tokens.txt"),
        include_str!("gitleaks_tokens.txt"),
    ];
    tables.into_iter().flat_map(rows).map(|row| {
        let kind = serde_json::from_value(row[1].into()).expect("the table has kinds of secrets");
        (row[0], kind, length(row[2]), row[3])
    })
}

/// The rows of a table as their columns: its lines without comments.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').collect())
}

/// The words of a list.
fn words(list: &'static str) -> Vec<&'static str> {
    list.split(' ').collect()
}

/// A length in a table.
pub(super) fn length(column: &str) -> usize {
    column.parse().expect("the table has lengths")
}

/// Ends of names that say that a secret follows, in lower case and with underscores.
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "api_key apikey secret secret_key secret_key_base secretkey access_key accesskey access_key_id \
         account_key accountkey private_key privatekey signing_key encryption_key master_key shared_key \
         storage_key service_key key_data identitytoken auth_key app_key admin_key license_key webhook_key deploy_key write_key \
         password passwd passphrase passcode _token authtoken accesstoken authorization credentials",
    )
});
/// Whole names of secrets, and ends of names behind an underscore.
static WHOLE: LazyLock<Vec<&str>> =
    LazyLock::new(|| words("token pass pwd psk pat auth bearer sas"));
/// Ends of names of passwords.
static PASSWORDS: LazyLock<Vec<&str>> =
    LazyLock::new(|| words("password passwd passphrase pass pwd passcode psk"));
/// Names that only look as if a secret followed: what follows is a count, a kind, or a public part.
static HARMLESS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    words(
        "max_token next_token page_token continuation_token public_key csrf_token stop_token pad_token \
         eos_token",
    )
});

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
    PASSWORDS.iter().any(|end| name.ends_with(end))
}

/// Whether a value is a type, a name or an example rather than a secret.
pub(super) fn is_placeholder(name: &str, value: &str) -> bool {
    static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        words(
            "string str text bytes bool boolean int integer number float object any void unknown none null \
             nil true false undefined optional required default empty self this value values test example \
             placeholder redacted hidden masked bearer basic digest option options flag argument field input \
             prompt file path from with must should into that when type name char static const",
        )
    });
    const STARTS: &str = "your_ my_ the_ some_ get_ env_";
    const EXPRESSIONS: &str =
        "os.environ process.env env. self. this. config. settings. args. options.";
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
                || "token secret password _key"
                    .split(' ')
                    .any(|word| plain.contains(word))
                || STARTS.split(' ').any(|start| plain.starts_with(start))))
        || value.contains("${")
        || value.contains("{{")
        || value.contains("%s")
        || value.contains("%(")
        || (plain_name(name) == "pwd" && value.starts_with('/'))
        || value
            .rsplit_once('.')
            .is_some_and(|(_, last)| names_secret(last))
        || EXPRESSIONS.split(' ').any(|start| value.starts_with(start))
}

/// Whether a word is no word of a language: digits among letters, or signs.
pub(super) fn is_random(value: &str) -> bool {
    let is_sign = |byte: u8| b"!@#$%^*+/=~?".contains(&byte);
    value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        || value.bytes().any(is_sign)
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
