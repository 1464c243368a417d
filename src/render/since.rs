//! What happened in a conversation since its reader left, as HTML.

use super::Html;
use super::hidden::{escaped, plain_line};
use super::text;
use crate::conversation::{Answered, Event, Few, Outcome, Since};
use std::collections::BTreeMap;

/// Longest name of a step, in characters.
const NAMED: usize = 80;

/// How much is new, and what no row says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct New {
    /// Number of new rows that were read.
    pub count: usize,
    /// Whether these are all.
    pub is_whole: bool,
    /// What was spent since, in US dollars.
    pub cost: f64,
    /// That the agent may be stuck, in a sentence.
    pub stuck: Option<String>,
}

/// How much is new, in words.
pub fn since_in_words(new: &New) -> String {
    match new.is_whole {
        true => text::since_count(new.count),
        false => text::since_more(new.count),
    }
}

/// What happened, a line for each kind, with links to the rows.
pub fn since_html(since: &Since, new: &New) -> Html {
    let mut lines = Vec::new();
    if since.files.count > 0 {
        let files = links(&since.files, link);
        lines.push(line("", &text::since_files(since.files.count), &files));
    }
    if since.tests.count > 0 {
        let tests = links(&since.tests, |(event, outcome)| {
            let (tone, words) = match outcome {
                Outcome::Passed => ("good", text::since_passed().to_owned()),
                Outcome::Failed(code) => ("bad", text::since_failed(code)),
                Outcome::Unknown => ("", text::since_unknown().to_owned()),
            };
            let words = escaped(&words);
            format!(r#"{} <span data-tone="{tone}">{words}</span>"#, link(event))
        });
        lines.push(line("", text::since_tests(), &tests));
    }
    if since.failures.count > 0 {
        let failures = links(&since.failures, link);
        lines.push(line(
            "bad",
            &text::since_failures(since.failures.count),
            &failures,
        ));
    }
    answers(&since.answers, &mut lines);
    if new.cost > 0.0 {
        lines.push(line(
            "",
            text::since_cost(),
            &super::insight::money(new.cost),
        ));
    }
    if let Some(stuck) = &new.stuck {
        lines.push(format!(
            r#"<li data-tone="warning">{}</li>"#,
            escaped(stuck)
        ));
    }
    match lines.is_empty() {
        true => Html::new(),
        false => format!(r#"<ul class="since__lines">{}</ul>"#, lines.concat()),
    }
}

/// A line for each person, of what they approved and of what they rejected.
fn answers(answers: &Few<Answered>, lines: &mut Vec<Html>) {
    let mut said: BTreeMap<(bool, &str), Vec<Html>> = BTreeMap::new();
    for one in &answers.named {
        let key = (!one.approved, one.by.as_str());
        said.entry(key).or_default().push(link(&one.event));
    }
    for ((is_rejected, by), mut events) in said {
        let by = plain_line(by, NAMED);
        let head = match (is_rejected, by.is_empty()) {
            (false, true) => text::since_approved().to_owned(),
            (false, false) => text::since_approved_by(by),
            (true, true) => text::since_rejected().to_owned(),
            (true, false) => text::since_rejected_by(by),
        };
        events.reverse();
        lines.push(line("", &head, &events.join(", ")));
    }
    let others = answers.count - answers.named.len();
    if others > 0 {
        lines.push(format!(
            "<li>{}</li>",
            escaped(&text::since_answers(others))
        ));
    }
}

/// The newest ones first, and the number of the others.
fn links<T>(few: &Few<T>, html: impl Fn(&T) -> Html) -> Html {
    let mut all: Vec<Html> = few.named.iter().rev().map(html).collect();
    let others = few.count - few.named.len();
    if others > 0 {
        all.push(escaped(&text::and_more(others)));
    }
    all.join(", ")
}

fn link(event: &Event) -> Html {
    let Event { text, pos, row } = event;
    let name = match plain_line(text, NAMED) {
        line if line.is_empty() => text::since_step().to_owned(),
        line => line,
    };
    // As `ui::timeline::row_address`.
    let behind = row.saturating_add(1);
    format!(
        r##"<a href="?before={pos}.{behind}#row-{row}">{}</a>"##,
        escaped(&name)
    )
}

fn line(tone: &str, head: &str, html: &str) -> Html {
    format!(
        r#"<li data-tone="{tone}"><span class="since__head">{}</span> {html}</li>"#,
        escaped(head)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str) -> Event {
        let text = text.to_owned();
        Event {
            text,
            pos: 4,
            row: 7,
        }
    }

    #[test]
    fn each_kind_is_a_line_with_links() {
        let since = Since {
            files: Few {
                named: vec![event("a.rs"), event("b.rs")],
                count: 4,
            },
            tests: Few {
                named: vec![
                    (event("cargo test"), Outcome::Failed(101)),
                    (event("make test"), Outcome::Unknown),
                ],
                count: 2,
            },
            failures: Few::default(),
            answers: Few {
                named: vec![Answered {
                    event: event("rm"),
                    approved: true,
                    by: "ada".to_owned(),
                }],
                count: 1,
            },
        };
        let new = New {
            cost: 0.5,
            ..New::default()
        };
        let html = since_html(&since, &new);
        for part in [
            r##"<a href="?before=4.8#row-7">b.rs</a>, <a"##,
            "and 2 more",
            "failed (exit code 101)",
            "result unknown",
            "Approved by ada:",
            "$0.50",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert_eq!(since_html(&Since::default(), &New::default()), "");
    }

    #[test]
    fn hostile_names_stay_text() {
        let bad = "<img src=x onerror=alert(1)>\u{202e}\"'&";
        let since = Since {
            failures: Few {
                named: vec![event(bad)],
                count: 1,
            },
            answers: Few {
                named: vec![Answered {
                    event: event(""),
                    approved: false,
                    by: bad.to_owned(),
                }],
                count: 1,
            },
            ..Since::default()
        };
        let html = since_html(
            &since,
            &New {
                stuck: Some(bad.to_owned()),
                ..New::default()
            },
        );
        assert!(!html.contains("<img"), "{html}");
        assert!(html.contains(">step</a>"), "{html}");
    }
}
