//! The scripts by name, how one is chosen, and what the agent says about itself.

mod approval;
mod failure;
mod hostile;
mod odd;
mod tour;
mod volume;

use serde_json::{Value, json};

use super::agent::Answer;
use super::event;
use super::script::{Script, Step};

pub use failure::POISONED;

/// Every scenario with what it shows. A name may be followed by a number, as in `[[scenario:long:1000]]`.
pub const SCENARIOS: [(&str, &str); 21] = [
    (
        "tour",
        "a bit of everything, with one command that waits for you",
    ),
    ("hello", "one message, then the end"),
    (
        "confirm",
        "a command, a cell, an edit, a read and a page, each waiting for you",
    ),
    ("risk", "low and medium risk run, high risk waits"),
    (
        "parallel",
        "a command and an edit side by side, waiting for one answer",
    ),
    ("error401", "the model refuses the key"),
    ("error429", "the model is busy"),
    ("error500", "the model breaks"),
    ("stuck", "the agent repeats itself until it is stopped"),
    ("max_iterations", "the limit of steps, twice"),
    ("delegate", "another agent helps"),
    ("condensation", "the history is summarised"),
    ("secret", "a secret that is masked"),
    (
        "unknown",
        "kinds of events nobody knows, and malformed ones",
    ),
    ("hostile", "content that tries to be more than text"),
    ("long", "many quick steps: long:1000"),
    ("slow", "one long command, in milliseconds: slow:20000"),
    ("big", "a file of 2 MB"),
    ("images", "pictures from a cell and from a page"),
    ("tools", "MCP tools, one that works and one that fails"),
    (
        "silence",
        "nothing at all for a minute, in milliseconds: silence:60000",
    ),
];

/// The script a message asks for with `[[scenario:NAME]]`.
pub fn named(message: &str) -> Option<Script> {
    let (_, rest) = message.rsplit_once("[[scenario:")?;
    let (name, _) = rest.split_once("]]")?;
    let (name, number) = name
        .split_once(':')
        .map_or((name, None), |(name, number)| (name, number.parse().ok()));
    by_name(name, number)
}

/// The script for a first message that names none.
pub fn fitting(message: &str) -> Script {
    let words = message.to_lowercase();
    let greets = words.len() < 20
        && words
            .split_whitespace()
            .any(|word| word.starts_with("hello") || word == "hi");
    if greets { tour::hello() } else { tour::tour() }
}

fn by_name(name: &str, number: Option<u64>) -> Option<Script> {
    Some(match name {
        "tour" => tour::tour(),
        "hello" => tour::hello(),
        "tools" => tour::tools(),
        "images" => tour::images(),
        "confirm" => approval::confirm(),
        "risk" => approval::risk(),
        "parallel" => approval::parallel(),
        "error401" => failure::error401(),
        "error429" => failure::error429(),
        "error500" => failure::error500(),
        "stuck" => failure::stuck(),
        "max_iterations" => failure::max_iterations(),
        "delegate" => odd::delegate(),
        "condensation" => odd::condensation(),
        "secret" => odd::secret(),
        "unknown" => odd::unknown(),
        "hostile" => hostile::hostile(),
        "long" => volume::long(number.unwrap_or(100).min(100_000)),
        "slow" => volume::slow(number.unwrap_or(20_000)),
        "silence" => volume::silence(number.unwrap_or(60_000)),
        "big" => volume::big(),
        _ => return None,
    })
}

/// A conversation's title after its first message.
pub fn title(message: &str) -> String {
    match message
        .rsplit_once("[[scenario:")
        .and_then(|(_, rest)| rest.split_once("]]"))
    {
        Some((name, _)) => format!("Rehearsal: {name}"),
        None => {
            let line = message.lines().next().unwrap_or_default().trim();
            let short: String = line.chars().take(60).collect();
            if short.is_empty() {
                String::from("Rehearsal")
            } else {
                short
            }
        }
    }
}

/// What the agent answers when no script tells it what to do.
pub fn honest_reply() -> String {
    let mut reply = String::from(
        "I am a rehearsal agent: there is no model behind me and nothing is executed. Connect a real OpenHands backend to get work done.\n\nUntil then I can act out these scenes. Send me one of:\n\n",
    );
    for (name, about) in SCENARIOS {
        reply += &format!("- `[[scenario:{name}]]` {about}\n");
    }
    reply
}

/// The account of what the user decided.
fn accounts(answers: &[(String, Answer)], wanted: Answer, title: &str) -> String {
    let names: Vec<_> = answers
        .iter()
        .filter(|(_, answer)| *answer == wanted)
        .map(|(name, _)| name)
        .collect();
    let lines: String = names.iter().map(|name| format!("- `{name}`\n")).collect();
    if lines.is_empty() {
        lines
    } else {
        format!("\n{title}\n\n{lines}")
    }
}

/// The last words of a script in which the user was asked.
pub fn report(answers: &[(String, Answer)]) -> String {
    let mut report =
        String::from("The rehearsal is over. Nothing left this process: all of it was scripted.\n");
    if answers.is_empty() {
        report += "\nYour settings asked for no approval, so nothing waited for you.\n";
    }
    report += &accounts(answers, Answer::Approved, "You **approved**:");
    report += &accounts(
        answers,
        Answer::Rejected,
        "You **rejected**, so it did not happen:",
    );
    report += &accounts(
        answers,
        Answer::Ignored,
        "You said something else instead of answering:",
    );
    report
}

/// The first event of an agent.
pub fn system() -> Value {
    let prompt = "You are a rehearsal agent. You follow a script and execute nothing.";
    let tool = |name: &str| json!({"type": "function", "function": {"name": name, "description": "", "parameters": {}}});
    let tools = ["execute_bash", "think", "finish", "browser"].map(tool);
    let args = json!({
        "content": prompt, "tools": tools,
        "openhands_version": "0.62.0", "agent_class": "CodeActAgent",
    });
    event::action("system", "agent", prompt, args)
}

/// The end of a script without questions.
fn done(text: &str) -> Step {
    Step::Finish(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_of_the_list_exists() {
        for (name, _) in SCENARIOS {
            assert!(
                named(&format!("Please: [[scenario:{name}]]")).is_some(),
                "{name}"
            );
        }
        assert!(named("[[scenario:no_such]]").is_none());
        assert!(named("[[scenario:").is_none());
    }

    #[test]
    fn the_number_after_a_name_is_read() {
        assert_eq!(named("[[scenario:long:7]]").unwrap().steps.len(), 8);
    }

    #[test]
    fn the_report_differs_by_the_answers() {
        let yes = report(&[("run a".to_owned(), Answer::Approved)]);
        let no = report(&[("run a".to_owned(), Answer::Rejected)]);
        assert!(yes.contains("**approved**") && !yes.contains("**rejected**"));
        assert!(no.contains("**rejected**") && !no.contains("**approved**"));
    }
}
