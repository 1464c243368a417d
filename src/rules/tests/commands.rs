//! Command lines: which are understood, and which a rule covers.
//!
//! Long because each kind of line stands with its examples.

use super::{commands, line, pattern, words};
use crate::conversation::Risk;
use crate::rules::{Reading, ReadingOf, Reason, Rest, Understood, command_line};

#[test]
fn plain_command_lines_are_read_word_by_word() {
    for (text, wanted) in [
        ("pytest", vec!["pytest"]),
        ("  pytest   -q  ", vec!["pytest -q"]),
        (
            "cd /workspace && pytest -q 2>&1 | tail -20",
            vec!["cd /workspace", "pytest -q", "tail -20"],
        ),
        (
            "pytest >/dev/null 2>/dev/null || true",
            vec!["pytest", "true"],
        ),
        ("pytest > /dev/null", vec!["pytest"]),
        ("git diff HEAD~1 --stat", vec!["git diff HEAD~1 --stat"]),
        (
            "pip install --index-url=https://x.org/a+b%20c pkg==1.0",
            vec!["pip install --index-url=https://x.org/a+b%20c pkg==1.0"],
        ),
        ("a|b", vec!["a", "b"]),
    ] {
        let wanted: Vec<_> = wanted.into_iter().map(words).collect();
        assert_eq!(command_line(text), Ok(wanted), "{text}");
    }
    let quoted = command_line("grep -rn \"def main(\" 'a b' x'$y'\"z\"");
    let wanted = ["grep", "-rn", "def main(", "a b", "x$yz"].map(str::to_owned);
    assert_eq!(quoted, Ok(vec![wanted.to_vec()]));
}

#[test]
fn what_has_a_meaning_of_its_own_is_not_understood() {
    for text in [
        "",
        " ",
        "pytest;",
        "pytest; ls",
        "pytest & ls",
        "pytest &",
        "pytest && ",
        "&& pytest",
        "| ls",
        "ls |",
        "ls |& cat",
        "ls &&& ls",
        "ls ||| ls",
        "ls | | ls",
        "ls && && ls",
        "$(ls)",
        "ls $(rm x)",
        "ls `rm x`",
        "echo \"$(rm x)\"",
        "echo \"`rm x`\"",
        "echo $HOME",
        "echo ${HOME}",
        "echo \"$HOME\"",
        "echo $'a'",
        "echo $\"a\"",
        "echo <(ls)",
        "echo >(ls)",
        "ls > out",
        "ls >> out",
        "ls >out",
        "ls 2> out",
        "ls &> /dev/null",
        "ls >& out",
        "ls < in",
        "cat << EOF",
        "cat <<< x",
        "ls >| x",
        "ls <> x",
        "ls 3>&1",
        "ls 2>&3",
        "ls 2>&-",
        "ls >/dev/nullx",
        "ls >/dev/tcp/a/1",
        "ls>/dev/null",
        "ls x>/dev/null",
        "> /dev/null",
        ">/dev/null ls",
        "2>&1",
        "A=1 ls",
        "A=1",
        "A+=1 ls",
        "ls *",
        "ls ?",
        "ls [a]",
        "ls {a,b}",
        "ls {1..3}",
        "ls ~",
        "ls ~root",
        "ls --x=~/y",
        "ls a:~",
        "ls !",
        "!!",
        "!ls",
        "echo \"hi!\"",
        "^a^b",
        "ls #x",
        "#ls",
        "ls \\x",
        "ls \\",
        "echo \"a\\\"b\"",
        "(ls)",
        "{ ls; }",
        "{ ls }",
        "if ls",
        "while true",
        "[[ a ]]",
        "[ a ]",
        "! ls",
        "f() ls",
        "function f",
        "case a",
        "for a",
        "select a",
        "time ls",
        "coproc ls",
        "do ls",
        "ls \"a",
        "ls 'a",
        "\"ls\"",
        "'ls'",
        "l's'",
        "l\"s\"",
        "ls ''",
        "ls \"\"",
        "-x",
        "ls\n",
        "ls\nrm x",
        "ls\trm",
        "ls;rm",
        "@x",
        "ls ^",
        "a=b=c",
        "%1",
        "ls (x)",
        "ls )",
        "ls }",
        "ls ]",
    ] {
        let read = command_line(text);
        assert!(
            matches!(read, Err(Reason::Shell | Reason::RunsOthers)),
            "{text:?}: {read:?}"
        );
    }
    for text in [
        "ls\r",
        "ls \u{200b}x",
        "ls\u{a0}x",
        "lѕ",
        "ls \u{202e}x",
        "ls\0",
        "\u{1b}[2Kls",
        "ls é",
        "ls\x7f",
        "ls\u{85}rm",
        "ls\u{2028}rm",
    ] {
        assert_eq!(command_line(text), Err(Reason::Hidden), "{text:?}");
    }
    assert_eq!(command_line(&"x".repeat(2001)), Err(Reason::TooLong));
    let many = vec!["ls"; 17].join(" && ");
    assert_eq!(command_line(&many), Err(Reason::Shell));
}

#[test]
fn no_rule_answers_shells_and_programs_that_run_others() {
    for text in [
        "sh -c ls",
        "bash x.sh",
        "/bin/bash x",
        "./sh",
        "zsh",
        "sudo ls",
        "env ls",
        "xargs ls",
        "ls | xargs rm",
        "ls && sh x",
        "eval ls",
        "exec ls",
        "source x",
        ". x",
        "nohup ls",
        "timeout 5 ls",
        "nice ls",
        "watch ls",
        "command ls",
        "builtin cd x",
        "alias ls=rm",
        "export A=1",
        "ssh a ls",
        "bash5 x",
        "trap ls EXIT",
        "set -x",
        "C-c",
        "time ls",
        "busybox sh",
        "setpriv --reuid=0 ls",
        "prlimit ls",
        "bwrap ls",
        "/lib64/ld-linux-x86-64.so.2 /bin/sh",
        "run-parts x",
    ] {
        assert!(command_line(text).is_err(), "{text}");
        let name = text.split(' ').next().unwrap_or_default();
        let rule = commands([pattern(name, Rest::Anything)]);
        assert!(!rule.covers(&line(text), true), "{text}");
    }
    // Nor would one that had been read.
    for name in ["sh", "sudo", "xargs", "env"] {
        let words = vec![vec![name.to_owned(), "ls".to_owned()]];
        let what = Ok(Understood::Commands(words));
        let risk = Risk::Low;
        let actions = vec![ReadingOf { risk, what }];
        let rule = commands([pattern(name, Rest::Anything)]);
        assert!(!rule.covers(&Reading { actions }, true), "{name}");
    }
    let own = commands([pattern("sudo ls", Rest::Nothing)]);
    assert!(own.check(true).is_err());
}

#[test]
fn each_command_of_a_line_must_be_allowed_by_the_same_rule() {
    let pytest = commands([pattern("pytest", Rest::Anything)]);
    let tail = commands([pattern("tail", Rest::Anything)]);
    let both = commands([
        pattern("pytest", Rest::Anything),
        pattern("tail", Rest::Anything),
    ]);
    let text = line("pytest -q | tail -5");
    assert!(!pytest.covers(&text, false) && !tail.covers(&text, false));
    assert!(both.covers(&text, false));
    assert!(!both.covers(&line("pytest | tail && rm x"), false));
}

#[test]
fn further_words_are_names_or_anything() {
    let names = commands([pattern("cat", Rest::Names)]);
    for fine in [
        "cat",
        "cat a.txt",
        "cat src/a.rs b",
        "cat tests/test_a.py::test_b",
        "cat t.py::A::b",
    ] {
        assert!(names.covers(&line(fine), false), "{fine}");
    }
    for wrong in [
        "cat /etc/passwd",
        "cat ../x",
        "cat a/../../x",
        "cat -n x",
        "cat --",
        "cat +x",
        "cat http://x",
        "cat a=b",
        "cat 'a b'",
        "cat a::b",
        "cat a:b",
        "cat HEAD~1",
        "cat a.py::",
        "cat @x",
        "cats",
        "cat a.py::b/../../c::",
        "cat 'x*'",
        "dog",
    ] {
        assert!(!names.covers(&line(wrong), false), "{wrong}");
    }
    let exact = commands([pattern("cat a", Rest::Nothing)]);
    assert!(exact.covers(&line("cat a"), false));
    for wrong in ["cat a b", "cat", "cat A", "cat ./a", "cat aa"] {
        assert!(!exact.covers(&line(wrong), false), "{wrong}");
    }
}

#[test]
fn programs_that_take_code_are_allowed_by_exact_words_only() {
    for (text, rest, may) in [
        ("python", Rest::Anything, false),
        ("python3.11", Rest::Names, false),
        ("python -m pytest", Rest::Names, false),
        ("python -m pytest", Rest::Nothing, true),
        ("git", Rest::Anything, false),
        ("git log", Rest::Anything, false),
        ("git log", Rest::Names, true),
        ("git clone", Rest::Names, false),
        ("find .", Rest::Names, false),
        ("rg", Rest::Anything, false),
        ("rg", Rest::Names, true),
        ("pytest", Rest::Anything, true),
        ("bash", Rest::Nothing, false),
    ] {
        let rule = commands([pattern(text, rest)]);
        assert_eq!(rule.check(true).is_ok(), may, "{text} {rest:?}");
    }
}
