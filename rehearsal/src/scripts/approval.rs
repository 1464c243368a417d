//! Scripts about approvals.

use crate::script::{
    Act, Asks, Change, Effect, Script, Step, browse, cell, command, create, read, shell, steps,
    think,
};

/// One action of each kind that can wait; all of them need approval, whatever the settings say.
pub fn confirm() -> Script {
    let path = "/workspace/confirm.txt";
    let url = "http://127.0.0.1:8000/";
    let steps = steps![
        shell("echo \"confirm me\"", "confirm me", 0).because("I would like to run this."),
        cell("print(6 * 7)", "42", []).because("And this cell."),
        create(path, "should this exist yet?\n").because("Create a file."),
        read(path, None).because("Read it."),
        browse(&format!("goto(\"{url}\")"), url, "Tally").because("Open a page."),
        Step::Report,
    ];
    Script::with_approval_policy(Asks::Everything, steps)
}

/// One command, as a user has asked for it; it needs approval.
pub fn obedient(wanted: &str) -> Script {
    let steps = steps![
        shell(wanted, "done", 0).because("As you asked."),
        Step::Report
    ];
    Script::with_approval_policy(Asks::Everything, steps)
}

/// Two commands of low risk that need approval, or as many as are asked for.
pub fn careful(commands: Option<u64>) -> Script {
    let acts = match commands {
        None => vec![shell("ls", "README.md", 0), shell("pwd", "/workspace", 0)],
        Some(count) => (0..count)
            .map(|n| shell(&format!("echo {n}"), n.to_string(), 0))
            .collect(),
    };
    let acts = acts.into_iter().map(|act| Step::Act(act.risk(0)));
    Script::with_approval_policy(Asks::Rated, acts.chain([Step::Report]))
}

/// A thought, a command and an edit in parallel: in 1.x one answer applies to all of them.
pub fn parallel() -> Script {
    let written = Effect::changes([Change::Write("a.txt", "a\n")]);
    let acts = vec![
        think("The two do not depend on each other."),
        command("echo a > a.txt", written)
            .because("Two things at once.")
            .risk(2),
        create("/workspace/b.txt", "b\n").risk(2),
    ];
    Script::with_approval_policy(Asks::Everything, [Step::Together(acts), Step::Report])
}

/// Three commands and an edit of increasing risk; only high risk needs approval.
pub fn risk() -> Script {
    let echo = |name: &str, risk| -> Act {
        shell(&format!("echo {name} risk"), format!("{name} risk"), 0).risk(risk)
    };
    let steps = steps![
        echo("low", 0),
        echo("medium", 1),
        echo("HIGH", 2).because("Dangerous."),
        create("/workspace/risky.txt", "risky\n")
            .because("A risky edit.")
            .risk(2),
        Step::Report,
    ];
    Script::with_approval_policy(Asks::High, steps)
}
