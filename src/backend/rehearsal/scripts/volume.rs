//! Scripts about time and size.

use std::time::Duration;

use serde_json::json;

use super::super::event::{edit, read, run, think};
use super::super::script::{Act, Effect, Script, Step, act, shell};
use super::done;

/// Many quick steps of changing kinds.
pub fn long(steps: u64) -> Script {
    let path = "/workspace/log.txt";
    let create = json!({"file_text": "start\n"});
    let steps = (1..=steps).map(|n| match n % 5 {
        _ if n == 2 => act(
            edit("create", path, create.clone(), "A log.", 0),
            Effect::Editor,
        ),
        0 => act(think(&format!("This was step {n}.")), Effect::Noted),
        2 => {
            let line = json!({"insert_line": 1, "new_str": format!("step {n}")});
            act(edit("insert", path, line, "", 0), Effect::Editor)
        }
        3 => act(read(path, Some((1, 10)), "", 0), Effect::Editor),
        _ => shell(
            &format!("echo step {n}"),
            "",
            format!("step {n}\nof many"),
            i64::from(n % 50 == 49),
        ),
    });
    Script::new(steps.chain([done("All steps are done.")]))
}

/// One command that takes its time: pause it, stop it, or wait.
pub fn slow(milliseconds: u64) -> Script {
    let command = "for i in $(seq 20); do echo \"work $i\"; sleep 1; done";
    let content = (1..=20).map(|i| format!("work {i}\n")).collect();
    let slow = Act {
        event: run(command, "This takes a while.", 0),
        effect: Effect::Output {
            content,
            exit_code: 0,
            changes: Vec::new(),
        },
        lasts: Duration::from_millis(milliseconds),
    };
    let waiting = Act {
        event: run(
            "sleep 30; echo awake",
            "And this says nothing for too long.",
            0,
        ),
        effect: Effect::Output {
            content: String::new(),
            exit_code: -1,
            changes: Vec::new(),
        },
        lasts: Duration::ZERO,
    };
    let mut enough = run("C-c", "Enough.", 0);
    enough["args"]["is_input"] = true.into();
    let interrupted = Effect::Output {
        content: String::from("^C"),
        exit_code: 130,
        changes: Vec::new(),
    };
    Script::new([
        Step::Act(slow),
        Step::Act(waiting),
        act(enough, interrupted),
        done("The slow work is done."),
    ])
}

/// A cell that says nothing for long: the state stays `running`.
pub fn silence(milliseconds: u64) -> Script {
    let effect = Effect::Output {
        content: String::new(),
        exit_code: 0,
        changes: Vec::new(),
    };
    let quiet = Act {
        event: run("wait", "", 0),
        effect,
        lasts: Duration::from_millis(milliseconds),
    };
    Script::new([Step::Act(quiet), done("I am back.")])
}

/// A file of 2 MB, which makes an action of more than 4 MB and a diff of 2.
pub fn big() -> Script {
    let text: String = (0..32_000)
        .map(|n| format!("{n:>6} {}\n", "abcdefghij".repeat(6).trim_end()))
        .collect();
    let path = "/workspace/big.txt";
    Script::new([
        act(
            edit(
                "create",
                path,
                json!({"file_text": text}),
                "A large file.",
                0,
            ),
            Effect::Editor,
        ),
        shell("wc big.txt", "", "  32000   64000 2176000 big.txt", 0),
        act(
            read(path, Some((1, 20)), "Only its beginning.", 0),
            Effect::Editor,
        ),
        done("The file is 2 MB large."),
    ])
}
