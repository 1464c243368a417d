//! The introductory scripts: the tour, which new users see first, and its parts.

use std::cmp::Ordering;

use serde_json::json;

use crate::script::{
    Act, Change, Effect, Script, Step, browse, cell, command, create, done, edit, read, shell,
    steps, think, tool,
};
use crate::{event, picture};

const SOURCE: &str = "/workspace/tally.py";

const TEST: &str = "from tally import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n\n\ndef test_mean_of_one():\n    assert mean([7]) == 7\n";

/// A bit of everything. The command of high risk needs approval under the rehearsal's default settings.
pub fn tour() -> Script {
    let cleaned = Effect::changes([
        Change::Remove("build"),
        Change::Write("CHANGES.md", "- `mean` is no longer off by one\n"),
    ]);
    let fix = json!({
        "old_str": "    return sum(values) / len(values) - 1",
        "new_str": "    if not values:\n        raise ValueError(\"the mean of nothing\")\n    return sum(values) / len(values)",
    });
    let beginning = steps![
        think(
            "The tests of this small project fail. I will look around, find the bug in `mean`, fix it, and clean up after myself.",
        ),
        tasks(0),
        shell("ls -la && git log --oneline", LISTING, 0)
            .because("Let me look at the project first."),
        read(SOURCE, None).because("Now the module itself."),
        shell("python tally.py", "1.0", 0).because("What does it print?"),
        create("/workspace/test_tally.py", TEST).because("A test shows the bug."),
        shell("python -m pytest -q", FAILING, 1).because("It should fail."),
        tasks(1),
        edit("str_replace", SOURCE, fix).because(
            "There it is: the result is off by one. An empty list deserves a clear error, too."
        ),
        shell("python -m pytest -q", PASSING, 0),
        shell(BENCH, timings(), 0).because("A quick look at the speed."),
        shell("pip download example-wheel", DOWNLOAD, 0),
        tasks(2),
    ];
    let end = steps![
        command("rm -rf build", cleaned)
            .because("The build directory is of no more use. Deleting cannot be undone, so I ask.")
            .risk(2),
        tasks(3),
        Step::Say(MESSAGE.to_owned()),
        Step::Report,
    ];
    let steps = beginning.into_iter().chain(pictures()).chain(mcp());
    Script::new(steps.chain(end))
}

/// One message, one reply, the end.
pub fn hello() -> Script {
    let greeting = "Hello! I am a **rehearsal agent**: what I do is scripted and nothing is executed. Say anything and I will finish.";
    let end = done("That was all. Send another message to see what else I can act out.");
    Script::new([Step::Say(greeting.to_owned()), end])
}

pub fn tools() -> Script {
    let end = done("Two tools were called, one of them failed.");
    Script::new(mcp().into_iter().chain([end]))
}

pub fn images() -> Script {
    let end = done("The pictures were drawn by the rehearsal itself.");
    Script::new(pictures().into_iter().chain([end]))
}

/// The task list after this number of finished tasks.
fn tasks(finished: usize) -> Act {
    let status = |task: usize| match task.cmp(&finished) {
        Ordering::Less => "done",
        Ordering::Equal => "in_progress",
        Ordering::Greater => "todo",
    };
    let list = [
        ("Find the bug", status(0), "the tests fail"),
        ("Fix it", status(1), "with a test"),
        ("Check and clean up", status(2), ""),
    ];
    Act::new(event::plan(&list), Effect::Acknowledged)
}

fn pictures() -> [Step; 3] {
    let code = "import matplotlib.pyplot as plt\nplt.bar(range(6), [3, 5, 2, 7, 6, 9])\nplt.show()";
    let chart = picture::chart();
    let url = "http://127.0.0.1:8000/";
    let missing = Effect::Page {
        url: url.to_owned(),
        text: String::new(),
        error: String::from("ValueError: Could not find element with bid \"42\""),
    };
    steps![
        cell(code, "<Figure size 640x480 with 1 Axes>", [chart])
            .because("A chart says more than numbers."),
        browse(&format!("goto(\"{url}\")"), url, "Tally: counts things")
            .because("How does the page look?"),
        Act::new(event::browse("click(\"42\")", "", 0), missing),
    ]
}

fn mcp() -> [Step; 2] {
    let comment = json!({"issue": 7, "text": "Fixed, with a test."});
    let added = "Comment 31 was added to issue 7.";
    let refused = "Error executing tool tracker_close: not allowed for this user";
    steps![
        tool("tracker_comment", comment, added, false).because("Let me note it in the tracker."),
        tool("tracker_close", json!({"issue": 7}), refused, true),
    ]
}

/// Longer than the 30,000 characters after which output is truncated.
fn timings() -> String {
    let line = |run: i32| format!("raw times, run {run:>4}: {} usec\n", 40 + run * 7 % 23);
    (1..=1200).map(line).collect()
}

const BENCH: &str = "python -m timeit -n 100 -v 'from tally import mean'";

const LISTING: &str = "total 12\n-rw-r--r-- 1 me me  21 .gitignore\n-rw-r--r-- 1 me me  48 README.md\ndrwxr-xr-x 2 me me  60 build\n-rw-r--r-- 1 me me 139 tally.py\n4be1c3a Count things\n91d02f7 Start";

const PASSING: &str = "..                                   [100%]\n2 passed in 0.02s";

const DOWNLOAD: &str = "Collecting example-wheel\n  Downloading example_wheel-1.0-py3-none-any.whl (1.2 MB)\n     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1.2/1.2 MB 3.4 MB/s eta 0:00:00\nSaved ./build/example_wheel-1.0-py3-none-any.whl";

const FAILING: &str = "FF                                   [100%]\n=================== FAILURES ===================\n__________________ test_mean ___________________\n\n    def test_mean():\n>       assert mean([1, 2, 3]) == 2\nE       assert 1.0 == 2\n\ntest_tally.py:5: AssertionError\n2 failed in 0.05s";

const MESSAGE: &str = "`mean` was **off by one**. What I changed:\n\n| file | change |\n|---|---|\n| `tally.py` | the right mean, and a clear error for nothing |\n| `test_tally.py` | two tests |\n\n```python\ndef mean(values):\n    if not values:\n        raise ValueError(\"the mean of nothing\")\n    return sum(values) / len(values)\n```\n\nAnything else, or shall I finish?";
