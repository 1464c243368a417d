//! The scripts by name, how one is chosen, and fixed replies of the agent.

mod approval;
mod failure;
mod hostile;
mod odd;
mod tour;
mod volume;

use serde_json::Value;

use crate::script::{Act, Script, shell};
use crate::{agent::Answer, embedded};

pub use failure::POISONED;

/// Defines the list of all scenarios, and the function that finds a script by its name and parameter.
macro_rules! scenarios {
    ($number:ident: $($name:literal, $about:literal => $script:expr;)*) => {
        /// Every scenario with its description. A name may have a numeric parameter, as in `[[scenario:long:1000]]`.
        pub const SCENARIOS: [(&str, &str); 23] = [$(($name, $about)),*];

        fn by_name(name: &str, $number: Option<u64>) -> Option<Script> {
            match name {
                $($name => Some($script),)*
                _ => None,
            }
        }
    };
}

scenarios! { number:
    "tour", "a bit of everything, with one command that waits for you" => tour::tour();
    "hello", "one message, then the end" => tour::hello();
    "confirm", "a command, a cell, an edit, a read and a page, each waiting for you" => approval::confirm();
    "risk", "low and medium risk run, high risk waits" => approval::risk();
    "careful", "two harmless commands, each waiting for you, or more: careful:20" => approval::careful(number.map(|count| count.min(10_000)));
    "parallel", "a command and an edit side by side, waiting for one answer" => approval::parallel();
    "error401", "the model refuses the key" => failure::error401();
    "error429", "the model is busy" => failure::error429();
    "error500", "the model breaks" => failure::error500();
    "stuck", "the agent repeats itself until it is stopped" => failure::stuck();
    "max_iterations", "the limit of steps, twice" => failure::max_iterations();
    "delegate", "another agent helps" => odd::delegate();
    "condensation", "the history is summarised" => odd::condensation();
    "secret", "a secret that is masked" => odd::secret();
    "unknown", "kinds of events nobody knows, and malformed ones" => odd::unknown();
    "hostile", "content that tries to be more than text" => hostile::hostile();
    "long", "many quick steps: long:1000" => volume::long(number.unwrap_or(100).min(100_000));
    "slow", "one long command, in milliseconds: slow:20000" => volume::slow(number.unwrap_or(20_000));
    "reads", "a run of reads and thoughts, and a message with code" => volume::reads();
    "big", "a file of 2 MB" => volume::big();
    "images", "pictures from a cell and from a page" => tour::images();
    "tools", "MCP tools, one that works and one that fails" => tour::tools();
    "silence", "nothing at all for a minute, in milliseconds: silence:60000" => volume::silence(number.unwrap_or(60_000));
}

/// Messages that request a scenario in plain words, which are what a page offers on its buttons.
const DEMOS: [(&str, &str); 12] = [
    ("Tour: a bit of everything", "tour"),
    ("Approve a command, an edit and a web page", "confirm"),
    ("Approve high-risk actions only", "risk"),
    ("The model rejects the API key", "error401"),
    ("The model is busy", "error429"),
    ("200 quick steps", "long:200"),
    ("A command that takes 20 seconds", "slow:20000"),
    ("Images", "images"),
    ("MCP tools", "tools"),
    ("The agent delegates to another one", "delegate"),
    ("The history is summarized", "condensation"),
    ("Hostile output (injection tests)", "hostile"),
];

/// Whether a message requests a scenario in plain words.
pub fn is_demo(message: &str) -> bool {
    DEMOS.iter().any(|(words, _)| *words == message.trim())
}

/// The script that a message requests with `[[scenario:NAME]]`, or in the words of a demo.
///
/// A command that a user asks for instead of a rejected one is the script itself.
pub fn named(message: &str) -> Option<Script> {
    if let Some(command) = amended(message) {
        return Some(approval::obedient(command));
    }
    let name = requested(message)?;
    match name.split_once(':') {
        Some((name, number)) => by_name(name, number.parse().ok()),
        None => by_name(name, None),
    }
}

/// The script for a first message that requests none.
pub fn fitting(message: &str) -> Script {
    let words = message.to_lowercase();
    let is_greeting = |word: &str| word.starts_with("hello") || word == "hi";
    let greets = words.len() < 20 && words.split_whitespace().any(is_greeting);
    if greets { tour::hello() } else { tour::tour() }
}

/// The name, with its parameter, of the scenario that a message requests.
fn requested(message: &str) -> Option<&str> {
    match message.rsplit_once("[[scenario:") {
        Some((_, rest)) => rest.split_once("]]").map(|(name, _)| name),
        None => DEMOS
            .iter()
            .find(|(words, _)| *words == message.trim())
            .map(|(_, name)| *name),
    }
}

/// The command that a message asks for instead of a rejected one.
fn amended(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("instead, unchanged and on its own:\n\n")?;
    let (fence, rest) = rest.split_once('\n')?;
    let (command, _) = rest.rsplit_once(fence)?;
    (fence.len() > 2).then(|| command.trim_end_matches('\n'))
}

/// A conversation's title after its first message.
pub fn title(message: &str) -> String {
    if let Some(name) = requested(message).filter(|_| !is_demo(message)) {
        return format!("Rehearsal: {name}");
    }
    let line = message.lines().next().unwrap_or_default().trim();
    match line {
        "" => String::from("Rehearsal"),
        line => line.chars().take(60).collect(),
    }
}

/// The agent's reply when the script has no more steps.
pub fn honest_reply() -> String {
    let mut reply = String::from(
        "I am a rehearsal agent: there is no model behind me and nothing is executed. Connect a real OpenHands backend to get work done.\n\nUntil then I can act out these scenes. Send me one of:\n\n",
    );
    for (words, _) in DEMOS {
        reply += &format!("- {words}\n");
    }
    reply
}

/// The final message of a script with approvals.
pub fn report(answers: &[(String, Answer)]) -> String {
    let mut report =
        String::from("The rehearsal is over. Nothing left this process: all of it was scripted.\n");
    if answers.is_empty() {
        report += "\nYour settings asked for no approval, so nothing waited for you.\n";
    }
    for (wanted, title) in [
        (Answer::Approved, "You **approved**:"),
        (Answer::Rejected, "You **rejected**, so it did not happen:"),
        (
            Answer::Ignored,
            "You said something else instead of answering:",
        ),
    ] {
        let matching = answers.iter().filter(|(_, answer)| *answer == wanted);
        let lines: String = matching.map(|(name, _)| format!("- `{name}`\n")).collect();
        if !lines.is_empty() {
            report += &format!("\n{title}\n\n{lines}");
        }
    }
    report
}

/// The first event of an agent.
pub fn system() -> Value {
    embedded(include_str!("system.json"))
}

/// A short command.
fn step(number: u64) -> Act {
    shell(&format!("echo step {number}"), format!("step {number}"), 0)
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
    fn a_command_that_is_asked_for_instead_is_the_script() {
        let asked = "Not this. Run exactly this command instead, unchanged and on its own:\n\n````\nls ```\n````";
        assert_eq!(amended(asked), Some("ls ```"));
        assert_eq!(named(asked).unwrap().steps.len(), 2);
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
