//! A real bash as the judge: what it would run of a line is what was read of it.
//!
//! It runs nothing: there are no programs on its path, a function stands for each builtin that does something, and it is
//! restricted, so that a fault of the reader reaches no file and no program by its path.

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

const SCRIPT: &str = r#"
log() { builtin printf '%s\0' "$#" "$@" >&3; }
command_not_found_handle() { log "$@"; }
for name in cd dirs disown echo false getopts jobs kill logout popd printf pushd pwd suspend test true wait; do
  eval "$name() { log $name \"\$@\"; }"
done
while IFS= builtin read -r -d '' line; do ( eval "$line" ); builtin printf 'end\0' >&3; done
"#;

/// The commands that bash runs for each of these lines, each as its words. A second command behind `||` does not run.
pub(super) fn run(lines: &[String]) -> Vec<Vec<Vec<String>>> {
    let start =
        "exec 3>&1 >/dev/null 2>/dev/null; PATH=/nonexistent exec \"$BASH\" --norc -r -c \"$0\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", start, SCRIPT])
        .env_remove("BASH_ENV");
    bash.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut bash = bash.spawn().expect("the tests need bash");
    let mut input = bash.stdin.take().expect("it is piped");
    let mut all = String::new();
    for line in lines {
        all.push_str(&aimless(line));
        all.push('\0');
    }
    let writing = thread::spawn(move || input.write_all(all.as_bytes()));
    let output = bash.wait_with_output().expect("bash ends");
    writing
        .join()
        .expect("no panic")
        .expect("bash reads all lines");
    let output = String::from_utf8(output.stdout).expect("words are text");
    let mut fields = output.split_terminator('\0');
    let mut ran = vec![Vec::new()];
    while let Some(field) = fields.next() {
        if field == "end" {
            ran.push(Vec::new());
            continue;
        }
        let count: usize = field.parse().expect("the number of words");
        let words = fields.by_ref().take(count).map(str::to_owned).collect();
        ran.last_mut().expect("there is one").push(words);
    }
    ran.pop();
    assert_eq!(ran.len(), lines.len(), "bash has read all lines");
    ran
}

/// A line without the redirections to nowhere, which a restricted shell refuses.
fn aimless(line: &str) -> String {
    let mut line = line.to_owned();
    for redirection in [
        "2>/dev/null",
        "1>/dev/null",
        ">/dev/null",
        "2> /dev/null",
        "1> /dev/null",
        "> /dev/null",
    ] {
        line = line.replace(&format!(" {redirection}"), "");
    }
    line
}

#[test]
fn bash_tells_what_it_would_run() {
    let lines = [
        "ls -l \"a b\" && echo 'x' | cat",
        "cd /x || rm -rf /",
        "ls $(echo a)",
        "X=1 ls {a,b}",
        "/bin/ls",
        "ls > x",
    ];
    let ran = run(&lines.map(str::to_owned));
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let mut first = ran[0].clone();
    first.sort();
    assert_eq!(
        first,
        [
            words(&["cat"]),
            words(&["echo", "x"]),
            words(&["ls", "-l", "a b"])
        ]
    );
    assert_eq!(ran[1], [words(&["cd", "/x"])]);
    assert!(ran[2].contains(&words(&["echo", "a"])));
    assert_eq!(ran[3], [words(&["ls", "a", "b"])]);
    assert!(ran[4].is_empty() && ran[5].is_empty(), "it is restricted");
}
