//! Finds secrets by what stands before them: names of fields, variables and options, and commands that take passwords.
//!
//! A quoted value, or one in a line that is nothing but a name and a value, is taken for a secret if its name says so. In code
//! an identifier follows such a name more often than a secret does, so a bare word must look like neither.
//!
//! Long because each way of writing a secret is a rule.

use super::prose::{in_commands, in_sentences};
use super::shapes::{
    Secret, is_of, is_password, is_placeholder, is_random, is_value, length, name_before,
    names_secret, plain_name, rows, until, variable_names_secret,
};
use crate::render::SecretKind;
use std::sync::LazyLock;

/// Shortest value of a field whose name says that it is a secret: "on" and "none" are no secrets.
const SHORTEST: usize = 6;
/// The same of a password.
const SHORTEST_PASSWORD: usize = 4;
/// Shortest name of a secret: `pwd`, `pat`.
const SHORTEST_NAME: usize = 3;
/// Bytes of a value that are looked at to tell whether it is a secret.
const LONGEST_VALUE: usize = 300;
/// Bytes of a line before a name that are looked at.
const BEFORE: usize = 120;
/// Longest distance between a name that is itself a value and its value, in bytes (`name: TOKEN`, `value: …`).
const APART: usize = 40;

/// What gitleaks knows by names: a word in the name, the beginning of the value, its least length, and its alphabet.
static NAMED: LazyLock<Vec<(&str, &str, usize, &str)>> = LazyLock::new(|| {
    let rows = rows(include_str!("gitleaks_names.txt"));
    rows.map(|row| {
        (
            row[0],
            row.get(3).copied().unwrap_or(""),
            length(row[1]),
            row[2],
        )
    })
    .collect()
});

/// Secrets in a text by the words before them.
pub(super) fn named(text: &str, found: &mut Vec<Secret>) {
    let mut start = 0;
    let mut netrc = 0;
    let mut secrets_of_kubernetes = None;
    for line in text.split_inclusive('\n') {
        let line = Line {
            text,
            start,
            end: start + line.trim_end_matches(['\n', '\r']).len(),
        };
        line.assigned(found);
        line.options(found);
        line.commands(found);
        line.cookies(found);
        line.phrases(found);
        line.netrc(&mut netrc, found);
        line.pgpass(found);
        line.directive(found);
        in_sentences(line.line(), line.start, found);
        in_commands(line.line(), line.start, found);
        line.kubernetes(&mut secrets_of_kubernetes, found);
        start = line.end + text[line.end..].find('\n').map_or(0, |length| length + 1);
    }
}

/// A line of a text.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

/// A value behind a name: where it is in the text, and its first [`LONGEST_VALUE`] bytes.
struct Found<'t> {
    value: &'t str,
    at: usize,
    is_quoted: bool,
}

impl<'t> Line<'t> {
    fn line(self) -> &'t str {
        &self.text[self.start..self.end]
    }

    fn lower(self) -> String {
        self.line().to_ascii_lowercase()
    }

    /// Takes a value as a secret; returns its end. One that is longer than what was looked at ends with the word.
    fn push(self, found: &mut Vec<Secret>, at: usize, value: &str) -> usize {
        let mut end = at + value.len();
        if value.len() >= LONGEST_VALUE - 4 {
            end += until(&self.text[end..self.end], |letter| {
                letter.is_whitespace() || "\"'`<>\\".contains(letter)
            })
            .len();
        }
        if is_value(value) {
            found.push((SecretKind::Named, at..end));
        }
        end
    }

    /// The value that begins at this place of the text, behind spaces and perhaps a quotation mark.
    fn value(self, from: usize) -> Found<'t> {
        let rest = &self.text[from..self.end];
        let trimmed = rest.trim_start_matches([' ', '\t', '\\']);
        let mut at = from + rest.len() - trimmed.len();
        let mut bytes = trimmed.bytes();
        // Marks of texts in Python, Rust and C#.
        let is_marked = matches!(bytes.next(), Some(b'b' | b'r' | b'f' | b'u' | b'@'))
            && matches!(bytes.next(), Some(b'"' | b'\''));
        at += usize::from(is_marked);
        let most = self
            .text
            .floor_char_boundary((at + LONGEST_VALUE).min(self.end))
            .max(at);
        let rest = &self.text[at..most];
        match rest.chars().next().filter(|first| "\"'`".contains(*first)) {
            Some(quote) => {
                let value = until(&rest[1..], |letter| letter == quote || letter == '\\');
                Found {
                    value,
                    at: at + 1,
                    is_quoted: true,
                }
            }
            None => {
                let is_end =
                    |letter: char| letter.is_whitespace() || "\"'`&;,)<>\\".contains(letter);
                Found {
                    value: until(rest, is_end),
                    at,
                    is_quoted: false,
                }
            }
        }
    }

    /// Values behind a name: `NAME=value`, `"name": "value"`, `name: value`, `--name=value`, `?name=value`, `<name>value<`.
    fn assigned(self, found: &mut Vec<Secret>) {
        let line = self.line();
        let mut from = 0;
        while let Some(at) = line[from..].find(['=', ':', '>', '(']).map(|at| from + at) {
            let sign = line.as_bytes()[at];
            let next = line.as_bytes().get(at + 1).copied().unwrap_or(b' ');
            from = at + 1;
            let behind = match (sign, next) {
                // Paths and comparisons.
                (b':', b':') | (b'=', b'=') => {
                    from += 1;
                    continue;
                }
                (b':', b'=') | (b'=', b'>') => at + 2,
                (b'=', _) if at > 0 && b"!<>".contains(&line.as_bytes()[at - 1]) => continue,
                _ => at + 1,
            };
            from = behind;
            let closing: &[char] = if sign == b'(' {
                &[]
            } else {
                &[' ', '\t', '"', '\'', '\\', '`', ']']
            };
            let least = line.floor_char_boundary(at.saturating_sub(BEFORE));
            let before = line[least..at].trim_end_matches(closing);
            let Some(name) = named_before(before, sign) else {
                continue;
            };
            let is_begin = least == 0;
            if let Some(end) =
                self.behind(name, (sign, is_begin), self.start + behind, before, found)
            {
                from = (end - self.start).max(from).min(line.len());
            }
        }
    }

    /// Takes the value behind a name if it is a secret; returns its end.
    fn behind(
        self,
        name: &str,
        (sign, is_begin): (u8, bool),
        from: usize,
        before: &str,
        found: &mut Vec<Secret>,
    ) -> Option<usize> {
        if name.len() < SHORTEST_NAME {
            return None;
        }
        let spaced = self
            .text
            .as_bytes()
            .get(from)
            .is_some_and(|byte| b" \t".contains(byte));
        let start = before.rfind(name).unwrap_or(0);
        let is_in_query = before[..start].ends_with(['?', '&']);
        let is_variable = sign == b'=' && variable_names_secret(name);
        let is_known = names_secret(name) || is_in_query && is_signature(name);
        let is_name = ["name", "key"].contains(&plain_name(name).as_str());
        if !is_variable && !is_known && !is_name && (sign == b'(' || !has_vendor(name)) {
            return None;
        }
        let Found {
            value,
            at,
            is_quoted,
        } = self.value(from);
        if is_name && (names_secret(value) || variable_names_secret(value)) {
            return self.value_apart(at + value.len(), found);
        }
        if !is_variable && !is_known {
            return is_of_vendor(name, value).then(|| self.push(found, at, value));
        }
        let is_secret = match sign {
            b'>' => {
                let is_element = before[..start].ends_with('<')
                    && self.text[at + value.len()..].starts_with('<');
                is_element && is_quoted_secret(name, value)
            }
            b'(' => {
                is_quoted && is_password(name) && is_quoted_secret(name, value) && is_random(value)
            }
            _ if is_variable && (is_quoted || !spaced) => true,
            _ if is_quoted => is_quoted_secret(name, value),
            b'=' if is_in_query => value.len() >= SHORTEST,
            b'=' if is_password(name) && is_set_by_command(&before[..start]) => {
                value.len() >= SHORTEST_PASSWORD && !is_placeholder(name, value)
            }
            b'=' if name.starts_with("--") => !is_placeholder(name, value),
            b':' if name.contains('-')
                && !is_placeholder(name, value)
                && value.len() >= SHORTEST =>
            {
                true
            }
            _ => {
                let rest = self.text[at + value.len()..self.end].trim_start();
                let is_end = rest.is_empty() || rest.starts_with(['#', '&', '|']);
                // Pairs of a connection string, and a variable before a command.
                let is_pair = sign == b'=' && !spaced && (is_random(value) || value.len() >= 16);
                let is_pair = is_pair
                    && (before[..start].ends_with(';') || start == 0 || is_of_libpq(before, start))
                    && (rest.starts_with(';')
                        || is_password(name)
                        || before[..start].ends_with(';'));
                let first = before[..start].trim_matches([' ', '\t', '-', '"', '\'', '$']);
                // The line begins with the name, or with a path of names (`spring.datasource.password`).
                let is_first = is_begin && ["", "export", "env:"].contains(&first)
                    || (first.ends_with(['.', ':', '/']) && !first.contains(' '));
                (is_pair && !is_placeholder(name, value))
                    || is_token(value)
                    || is_end && is_bare_secret(name, value, sign, is_first)
            }
        };
        (is_secret && is_value(value)).then(|| self.push(found, at, value))
    }

    /// `name: TOKEN` followed by `value: …`, perhaps in the next line, as Kubernetes and others have it.
    fn value_apart(self, end: usize, found: &mut Vec<Secret>) -> Option<usize> {
        let most = self
            .text
            .floor_char_boundary((end + APART).min(self.text.len()));
        let between = &self.text[end..most];
        let rest = between.trim_start_matches(|letter: char| {
            letter.is_whitespace() || "\"'\\,-".contains(letter)
        });
        let behind = rest
            .strip_prefix("value")
            .or_else(|| rest.strip_prefix("Value"))?;
        let behind = behind
            .trim_start_matches(['"', '\'', '\\', ' '])
            .strip_prefix([':', '='])?;
        let from = most - behind.len();
        let line_end = self.text[from..]
            .find('\n')
            .map_or(self.text.len(), |at| from + at);
        let line = Line {
            end: line_end,
            ..self
        };
        let Found { value, at, .. } = line.value(from);
        let is_pattern = value.contains(['(', '[', '{']);
        (!value.is_empty() && !is_pattern && !is_placeholder("", value))
            .then(|| self.push(found, at, value))
    }

    /// A line that is nothing but a name and a value, as files of settings have it: `requirepass value`, `bindpw value`.
    /// And the last word of `htpasswd -b file name value`.
    fn directive(self, found: &mut Vec<Secret>) {
        let words: Vec<&str> = self.line().split_ascii_whitespace().take(8).collect();
        let value = match *words.as_slice() {
            [name, value] if is_password(name) || name.ends_with("pw") => value,
            [name, value] if name.ends_with("key") && is_token(value) => value,
            ["htpasswd", options, .., _, _, value] if options.contains('b') => value,
            _ => return,
        };
        let value = value.trim_matches(['"', '\'']);
        if value.len() >= SHORTEST && is_random(value) && !is_placeholder("", value) {
            let at = value.as_ptr().addr() - self.text.as_ptr().addr();
            self.push(found, at, value);
        }
    }

    /// `--password value`, and variables that are set without a sign of equality.
    fn options(self, found: &mut Vec<Secret>) {
        let line = self.line();
        for (at, _) in line.match_indices(' ') {
            let Some(name) = name_before(&line[..at]) else {
                continue;
            };
            let before = &line[..at - name.len()];
            let option = name.trim_start_matches('-');
            let is_option = match name.len() - option.len() {
                0 => false,
                1 => option.len() >= SHORTEST && is_password(option),
                _ => names_secret(option),
            };
            let is_set = variable_names_secret(name)
                && ["ENV ", "ARG ", "setx ", "set -x ", "set -gx ", "setenv "]
                    .iter()
                    .any(|word| before.ends_with(word));
            let is_set = is_set
                || names_secret(name)
                    && ["configure set ", "config set "]
                        .iter()
                        .any(|words| before.ends_with(words));
            if !is_option && !is_set {
                continue;
            }
            let Found {
                value,
                at,
                is_quoted,
            } = self.value(self.start + at);
            let is_word = value.bytes().all(|byte| byte.is_ascii_lowercase());
            let is_last = self.text[at + value.len()..self.end].trim().is_empty();
            let is_secret = !value.starts_with('-')
                && !is_placeholder(name, value)
                && value.len() >= SHORTEST_PASSWORD
                && (is_quoted || is_set || !is_word || (is_last && value.len() >= SHORTEST));
            if is_secret {
                self.push(found, at, value);
            }
        }
    }

    /// Commands that take passwords in options of one letter.
    fn commands(self, found: &mut Vec<Secret>) {
        /// Words of a command, its options, whether the password follows a colon, and whether a space may be in between.
        const COMMANDS: [(&str, &[&str], bool, bool); 19] = [
            ("curl", &["-u", "--user", "--proxy-user", "-U"], true, true),
            ("http", &["-a", "--auth"], true, true),
            ("wget", &["--user"], true, true),
            ("mysql", &["-p"], false, false),
            ("mariadb", &["-p"], false, false),
            ("sshpass", &["-p"], false, true),
            (" login", &["-p"], false, true),
            ("redis-cli", &["-a"], false, true),
            ("ldap", &["-w"], false, true),
            ("sqlcmd", &["-P"], false, true),
            ("ssh-keygen", &["-N", "-P"], false, true),
            ("zip ", &["-P"], false, true),
            ("7z ", &["-p"], false, false),
            ("ngrok", &["authtoken", "add-authtoken"], false, true),
            ("wandb", &["login"], false, true),
            ("cargo", &["login"], false, true),
            ("useradd", &["-p"], false, true),
            ("rdesktop", &["-p"], false, true),
            ("openssl", &["-k"], false, true),
        ];
        let line = self.line();
        for (command, options, is_pair, may_space) in COMMANDS {
            if !line.contains(command) {
                continue;
            }
            for option in options {
                for (at, _) in line.match_indices(option) {
                    let end = at + option.len();
                    if !line[..at].ends_with([' ', '\t']) {
                        continue;
                    }
                    let next = line[end..].chars().next();
                    let is_apart = next.is_some_and(|next| next == ' ' || next == '=');
                    if is_apart != may_space && (is_apart || option.starts_with("--")) {
                        continue;
                    }
                    let Found { value, at, .. } =
                        self.value(self.start + end + usize::from(next == Some('=')));
                    let (value, at) = match value.split_once(':') {
                        Some((user, password)) if is_pair => (password, at + user.len() + 1),
                        _ if is_pair => continue,
                        _ => (value, at),
                    };
                    if value.len() >= 3 && !value.starts_with('-') && !is_placeholder("", value) {
                        self.push(found, at, value);
                    }
                }
            }
        }
    }

    /// The values of cookies.
    fn cookies(self, found: &mut Vec<Secret>) {
        let lower = self.lower();
        let header = lower.find("cookie:").map(|at| at + "cookie:".len());
        let option = || {
            let curl = lower.find("curl ")?;
            let mut options = [" -b ", " --cookie "].iter();
            options.find_map(|option| Some(curl + lower[curl..].find(option)? + option.len()))
        };
        let is_set = header.is_some_and(|at| lower[..at].ends_with("set-cookie:"));
        let (at, end) = match (header, option()) {
            (Some(at), _) => {
                let end = self.line()[at..].find(['"', '\'']);
                let end = end.map_or(self.end, |length| self.start + at + length);
                (self.start + at, end)
            }
            (None, Some(at)) => {
                let Found { value, at, .. } = self.value(self.start + at);
                (at, at + value.len())
            }
            (None, None) => return,
        };
        let mut start = at;
        for cookie in self.text[start..end].split(';') {
            if let Some((name, value)) = cookie.split_once('=')
                && value.trim().len() >= SHORTEST
            {
                self.push(found, start + name.len() + 1, value.trim_end());
            }
            start += cookie.len() + 1;
            if is_set {
                break;
            }
        }
    }

    /// Words that a secret follows.
    fn phrases(self, found: &mut Vec<Secret>) {
        const QUOTED: [&str; 5] = [
            "identified by ",
            "password '",
            "convertto-securestring ",
            "secretstring ",
            "with password ",
        ];
        const BARE: [&str; 5] = [
            "-passin pass:",
            "-passout pass:",
            "-pass pass:",
            "/link#",
            "/set-up#",
        ];
        const SECOND: [&str; 3] = ["auth=(", "basicauth(", "auth: ("];
        let lower = self.lower();
        let line = self.line();
        for word in QUOTED {
            for (at, _) in lower.match_indices(word) {
                let at = at + word.len() - usize::from(word.ends_with('\''));
                let Found {
                    value,
                    at,
                    is_quoted,
                } = self.value(self.start + at);
                let is_text = is_quoted && !self.text[..at].ends_with('`');
                if is_text && value.len() >= SHORTEST_PASSWORD {
                    self.push(found, at, value);
                }
            }
        }
        for word in BARE {
            for (at, _) in lower.match_indices(word) {
                let at = at + word.len();
                let value = until(&line[at..], |letter| {
                    letter.is_whitespace() || "\"'`<>)".contains(letter)
                });
                if value.len() >= SHORTEST_PASSWORD {
                    self.push(found, self.start + at, value);
                }
            }
        }
        if let Some(at) = lower.find("| sudo -s ")
            && let Some(from) = lower[..at].rfind("echo ")
        {
            let Found { value, at, .. } = self.value(self.start + from + "echo ".len());
            if value.len() >= SHORTEST_PASSWORD && !value.starts_with('-') {
                self.push(found, at, value);
            }
        }
        if let Some(at) = lower.find("define(") {
            let mut quoted = line[at..].split(['"', '\'']).skip(1).step_by(2);
            if let (Some(name), Some(value)) = (quoted.next(), quoted.next())
                && variable_names_secret(name)
                && value.len() >= SHORTEST_PASSWORD
                && !is_placeholder(name, value)
            {
                let at = value.as_ptr().addr() - self.text.as_ptr().addr();
                self.push(found, at, value);
            }
        }
        for word in SECOND {
            for (at, _) in lower.match_indices(word) {
                let mut quoted = line[at + word.len()..]
                    .split(['"', '\''])
                    .skip(1)
                    .step_by(2);
                if let Some(value) = quoted.nth(1).filter(|value| {
                    value.len() >= SHORTEST_PASSWORD && !value.contains(char::is_whitespace)
                }) {
                    let at = value.as_ptr().addr() - self.text.as_ptr().addr();
                    self.push(found, at, value);
                }
            }
        }
    }

    /// `machine host login user password word`, on one line or on three.
    fn netrc(self, since: &mut usize, found: &mut Vec<Secret>) {
        let mut words = self.line().split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "machine" | "login" => *since = 3,
                "password" if *since > 0 => {
                    if let Some(value) = words.peek().filter(|value| value.len() >= 3) {
                        let at = value.as_ptr().addr() - self.text.as_ptr().addr();
                        self.push(found, at, value);
                    }
                }
                _ => {}
            }
        }
        *since = since.saturating_sub(1);
    }

    /// `host:port:database:user:password`.
    fn pgpass(self, found: &mut Vec<Secret>) {
        let fields: Vec<&str> = self.line().splitn(6, ':').collect();
        let [host, port, database, user, password] = fields[..] else {
            return;
        };
        let is_name = |text: &str| {
            !text.is_empty()
                && !text
                    .contains(|letter: char| letter.is_whitespace() || "\"'(){}/".contains(letter))
        };
        let is_port = port == "*"
            || (!port.is_empty()
                && port.len() <= 5
                && port.bytes().all(|byte| byte.is_ascii_digit()));
        let is_host = host == "*" || host.contains(|letter: char| letter.is_ascii_alphabetic());
        let is_user = user.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if is_port
            && is_host
            && is_user
            && [host, database, user, password].into_iter().all(is_name)
        {
            self.push(found, self.end - password.len(), password);
        }
    }

    /// The values of a `Secret` of Kubernetes, which are base64 under any name. `data` is the indentation of the list.
    fn kubernetes(self, state: &mut Option<Option<usize>>, found: &mut Vec<Secret>) {
        let line = self.line();
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        match trimmed.trim_end() {
            "kind: Secret" | "kind: \"Secret\"" => *state = Some(None),
            "---" => *state = None,
            "data:" | "stringData:" if state.is_some() => *state = Some(Some(indent)),
            _ => {
                let Some(Some(of_list)) = *state else {
                    return;
                };
                if indent <= of_list && !trimmed.is_empty() {
                    *state = Some(None);
                } else if let Some(at) = trimmed.find(": ") {
                    let Found { value, at, .. } = self.value(self.start + indent + at + 1);
                    if value.len() >= SHORTEST_PASSWORD && !value.starts_with('|') {
                        self.push(found, at, value);
                    }
                }
            }
        }
    }
}

/// The name that a text ends with; behind a type (`name: &str = …`), the one before it.
fn named_before(before: &str, sign: u8) -> Option<&str> {
    let name = name_before(before)?;
    if sign != b'=' || names_secret(name) || variable_names_secret(name) {
        return Some(name);
    }
    let Some((left, kind)) = before.rsplit_once(':') else {
        return Some(name);
    };
    let is_kind =
        kind.len() <= 24 && !kind.contains(['"', '\'', ',', '=', '(']) && !left.ends_with(':');
    match name_before(left.trim_end()) {
        Some(outer) if is_kind && names_secret(outer) => Some(outer),
        _ => Some(name),
    }
}

/// Whether a connection string with blanks stands before a name (`host=db user=app password=…`).
fn is_of_libpq(before: &str, start: usize) -> bool {
    before[..start].ends_with(' ')
        && ["host=", "user=", "dbname="]
            .iter()
            .any(|word| before[..start].contains(word))
}

/// Whether a value behind the name of a secret is a random text beyond doubt: long, without the signs of code.
fn is_token(value: &str) -> bool {
    let has = |of: fn(&u8) -> bool| value.bytes().any(|byte| of(&byte));
    let is_all = |of: fn(u8) -> bool| value.bytes().all(of);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_mixed = value.len() >= 20
        && (digits >= 3 || !value.contains('_'))
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && is_all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte));
    is_mixed
        || (value.len() >= 32 && has(u8::is_ascii_digit) && is_all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether a parameter of an address signs it.
fn is_signature(name: &str) -> bool {
    let name = plain_name(name);
    name == "sig" || name == "signature" || name.ends_with("_signature")
}

/// Whether a command sets what follows: its option, perhaps with a path of names (`--set db.`).
fn is_set_by_command(before: &str) -> bool {
    let path = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let before = before.trim_end_matches(['"', '\'']);
    before.ends_with("--from-literal=")
        || ["--set ", "--set-string "]
            .iter()
            .any(|option| before.trim_end_matches(path).ends_with(option))
}

/// Whether gitleaks knows values behind such a name.
fn has_vendor(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMED.iter().any(|(word, ..)| name.contains(word))
}

/// Whether gitleaks knows such a value behind such a name.
fn is_of_vendor(name: &str, value: &str) -> bool {
    let is_long = value.len() >= 14 && value.bytes().any(|byte| byte.is_ascii_digit());
    if !is_long {
        return false;
    }
    let name = name.to_ascii_lowercase();
    NAMED.iter().any(|(word, start, least, alphabet)| {
        value.len() >= *least
            && value.len() <= 2 * least
            && value.starts_with(start)
            && name.contains(word)
            && value[start.len()..]
                .bytes()
                .all(|byte| is_of(alphabet, byte))
    })
}

/// Whether a quoted value, or the text of an element, can be the secret that its name says.
fn is_quoted_secret(name: &str, value: &str) -> bool {
    let least = if is_password(name) {
        SHORTEST_PASSWORD
    } else {
        SHORTEST
    };
    // What other names have may be a word of the program.
    let may_be_word = ["token", "credentials"]
        .iter()
        .any(|end| plain_name(name).ends_with(end));
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'-';
    let is_word = may_be_word && value.bytes().all(is_letter);
    // A sentence about a password has more words than a password.
    let has_blank = value.contains(char::is_whitespace);
    let is_phrase = is_password(name) && is_random(value) && value.split(' ').count() == 2;
    value.len() >= least && (!has_blank || is_phrase) && !is_placeholder(name, value) && !is_word
}

/// Whether a value without quotes can be a secret rather than a type, a name or an expression. `is_first`: the line begins
/// with its name, as in files of settings.
fn is_bare_secret(name: &str, value: &str, sign: u8, is_first: bool) -> bool {
    let is_password = is_password(name);
    let least = if is_password { SHORTEST_PASSWORD } else { 8 };
    let is_code = value.contains(['(', '[', '{', ']', '}', '*', '|', '?'])
        || value.contains("::")
        || value.contains("->")
        || value.starts_with(['/', '.', '~', '@', '!', '%'])
        || value.contains("://");
    if is_placeholder(name, value) || is_code || !is_first {
        return false;
    }
    // A single sign or letter is what an example has.
    if value.len() < least {
        return sign == b':'
            && is_password
            && value.len() == 1
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric());
    }
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return is_password;
    }
    let is_identifier = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !value.starts_with(|letter: char| letter.is_ascii_digit());
    let is_path = !is_identifier
        && value.len() < 20
        && value.split('.').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        });
    if is_path {
        return false;
    }
    if !is_identifier {
        return is_random(value) || value.len() >= 16;
    }
    let has_digit = value.bytes().filter(u8::is_ascii_digit).count();
    let has_both = value.bytes().any(|byte| byte.is_ascii_uppercase())
        && value.bytes().any(|byte| byte.is_ascii_lowercase());
    match sign {
        // Types and names of variables have capitals; a word in lower case is what a file of settings has.
        b':' => {
            (has_digit > 0 && value.len() >= SHORTEST)
                || (is_password && !has_both && !value.contains('_'))
        }
        _ => has_digit >= 2 && (value.len() >= 8) && (has_both || has_digit >= 3 || is_password),
    }
}
