//! What the pages about time and cost show, and that no text of an agent leaves its place.

use super::*;
use crate::conversation::{
    Change, Command, Kind, Measure, Overall, OverallReport, Report, Spent, Step,
};
use std::collections::HashMap;

fn step(number: u64, subject: &str, spent: Spent) -> Step {
    Step {
        number,
        row: number as i64,
        at: 1,
        kind: Kind::Shell,
        subject: subject.to_owned(),
        response: None,
        spent,
        ran: None,
        idle: 0,
        failed: true,
        repeated: false,
    }
}

fn spent(model: u64, cost: f64) -> Spent {
    Spent {
        steps: 1,
        model,
        cost,
        prompt_tokens: 100,
        cache_read_tokens: 40,
        ..Spent::default()
    }
}

fn report(subject: &str) -> Report {
    let steps = vec![
        step(1, subject, spent(1000, 0.25)),
        step(2, subject, spent(3000, 0.5)),
    ];
    let mut total = Spent::default();
    steps.iter().for_each(|step| total.add(&step.spent));
    Report {
        slowest: Some(steps[1].clone()),
        steps,
        total,
        failed: 2,
        files: vec![Change {
            path: subject.to_owned(),
            edits: 1,
        }],
        commands: vec![Command {
            line: subject.to_owned(),
            runs: 2,
            failures: 2,
        }],
        ..Report::default()
    }
}

#[test]
fn a_page_has_plots_and_the_same_numbers_in_tables() {
    let html = insight_html(&report("make"));
    for wanted in [
        "Slowest: step 2, 3.0 s",
        "href=\"#step-2\"",
        "id=\"step-2\"",
        "2 failed steps",
        "role=\"img\" aria-label=\"Bars for 2 steps.",
        "<td class=\"number\">$0.75</td>",
        "40%",
    ] {
        assert!(html.contains(wanted), "{wanted} is missing: {html}");
    }
    assert_eq!(html.matches("<svg class=\"plot\"").count(), 2);
    assert!(
        !html.contains("style="),
        "the content security policy forbids it"
    );
}

#[test]
fn a_few_bars_are_named_each_and_of_many_the_first_the_middle_and_the_last() {
    let named = |count: usize| {
        let names: Vec<String> = (1..=count).map(|at| format!("bar {at}")).collect();
        let html = plot::framed("", &[], &names);
        let named = names
            .into_iter()
            .filter(|name| html.contains(&format!(">{name}<")));
        named.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(named(4), "bar 1, bar 2, bar 3, bar 4");
    assert_eq!(named(31), "bar 1, bar 16, bar 31");
    assert_eq!(named(0), "");
}

#[test]
fn bars_take_the_whole_width_of_their_plot() {
    for count in [1, 5, 30] {
        let bars = (0..count).map(|_| plot::Bar {
            parts: vec![1.0],
            title: String::new(),
        });
        let html = plot::plot("x", &["a"], &bars.collect::<Vec<_>>());
        let attribute = |name: &str| -> Vec<f64> {
            let start = format!(" {name}=\"");
            let values = html.split(start.as_str()).skip(1);
            let values = values.filter_map(|rest| rest.split('"').next()?.parse().ok());
            values.collect()
        };
        let (x, wide) = (attribute("x"), attribute("width"));
        let all = 10.0 * count as f64;
        let left = x[0];
        let right = all - x[count - 1] - wide[count - 1];
        assert!((left - right).abs() < 0.15 && left < 5.0, "{html}");
    }
}

#[test]
fn text_of_an_agent_stays_text() {
    let evil = "</title></svg><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u{202e}x";
    for html in [insight_html(&report(evil)), {
        let mut sums = Overall::default();
        sums.add(0, evil, evil, &spent(0, 1.0));
        let period = Period {
            base: "/".to_owned(),
            days: 0..=0,
            by: SpentBy::Model,
            measure: Measure::Input,
            titles: HashMap::from([("c1".to_owned(), evil.to_owned())]),
        };
        let report = OverallReport {
            conversations: vec![("c1".to_owned(), spent(0, 1.0))],
            count: 2,
            ..sums.report(Measure::Cost)
        };
        overall_html(&report, &period)
    }] {
        for bad in ["<script", "<img", "onerror=alert(1)>", "\u{202e}"] {
            assert!(!html.contains(bad), "{bad}: {html}");
        }
    }
}

#[test]
fn an_empty_conversation_has_nothing_to_show() {
    assert!(insight_html(&Report::default()).contains("Nothing to show yet"));
}

#[test]
fn a_plot_survives_strange_numbers() {
    let strange = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300];
    let bars = strange.map(|part| plot::Bar {
        parts: vec![part, 1.0],
        title: String::new(),
    });
    let html = plot::plot("x", &["a", "b"], &bars);
    assert!(!html.contains("NaN") && !html.contains("inf"), "{html}");
}

#[test]
fn sentences_name_what_repeats() {
    let stuck = |rule, subject: &str| {
        stuck_in_words(&Stuck {
            rule,
            times: 4,
            subject: subject.to_owned(),
        })
    };
    assert_eq!(
        stuck(StuckRule::Repetition, "ls -l"),
        "The agent may be stuck: it repeated “ls -l” 4 times with the same result."
    );
    assert!(stuck(StuckRule::Errors, "").contains("repeated the same step 4 times"));
    assert!(silent_in_words(6).contains("no event for 6 minutes"));
}

#[test]
fn amounts_are_as_exact_as_they_matter() {
    let amounts = [0.0, 0.000_01, 0.004_2, 0.58, 12.345].map(money);
    assert_eq!(amounts, ["$0.00", "$0.00", "$0.0042", "$0.58", "$12.35"]);
    assert_eq!(
        [999, 1_500, 61_000, 3_700_000].map(span),
        ["999 ms", "1.5 s", "1 min 1 s", "1 h 1 min"]
    );
}
