//! Ten thousand hostile command lines against thirty rules: whatever a rule allows, a real bash runs exactly what it allows.
//!
//! Long because of the list of tricks.

use super::{bash, line, thirty};
use crate::rules::{Conditions, Pattern, Rest, Subject, Understood};
use std::collections::BTreeSet;

const LINES: usize = 10_000;

/// Tricks around a command, which stands for `{}`.
const TRICKS: &[&str] = &[
    "{}; rm -rf /",
    "{};rm -rf /",
    "{} && rm -rf /",
    "{}&&rm -rf /",
    "{} || rm -rf /",
    "{} | sh",
    "{}|bash",
    "{} |& sh",
    "{} & rm x",
    "{}&rm x",
    "{} &",
    "{}\nrm x",
    "{}\r\nrm x",
    "{}\rrm x",
    "{}\trm",
    "{}\u{b}rm x",
    "{}\u{c}x",
    "{}\0rm",
    "{}\u{2028}rm x",
    "{}\u{85}rm x",
    "$({})",
    "`{}`",
    "{} $(rm x)",
    "{} `rm x`",
    "{} \"$(rm x)\"",
    "{} \"`rm x`\"",
    "{} '$(rm x)'",
    "{} $((1+1))",
    "{} $[1]",
    "{} ${IFS}",
    "{}${IFS}-x",
    "{} $IFS",
    "{} ${x:-$(rm x)}",
    "{} ${!x}",
    "{} $@",
    "{} $*",
    "{} $?",
    "{} $'\\x72m'",
    "{} $\"x\"",
    "{} <(rm x)",
    "{} >(rm x)",
    "{} > /etc/passwd",
    "{} >x",
    "{} >>x",
    "{}>x",
    "{} 2>x",
    "{} &>x",
    "{} >&x",
    "{} >|x",
    "{} <x",
    "{} <<x",
    "{} <<<x",
    "{} <>x",
    "{} 1>&2 >x",
    "{} 2>&1 >x",
    "{} >/dev/nullx",
    "{} >/dev/null/../x",
    "{} > /dev/null x",
    "{} >/dev/tcp/a/1",
    "{} 3>&1",
    "{} 2>&-",
    "{} {fd}>x",
    "{} >&1x",
    "X=1 {}",
    "PATH=/tmp {}",
    "LD_PRELOAD=./x.so {}",
    "X=$(rm x) {}",
    "X+=1 {}",
    "X[0]=1 {}",
    "BASH_ENV=x {}",
    "env X=1 {}",
    "env {}",
    "export X; {}",
    "sudo {}",
    "su -c '{}'",
    "doas {}",
    "nohup {}",
    "timeout 1 {}",
    "nice {}",
    "time {}",
    "watch {}",
    "xargs {}",
    "echo x | xargs {}",
    "exec {}",
    "eval {}",
    "eval '{}'",
    "command {}",
    "builtin {}",
    "sh -c '{}'",
    "bash -c '{}'",
    "bash <<< '{}'",
    "busybox {}",
    "ssh x {}",
    ". {}",
    "source {}",
    "({})",
    "({}; rm x)",
    "{ {}; }",
    "{ {}; rm x; }",
    "! {}",
    "if {}; then rm x; fi",
    "while {}; do rm x; done",
    "for x in a; do {}; done",
    "case x in x) {};; esac",
    "[[ {} ]]",
    "(( {} ))",
    "coproc {}",
    "function f { {}; }",
    "{}() { rm x; }",
    "f() { rm x; }; {}",
    "alias {}=rm",
    "select x in {}",
    "{} {a,b}",
    "{} {1..9}",
    "{}{,}",
    "{} *",
    "{} ?",
    "{} [a-z]",
    "{} ~",
    "{} ~root",
    "{} a=~/x",
    "{} ~+",
    "{} **/x",
    "{} @(a|b)",
    "{} !(a)",
    "{} !!",
    "!!",
    "{} !$",
    "{} \"!x\"",
    "!{}",
    "^{}^rm x",
    "{} #x",
    "#{}",
    "{} \\",
    "\\{}",
    "{} \\\nrm x",
    "{} \\;rm",
    "{} \"\\\"; rm x\"",
    "{} a\\ b",
    "{} 'a' ; rm x",
    "{} 'a'; rm x '",
    "{} \"a\"; rm x \"",
    "{} 'a\nb'",
    "{} \"a\nb\"",
    "{} ''",
    "{} \"\"",
    "'{}'",
    "\"{}\"",
    "{} '",
    "{} \"",
    "{} \"'\"; rm x '\"",
    "{}\u{200b}",
    "{} \u{202e}x",
    "{}\u{a0}x",
    "{} \u{feff}",
    "{} a\u{301}",
    "\u{1b}[2K{}",
    "{}\u{7f}",
    "{} \u{8}\u{8}rm",
    "{}\u{3000}x",
    "{} ﹣x",
    "{} -o ProxyCommand=x",
    "{} --output=/etc/x",
    "{} -c core.pager=x",
    "{} -exec rm x +",
    "{} --to-command=sh",
    "{} --pre sh",
    "{} @x",
    "{} -- -x",
    "{} /etc/passwd",
    "{} ../x",
    "{} a/../../x",
    "{} ./-x",
    "{} http://x",
    "{} a:b",
    "{} x::y",
    "cd / && {}",
    "cd .. && {}",
    "pushd / && {}",
    "{} 2>&1 | tail -5",
    "{} | cat",
    "cat x | {}",
    "{} && {}",
    "{} || true",
    "{} | {} | {}",
    "{} >/dev/null 2>&1",
    "{} > /dev/null && {}",
    "  {}  ",
];

const COMMANDS: &[&str] = &[
    "pytest",
    "pytest -q",
    "pytest -q tests/test_a.py",
    "pytest tests/test_a.py::test_b",
    "ls",
    "ls -la",
    "ls src",
    "cat a.txt",
    "cat",
    "echo hi",
    "echo 'a b'",
    "pwd",
    "git status",
    "git log main",
    "git diff a b",
    "git add src",
    "git push --force",
    "git log --output=x",
    "cargo test",
    "cargo check",
    "npm test",
    "make test",
    "head -n 5 x",
    "wc -l a",
    "grep -rn x src",
    "grep -rn \"a b\" .",
    "mkdir -p a/b",
    "true",
    "python -m pytest",
    "python -c 'x'",
    "rm -rf build",
    "rm -rf /",
    "cd /workspace/app",
    "tail -5",
    "curl x",
    "sh x",
    "chmod 777 x",
    "dd if=a of=b",
    "mv a b",
    "find . -delete",
    "tee x",
    "kill -9 1",
];

const PIECES: &[&str] = &[
    " ",
    "  ",
    ";",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "\n",
    "\r",
    "\t",
    "\\",
    "'",
    "\"",
    "`",
    "$",
    "$(",
    ")",
    "(",
    "{",
    "}",
    "[",
    "]",
    "*",
    "?",
    "~",
    "!",
    "#",
    "^",
    "=",
    "<",
    ">",
    ">>",
    "2>&1",
    ">/dev/null",
    " 2>/dev/null",
    "<<",
    "%",
    "@",
    "+",
    ",",
    ":",
    "..",
    "/",
    "-",
    "--",
    "\u{200b}",
    "\u{202e}",
    "\u{a0}",
    "е",
    "\0",
    "\u{1b}",
    "$IFS",
    "${x}",
    "$'",
    "$((",
    " rm -rf / ",
    " | sh",
    "1",
    "2",
    ">&1",
    "A=1 ",
    "'a b'",
    "\"a b\"",
    "''",
    " -x",
    " ../",
    "sudo ",
    "if ",
    "then ",
    "do ",
    "\\\n",
];

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    /// A piece put into a line, or a letter of it taken out.
    fn damaged(&mut self, line: &str) -> String {
        let mut letters: Vec<char> = line.chars().collect();
        let at = self.below(letters.len() + 1);
        if self.below(6) == 0 && at < letters.len() {
            letters.remove(at);
        } else {
            let piece = self.of(PIECES).chars();
            letters.splice(at..at, piece);
        }
        letters.into_iter().collect()
    }

    fn line(&mut self) -> String {
        let mut line = self.of(COMMANDS).to_owned();
        for _ in 0..self.below(3) {
            line = match self.below(3) {
                0 => format!(
                    "{line}{}{}",
                    self.of(&[" && ", " | ", " || ", "; ", "&", "\n"]),
                    self.of(COMMANDS)
                ),
                _ => self.of(TRICKS).replace("{}", &line),
            };
        }
        for _ in 0..self.below(3) {
            line = self.damaged(&line);
        }
        line
    }
}

/// Every trick around every command, and lines that are made of both at random.
fn hostile() -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for command in COMMANDS {
        lines.extend(TRICKS.iter().map(|trick| trick.replace("{}", command)));
    }
    let mut dice = Dice(40);
    let mut known: BTreeSet<String> = lines.iter().cloned().collect();
    while lines.len() < LINES * 2 {
        let line = dice.line();
        if known.insert(line.clone()) {
            lines.push(line);
        }
    }
    lines
}

/// Whether a rule means what bash has run, told in another way than the rule does.
fn is_meant(rule: &Conditions, ran: &[String]) -> bool {
    let is_pattern = |pattern: &Pattern| {
        let (head, rest) = ran.split_at(pattern.words.len().min(ran.len()));
        let plain = |word: &String| {
            let is_odd = word.starts_with(['-', '/', '~', '+'])
                || word.contains([
                    '=', ' ', '*', '$', '>', '<', ';', '&', '|', '\'', '"', '@', '%', '~',
                ]);
            !is_odd && !word.split('/').any(|step| step == "..")
        };
        head == pattern.words
            && match pattern.rest {
                Rest::Nothing => rest.is_empty(),
                Rest::Names => rest.iter().all(plain),
                Rest::Anything => true,
            }
    };
    match &rule.subject {
        Subject::Commands(patterns) => patterns.iter().any(is_pattern),
        Subject::Rated => true,
        _ => false,
    }
}

#[test]
fn of_hostile_commands_none_is_allowed_that_bash_runs_otherwise() {
    let lines = hostile();
    let rules = thirty();
    assert!(lines.len() >= LINES && rules.len() == 30);
    for rule in &rules {
        assert_eq!(rule.check(false), Ok(()), "{rule:?}");
    }
    let mut allowed: Vec<(String, Vec<&Conditions>)> = Vec::new();
    for text in &lines {
        let reading = line(text);
        let by: Vec<&Conditions> = rules
            .iter()
            .filter(|rule| rule.covers(&reading, false))
            .collect();
        if !by.is_empty() {
            allowed.push((text.clone(), by));
        }
    }
    let texts: Vec<String> = allowed.iter().map(|(text, _)| text.clone()).collect();
    let mut wrong = Vec::new();
    for ((text, by), ran) in allowed.iter().zip(bash::run(&texts)) {
        let Some(Ok(Understood::Commands(read))) =
            line(text).actions.pop().map(|action| action.what)
        else {
            panic!("{text} is allowed and not understood");
        };
        // A restricted shell refuses programs by their paths.
        let is_refused = read.iter().any(|words| words[0].contains('/'));
        let is_read =
            (is_refused || !ran.is_empty()) && ran.iter().all(|words| read.contains(words));
        let is_meant = by
            .iter()
            .all(|rule| ran.iter().all(|words| is_meant(rule, words)));
        if !is_read || !is_meant {
            wrong.push(format!("{text:?}: bash runs {ran:?}"));
        }
    }
    eprintln!(
        "{} lines, {} rules, {} allowed, {} wrongly",
        lines.len(),
        rules.len(),
        allowed.len(),
        wrong.len()
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        allowed.len() > 100,
        "the rules allow something: {}",
        allowed.len()
    );
}

#[test]
fn command_lines_are_read_in_little_memory_for_their_length() {
    let corpus: Vec<Vec<u8>> = TRICKS
        .iter()
        .map(|trick| trick.as_bytes().to_vec())
        .collect();
    handrail_sim_os::fuzz(
        "commands",
        &corpus,
        |length| (256 << 10) + 64 * length,
        |input| {
            drop(crate::rules::command_line(&String::from_utf8_lossy(input)));
        },
    );
}
