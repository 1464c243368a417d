//! Scripts about asking first.

use serde_json::json;

use super::super::event::{browse, edit, read, run, run_ipython};
use super::super::script::{Act, Asks, Change, Effect, Script, Step, act};

/// One action of each kind that can wait, and all of them wait, whatever the settings say.
pub fn confirm() -> Script {
    let path = "/workspace/confirm.txt";
    let output = |content: &str| Effect::Output {
        content: content.to_owned(),
        exit_code: 0,
        changes: Vec::new(),
    };
    let cell = Effect::Cell {
        content: String::from("42"),
        images: Vec::new(),
    };
    let url = String::from("http://127.0.0.1:8000/");
    let page = Effect::Page {
        url,
        text: String::from("Tally"),
        error: String::new(),
    };
    let steps = [
        act(
            run("echo \"confirm me\"", "I would like to run this.", 0),
            output("confirm me"),
        ),
        act(run_ipython("print(6 * 7)", "And this cell.", 0), cell),
        act(
            edit(
                "create",
                path,
                json!({"file_text": "should this exist yet?\n"}),
                "Create a file.",
                0,
            ),
            Effect::Editor,
        ),
        act(read(path, None, "Read it.", 0), Effect::Editor),
        act(
            browse("goto(\"http://127.0.0.1:8000/\")", "Open a page.", 0),
            page,
        ),
        Step::Report,
    ];
    Script::asking(Asks::Everything, steps)
}

/// A command and an edit side by side: in 1.x one answer is for both.
pub fn parallel() -> Script {
    let deed = |event, effect| Act {
        event,
        effect,
        lasts: std::time::Duration::ZERO,
    };
    let text = json!({"file_text": "b\n"});
    let acts = vec![
        deed(
            run("echo a > a.txt", "Two things at once.", 2),
            Effect::Output {
                content: String::new(),
                exit_code: 0,
                changes: vec![Change::Write("a.txt", "a\n")],
            },
        ),
        deed(
            edit("create", "/workspace/b.txt", text, "", 2),
            Effect::Editor,
        ),
    ];
    Script::asking(Asks::Everything, [Step::Together(acts), Step::Report])
}

/// Three commands and an edit of growing risk; only high risk waits.
pub fn risk() -> Script {
    let command = |name: &str, thought: &str, risk| {
        let content = format!("{name} risk");
        act(
            run(&format!("echo {name} risk"), thought, risk),
            Effect::Output {
                content,
                exit_code: 0,
                changes: Vec::new(),
            },
        )
    };
    let steps = [
        command("low", "", 0),
        command("medium", "", 1),
        command("HIGH", "Dangerous.", 2),
        act(
            edit(
                "create",
                "/workspace/risky.txt",
                json!({"file_text": "risky\n"}),
                "A risky edit.",
                2,
            ),
            Effect::Editor,
        ),
        Step::Report,
    ];
    Script::asking(Asks::High, steps)
}
