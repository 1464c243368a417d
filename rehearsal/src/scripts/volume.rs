//! Scripts about duration and size.

use serde_json::json;

use crate::script::{Script, Step, create, done, edit, read, shell, steps, think};

/// Many quick steps of different kinds.
pub fn long(steps: u64) -> Script {
    let path = "/workspace/log.txt";
    let step = |n: u64| match n % 5 {
        _ if n == 2 => create(path, "start\n").because("A log."),
        0 => think(&format!("This was step {n}.")),
        2 => {
            let line = format!("step {n}");
            edit("insert", path, json!({"insert_line": 1, "new_str": line}))
        }
        3 => read(path, Some((1, 10))),
        _ => {
            let exit_code = i64::from(n % 50 == 49);
            let output = format!("step {n}\nof many");
            shell(&format!("echo step {n}"), output, exit_code)
        }
    };
    let steps = (1..=steps).map(|n| Step::Act(step(n)));
    Script::new(steps.chain([done("All steps are done.")]))
}

/// Reads and thoughts between two other steps, and a message with a block of code.
pub fn reads() -> Script {
    let path = "/workspace/notes.md";
    Script::new(steps![
        create(path, "# Notes\n\nNothing yet.\n").because("Notes first."),
        read(path, None),
        think("One heading, so far."),
        read(path, Some((1, 1))),
        read(path, Some((2, 3))),
        think("That is all of it."),
        read(path, None),
        shell("wc -l notes.md", "3 notes.md", 0),
        done("The notes have **three** lines:\n\n```sh\nwc -l notes.md\n```\n"),
    ])
}

/// One long command, to be paused, stopped or waited for.
pub fn slow(milliseconds: u64) -> Script {
    let command = "for i in $(seq 20); do echo \"work $i\"; sleep 1; done";
    let content: String = (1..=20).map(|i| format!("work {i}\n")).collect();
    let mut enough = shell("C-c", "^C", 130).because("Enough.");
    enough.event["args"]["is_input"] = true.into();
    Script::new(steps![
        shell(command, content, 0)
            .because("This takes a while.")
            .lasting(milliseconds),
        shell("sleep 30; echo awake", "", -1).because("And this says nothing for too long."),
        enough,
        done("The slow work is done."),
    ])
}

/// A cell that prints nothing for a long time: the state stays `running`.
pub fn silence(milliseconds: u64) -> Script {
    let quiet = shell("wait", "", 0).lasting(milliseconds);
    Script::new(steps![quiet, done("I am back.")])
}

/// A file of 2 MB: its action has more than 4 MB, its diff 2 MB.
pub fn big() -> Script {
    let text: String = (0..32_000)
        .map(|n| format!("{n:>6} {}\n", "abcdefghij".repeat(6).trim_end()))
        .collect();
    let path = "/workspace/big.txt";
    Script::new(steps![
        create(path, &text).because("A large file."),
        shell("wc big.txt", "  32000   64000 2176000 big.txt", 0),
        read(path, Some((1, 20))).because("Only its beginning."),
        done("The file is 2 MB large."),
    ])
}
