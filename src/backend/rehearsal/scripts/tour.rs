//! The friendly scripts: the tour, which is what a new user sees first, and its parts.

use serde_json::json;

use super::super::event::{browse, call_mcp, edit, plan, read, run, run_ipython, think};
use super::super::picture;
use super::super::script::{Act, Change, Effect, Script, Step, act, shell};
use super::done;

const SOURCE: &str = "/workspace/tally.py";

const TEST: &str = "from tally import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n\n\ndef test_mean_of_one():\n    assert mean([7]) == 7\n";

/// A bit of everything. The command of high risk waits for the user under the rehearsal's own settings.
pub fn tour() -> Script {
    let mut steps = vec![
        act(
            think(
                "The tests of this small project fail. I will look around, find the bug in `mean`, fix it, and clean up after myself.",
            ),
            Effect::Noted,
        ),
        tasks(0),
        shell(
            "ls -la && git log --oneline",
            "Let me look at the project first.",
            "total 12\n-rw-r--r-- 1 me me  21 .gitignore\n-rw-r--r-- 1 me me  48 README.md\ndrwxr-xr-x 2 me me  60 build\n-rw-r--r-- 1 me me 139 tally.py\n4be1c3a Count things\n91d02f7 Start",
            0,
        ),
        act(
            read(SOURCE, None, "Now the module itself.", 0),
            Effect::Editor,
        ),
        shell("python tally.py", "What does it print?", "1.0", 0),
        act(
            edit(
                "create",
                "/workspace/test_tally.py",
                json!({"file_text": TEST}),
                "A test shows the bug.",
                0,
            ),
            Effect::Editor,
        ),
        shell("python -m pytest -q", "It should fail.", FAILING, 1),
        tasks(1),
        act(
            edit(
                "str_replace",
                SOURCE,
                json!({
                    "old_str": "    return sum(values) / len(values) - 1",
                    "new_str": "    if not values:\n        raise ValueError(\"the mean of nothing\")\n    return sum(values) / len(values)",
                }),
                "There it is: the result is off by one. An empty list deserves a clear error, too.",
                0,
            ),
            Effect::Editor,
        ),
        shell(
            "python -m pytest -q",
            "",
            "..                                   [100%]\n2 passed in 0.02s",
            0,
        ),
        shell(
            "python -m timeit -n 100 -v 'from tally import mean'",
            "A quick look at the speed.",
            timings(),
            0,
        ),
        shell(
            "pip download example-wheel",
            "",
            "Collecting example-wheel\n  Downloading example_wheel-1.0-py3-none-any.whl (1.2 MB)\n     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1.2/1.2 MB 3.4 MB/s eta 0:00:00\nSaved ./build/example_wheel-1.0-py3-none-any.whl",
            0,
        ),
        tasks(2),
    ];
    steps.extend(pictures());
    steps.extend(mcp());
    steps.extend([
        Step::Act(Act {
            event: run(
                "rm -rf build",
                "The build directory is of no more use. Deleting cannot be undone, so I ask.",
                2,
            ),
            effect: Effect::Output {
                content: String::new(),
                exit_code: 0,
                changes: vec![
                    Change::Remove("build"),
                    Change::Write("CHANGES.md", "- `mean` is no longer off by one\n"),
                ],
            },
            lasts: std::time::Duration::ZERO,
        }),
        tasks(3),
        Step::Say(MESSAGE.to_owned()),
        Step::Report,
    ]);
    Script::new(steps)
}

/// One message, one answer, the end.
pub fn hello() -> Script {
    let greeting = "Hello! I am a **rehearsal agent**: what I do is scripted and nothing is executed. Say anything and I will finish.";
    Script::new([
        Step::Say(greeting.to_owned()),
        done("That was all. Ask for `[[scenario:tour]]` to see more."),
    ])
}

/// Tools only.
pub fn tools() -> Script {
    Script::new(
        mcp()
            .into_iter()
            .chain([done("Two tools were called, one of them failed.")]),
    )
}

/// Pictures only.
pub fn images() -> Script {
    Script::new(
        pictures()
            .into_iter()
            .chain([done("The pictures were drawn by the rehearsal itself.")]),
    )
}

fn tasks(finished: usize) -> Step {
    const TASKS: [(&str, &str); 3] = [
        ("Find the bug", "the tests fail"),
        ("Fix it", "with a test"),
        ("Check and clean up", ""),
    ];
    let list: Vec<_> = TASKS
        .iter()
        .enumerate()
        .map(|(i, (title, notes))| {
            let status = match i {
                _ if i < finished => "done",
                _ if i == finished => "in_progress",
                _ => "todo",
            };
            (*title, status, *notes)
        })
        .collect();
    act(plan(&list), Effect::Noted)
}

fn pictures() -> [Step; 3] {
    let code = "import matplotlib.pyplot as plt\nplt.bar(range(6), [3, 5, 2, 7, 6, 9])\nplt.show()";
    let url = "http://127.0.0.1:8000/";
    let cell = Effect::Cell {
        content: String::from("<Figure size 640x480 with 1 Axes>"),
        images: vec![picture::bars(&[0.33, 0.55, 0.22, 0.77, 0.66, 1.0])],
    };
    let page = |text: &str, error: &str| Effect::Page {
        url: url.to_owned(),
        text: text.to_owned(),
        error: error.to_owned(),
    };
    [
        act(
            run_ipython(code, "A chart says more than numbers.", 0),
            cell,
        ),
        act(
            browse(&format!("goto(\"{url}\")"), "How does the page look?", 0),
            page("Tally: counts things", ""),
        ),
        act(
            browse("click(\"42\")", "", 0),
            page("", "ValueError: Could not find element with bid \"42\""),
        ),
    ]
}

fn mcp() -> [Step; 2] {
    let tool = |text: &str, is_error| Effect::Tool {
        text: text.to_owned(),
        is_error,
    };
    [
        act(
            call_mcp(
                "tracker_comment",
                json!({"issue": 7, "text": "Fixed, with a test."}),
                "Let me note it in the tracker.",
            ),
            tool("Comment 31 was added to issue 7.", false),
        ),
        act(
            call_mcp("tracker_close", json!({"issue": 7}), ""),
            tool(
                "Error executing tool tracker_close: not allowed for this user",
                true,
            ),
        ),
    ]
}

/// More than the 30,000 characters after which output is cut.
fn timings() -> String {
    (1..=1200)
        .map(|run| format!("raw times, run {run:>4}: {} usec\n", 40 + run * 7 % 23))
        .collect()
}

const FAILING: &str = "FF                                   [100%]\n=================== FAILURES ===================\n__________________ test_mean ___________________\n\n    def test_mean():\n>       assert mean([1, 2, 3]) == 2\nE       assert 1.0 == 2\n\ntest_tally.py:5: AssertionError\n2 failed in 0.05s";

const MESSAGE: &str = "`mean` was **off by one**. What I changed:\n\n| file | change |\n|---|---|\n| `tally.py` | the right mean, and a clear error for nothing |\n| `test_tally.py` | two tests |\n\n```python\ndef mean(values):\n    if not values:\n        raise ValueError(\"the mean of nothing\")\n    return sum(values) / len(values)\n```\n\nAnything else, or shall I finish?";
