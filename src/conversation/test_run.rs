//! Commands that run tests, and what their exit code says about it.
//!
//! Long because shells and test runners have many forms.
//!
//! Only what is recognisable counts, and where the exit code may be that of something else, the result is unknown.

/// Options with which no test runs.
const NO_RUN: [&str; 8] = [
    "--help",
    "-h",
    "--version",
    "--collect-only",
    "--co",
    "--no-run",
    "--list",
    "--dry-run",
];
/// What only starts the command behind it.
const STARTERS: [&str; 12] = [
    "env", "time", "sudo", "nice", "command", "exec", "npx", "bunx", "pnpx", "xvfb-run", "stdbuf",
    "bundle",
];

/// What is known about a run of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All passed.
    Passed,
    /// They failed, with this exit code.
    Failed(i64),
    /// Not known: there is no exit code, or it may be that of something else.
    Unknown,
}

/// What the exit code of a command says about the tests in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// It is theirs.
    All,
    /// 0 means that they passed. Another may be that of a command before or behind them.
    Passing,
    /// Nothing.
    Nothing,
}

/// What stands behind a simple command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    And,
    Then,
    Other,
    End,
}

/// The result of a run of tests; `None` if a command is not recognisably one.
pub(super) fn outcome(command: &str, exit_code: Option<i64>) -> Option<Outcome> {
    let (says, is_pytest) = tests_in(command)?;
    Some(match (exit_code, says) {
        (Some(0), Says::All | Says::Passing) => Outcome::Passed,
        // Its other codes say that nothing was tested.
        (Some(code), Says::All) if !is_pytest || code == 1 => Outcome::Failed(code),
        _ => Outcome::Unknown,
    })
}

/// What the exit code of a command says about the tests in it, and whether the last of them are those of pytest.
fn tests_in(command: &str) -> Option<(Says, bool)> {
    // The text that follows is input, not a command.
    if command.contains("<<") {
        return None;
    }
    let (parts, is_plain) = parts(command);
    let at = parts.iter().rposition(|(words, _)| is_test(words))?;
    let before = at.checked_sub(1).map(|before| parts[before].1);
    let behind = &parts[at..parts.len() - 1];
    let says = match before {
        _ if !is_plain => Says::Nothing,
        _ if behind.iter().any(|(_, joint)| *joint != Joint::And) => Says::Nothing,
        Some(Joint::And) => Says::Passing,
        Some(Joint::Other) => Says::Nothing,
        _ if !behind.is_empty() => Says::Passing,
        _ => Says::All,
    };
    let is_pytest = parts[at].0.iter().any(|word| word.ends_with("pytest"));
    Some((says, is_pytest))
}

/// The simple commands of a line of shell, each in words, and whether nothing else is in it.
fn parts(command: &str) -> (Vec<(Vec<String>, Joint)>, bool) {
    let mut parts: Vec<(Vec<String>, Joint)> = Vec::new();
    let (mut words, mut word) = (Vec::new(), String::new());
    let (mut quote, mut is_plain) = (None, true);
    let mut letters = command.trim().chars().peekable();
    let mut last = ' ';
    while let Some(letter) = letters.next() {
        let joint = match (quote, letter) {
            (Some(mark), _) => {
                if letter == mark {
                    quote = None;
                } else {
                    is_plain &= mark == '\'' || !matches!(letter, '`' | '$');
                    word.push(letter);
                }
                None
            }
            (None, '\'' | '"') => {
                quote = Some(letter);
                None
            }
            (None, '\\') => {
                word.extend(letters.next().filter(|next| *next != '\n'));
                None
            }
            (None, '#') if word.is_empty() && last.is_whitespace() => {
                while letters.peek().is_some_and(|next| *next != '\n') {
                    letters.next();
                }
                None
            }
            // Of a redirection.
            (None, '&') if last == '>' || letters.peek() == Some(&'>') => None,
            (None, '&') => Some(match letters.next_if_eq(&'&') {
                Some(_) => Joint::And,
                None => Joint::Other,
            }),
            (None, '|') => {
                letters.next_if(|next| matches!(next, '|' | '&'));
                Some(Joint::Other)
            }
            (None, ';' | '\n') => Some(Joint::Then),
            (None, '(' | ')' | '{' | '}' | '`') => {
                is_plain = false;
                None
            }
            (None, letter) if letter.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                None
            }
            (None, letter) => {
                word.push(letter);
                None
            }
        };
        if let Some(joint) = joint {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if !words.is_empty() {
                parts.push((std::mem::take(&mut words), joint));
            }
        }
        last = letter;
    }
    if !word.is_empty() {
        words.push(word);
    }
    if words.is_empty() {
        if let Some((_, joint)) = parts.last_mut() {
            // A separator at the end joins nothing, but what runs in the background has no result.
            is_plain &= *joint != Joint::Other;
            *joint = Joint::End;
        }
    } else {
        parts.push((words, Joint::End));
    }
    (parts, is_plain && quote.is_none())
}

/// Whether a simple command runs tests.
fn is_test(words: &[String]) -> bool {
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    loop {
        let skipped = match words.as_slice() {
            [first, ..] if STARTERS.contains(first) => 1,
            [first, ..] if first.contains('=') && !first.starts_with(['=', '-']) => 1,
            ["timeout", _, _, ..] | ["poetry" | "uv" | "pipenv" | "hatch", "run", _, ..] => 2,
            ["pnpm", "exec" | "dlx", _, ..] => 2,
            _ => break,
        };
        words.drain(..skipped);
        // Options of the starter, and of `bundle exec`.
        while words.first().is_some_and(|word| word.starts_with('-')) {
            words.remove(0);
        }
    }
    let Some((name, rest)) = words.split_first() else {
        return false;
    };
    if rest.iter().any(|word| NO_RUN.contains(word)) {
        return false;
    }
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let first = rest.iter().find(|word| !word.starts_with(['-', '+']));
    let first = first.copied().unwrap_or_default();
    let has = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(word));
    match name {
        "pytest" | "py.test" | "tox" | "ctest" | "rspec" | "phpunit" | "jest" | "vitest"
        | "mocha" | "gotestsum" | "bats" => true,
        "cargo" => first == "test" || (first == "nextest" && has(&["run"])),
        "go" | "deno" | "dotnet" | "swift" | "mix" | "playwright" | "bazel" | "rails"
        | "flutter" | "dart" => first == "test",
        "npm" | "pnpm" | "yarn" | "bun" => {
            let of_script = |word: &&str| *word == "test" || word.starts_with("test:");
            of_script(&first) || (first == "run" && rest.iter().any(of_script))
        }
        "make" | "gradle" | "gradlew" | "just" => has(&["test", "tests", "check"]) && !has(&["-n"]),
        "mvn" | "mvnw" => has(&["test", "verify"]),
        "rake" => has(&["test", "spec"]),
        "node" => has(&["--test"]),
        name if name.starts_with("python") => {
            let of_module =
                |pair: &[&str]| pair[0] == "-m" && matches!(pair[1], "pytest" | "unittest" | "tox");
            rest.windows(2).any(of_module) || (first == "manage.py" && has(&["test"]))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_runs_tests_is_told_from_what_does_not() {
        let tests = [
            "cargo test",
            "cargo +nightly test --workspace",
            "cargo nextest run",
            "pytest -q",
            "python3 -m pytest tests",
            "python -m unittest",
            "npm test",
            "npm run test:unit -- --watch=false",
            "yarn test",
            "npx jest src",
            "go test ./...",
            "./gradlew check",
            "mvn -q test",
            "make check",
            "RUST_BACKTRACE=1 cargo test",
            "timeout 60 pytest",
            "poetry run pytest",
            "bundle exec rspec",
            ".venv/bin/pytest",
            "python manage.py test shop",
            "cd a && pytest",
            "node --test",
        ];
        for command in tests {
            assert_eq!(
                outcome(command, Some(0)),
                Some(Outcome::Passed),
                "{command}"
            );
        }
        let others = [
            "",
            "ls",
            "cat test.py",
            "echo cargo test",
            "git commit -m 'pytest passes'",
            "pip install pytest",
            "grep -r pytest .",
            "cargo test --no-run",
            "pytest --collect-only",
            "make",
            "npm install",
            "cat <<E\npytest\nE",
            "# pytest",
            "vim pytest.ini",
        ];
        for command in others {
            assert_eq!(outcome(command, Some(0)), None, "{command}");
        }
    }

    #[test]
    fn an_exit_code_counts_only_where_it_is_that_of_the_tests() {
        use Outcome::{Failed, Passed, Unknown};
        let cases = [
            ("cargo test", Some(101), Failed(101)),
            ("cargo test", None, Unknown),
            ("pytest", Some(1), Failed(1)),
            ("pytest", Some(5), Unknown),
            ("cd a; pytest", Some(1), Failed(1)),
            ("cd a && pytest", Some(1), Unknown),
            ("pytest && echo good", Some(0), Passed),
            ("pytest && echo good", Some(1), Unknown),
            ("pytest; echo done", Some(0), Unknown),
            ("pytest | tail -5", Some(0), Unknown),
            ("pytest || true", Some(0), Unknown),
            ("pytest 2>&1", Some(1), Failed(1)),
            ("pytest &", Some(0), Unknown),
            ("false || pytest", Some(0), Unknown),
            ("(pytest)", Some(0), Unknown),
            ("pytest; pytest -x", Some(0), Passed),
            ("pytest \"$(cat names)\"", Some(0), Unknown),
            ("pytest 'a", Some(0), Unknown),
        ];
        for (command, code, expected) in cases {
            assert_eq!(outcome(command, code), Some(expected), "{command}");
        }
    }

    proptest! {
        #[test]
        fn no_command_is_too_strange(command in "[ a-z'\"|&;()`$#\\\\\n>=<-]{0,40}(pytest|cargo test)?[ |&;'\"\n]{0,5}", code in 0i64..9) {
            if outcome(&command, Some(code)) == Some(Outcome::Passed) {
                prop_assert_eq!(code, 0);
            }
        }
    }
}
