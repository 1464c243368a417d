//! The page about one conversation.
//!
//! Long because each plot stands beside the table with its numbers.

use super::super::Html;
use super::super::hidden::{escaped, plain_line};
use super::plot::{Bar, framed, plot};
use super::table::{Column, facts, folded, hint, line, section, table};
use super::{money, share, span, text};
use crate::conversation::{Kind, Report, Spent, Step};
use crate::render::{grouped, text as words};
use std::fmt::Write;

/// Longest name of a step in a plot, in characters.
const NAMED: usize = 60;

/// Plots and tables about one conversation.
pub fn insight_html(report: &Report) -> Html {
    if report.total == Spent::default() {
        return hint(text::nothing_yet());
    }
    let mut html = section(text::summary(), &summary(report));
    if !report.steps.is_empty() {
        html.push_str(&section(text::time_by_step(), &time(report)));
        let (title, amounts) = amounts(report);
        html.push_str(&section(title, &amounts));
    }
    html.push_str(&section(text::files(), &files(report)));
    html.push_str(&section(text::commands(), &commands(report)));
    if !report.steps.is_empty() {
        html.push_str(&section(text::steps(), &folded(&steps(report))));
    }
    html
}

fn summary(report: &Report) -> Html {
    let Report { total, outside, .. } = report;
    // The plots say the rest.
    let mut known = vec![
        (text::cost(), money(total.cost)),
        (text::tokens(), grouped(total.tokens())),
        (text::cached(), share(total.cached())),
        (text::person_time(), person_time(report)),
    ];
    known.retain(|(_, value)| !value.is_empty());
    let mut html = facts(&known);
    if outside.cost > 0.0 || outside.tokens() > 0 {
        let words = text::outside_of(money(outside.cost), grouped(outside.tokens()));
        html.push_str(&hint(&format!("{}: {words}", text::outside())));
    }
    let shown = report.steps.len() as u64;
    if shown < total.steps {
        let words = text::shown_of(grouped(shown), grouped(total.steps));
        html.push_str(&hint(&words));
    }
    html
}

/// How long steps waited for a person, and whether one waits now.
fn person_time(report: &Report) -> String {
    match (report.total.person, report.is_waiting) {
        (0, true) => text::waiting_now().to_owned(),
        (time, true) => text::waited_and_now(span(time)),
        (time, false) => span(time),
    }
}

/// What stands out among the steps, in a line of text.
fn outstanding(report: &Report) -> Html {
    let mut html = String::from(r#"<ul class="said-of-steps">"#);
    let first = report.steps.first().map_or(u64::MAX, |step| step.number);
    let named = |step: &Option<Step>, words: fn(&Step) -> String| {
        let step = step.as_ref()?;
        let words = escaped(&words(step));
        // A step that is not shown any more cannot be linked.
        Some(match step.number >= first {
            true => format!(
                r##"<li><a href="#step-{}" rel="external">{words}</a></li>"##,
                step.number
            ),
            false => format!("<li>{words}</li>"),
        })
    };
    // Of equal steps none stands out.
    let mean = report.total.cost / report.total.steps.max(1) as f64;
    let dearest = report.dearest.clone();
    let dearest = dearest.filter(|step| step.spent.cost > mean * 1.01);
    let linked = [
        named(&report.slowest, |step| {
            text::slowest(step.number, span(step.spent.work()))
        }),
        named(&dearest, |step| {
            text::dearest(step.number, money(step.spent.cost))
        }),
        named(&report.longest_wait, |step| {
            text::longest_wait(step.number, span(step.spent.person))
        }),
    ];
    html.extend(linked.into_iter().flatten());
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let counts = [
        (report.failed, text::failed(count(report.failed))),
        (report.repeated, text::repeated(count(report.repeated))),
    ];
    for (_, words) in counts.into_iter().filter(|(number, _)| *number > 0) {
        let _ = write!(html, "<li>{words}</li>");
    }
    html.push_str("</ul>");
    html
}

/// What a step does, in words: its verb and its subject.
fn name(step: &Step, most: usize) -> String {
    let verb = match step.kind {
        Kind::Message => text::message(),
        Kind::Shell => words::run(),
        Kind::Cell => words::python(),
        Kind::Read => words::read(),
        Kind::Edit => words::edit(),
        Kind::Browser => words::browse(),
        Kind::Think => words::think(),
        Kind::Tasks => words::tasks(),
        Kind::Mcp => words::call(),
        Kind::SubAgent => words::delegate(),
        Kind::Finish => words::finish(),
        Kind::System | Kind::Recall | Kind::Error | Kind::Other => text::step(),
    };
    let name = format!("{verb} {}", plain_line(&step.subject, most));
    name.trim_end().to_owned()
}

/// The time of each step on a scale of roots, so that a second is seen beside an hour, and below it the time that the step
/// waited for a person.
fn time(report: &Report) -> Html {
    let rooted = |parts: &[u64]| {
        let sum = parts.iter().sum::<u64>().max(1) as f64;
        parts.iter().map(|part| *part as f64 / sum.sqrt()).collect()
    };
    let bars = |parts: fn(&Spent) -> Vec<u64>| -> Vec<Bar> {
        let bar = |step: &Step| {
            let parts = parts(&step.spent);
            let value = span(parts.iter().sum());
            Bar {
                parts: rooted(&parts),
                title: text::bar(step.number, name(step, NAMED), value),
            }
        };
        report.steps.iter().map(bar).collect()
    };
    let worked = |spent: &Spent| spent.model + spent.tool;
    let mut sums = Spent::default();
    report.steps.iter().for_each(|step| sums.add(&step.spent));
    let highest = report.steps.iter().map(|step| worked(&step.spent)).max();
    let highest = highest.unwrap_or(0);
    let [model, tool, person] = [sums.model, sums.tool, sums.person].map(span);
    let label = text::time_plot(report.steps.len(), &model, &tool, &person);
    let spent = |name: &str, time: &str| format!("{name} {time}");
    let mut signs = vec![
        ("plot__bar--model", spent(text::model_time(), &model)),
        ("plot__bar--tool", spent(text::tool_time(), &tool)),
    ];
    let classes = ["plot__bar--model", "plot__bar--tool"];
    let drawn = plot(
        &label,
        &classes,
        &bars(|spent| vec![spent.model, spent.tool]),
    );
    // Half as high is a quarter of the time.
    let ticks = [highest, highest / 4, 0].map(span);
    let mut drawn = framed(&drawn, &ticks, &numbers(report));
    if sums.person > 0 {
        let class = "plot__bar--person";
        signs.push((class, spent(text::person_time(), &person)));
        let waited = bars(|spent| vec![spent.person]);
        let label = format!("{}: {}", text::person_time(), span(sums.person));
        let track = plot(&label, &[class], &waited);
        let longest = report.steps.iter().map(|step| step.spent.person).max();
        let ticks = [longest.unwrap_or(0), 0].map(span);
        let [longest, nothing] = ticks;
        drawn.push_str(&framed(&track, &[longest, nothing], &[]));
    }
    legend(&signs) + &drawn + &outstanding(report) + &hint(text::waiting_hint())
}

/// The numbers of the steps that are shown.
fn numbers(report: &Report) -> Vec<String> {
    let steps = report.steps.iter();
    steps.map(|step| step.number.to_string()).collect()
}

/// What colours mean.
fn legend(parts: &[(&str, String)]) -> Html {
    let mut html = String::from(r#"<ul class="legend">"#);
    for (class, name) in parts {
        let _ = write!(
            html,
            r#"<li><svg class="legend__sign" viewBox="0 0 1 1" aria-hidden="true"><rect class="plot__bar {class}" width="1" height="1"/></svg> {}</li>"#,
            escaped(name)
        );
    }
    html.push_str("</ul>");
    html
}

/// The cost of each step; the tokens if nothing has a cost.
fn amounts(report: &Report) -> (&'static str, Html) {
    let has_cost = report.total.cost > 0.0;
    let value = |spent: &Spent| match has_cost {
        true => spent.cost,
        false => spent.tokens() as f64,
    };
    let shown = |spent: &Spent| match has_cost {
        true => money(spent.cost),
        false => grouped(spent.tokens()),
    };
    let bar = |step: &Step| Bar {
        parts: vec![value(&step.spent)],
        title: text::bar(step.number, name(step, NAMED), shown(&step.spent)),
    };
    let bars: Vec<Bar> = report.steps.iter().map(bar).collect();
    let highest = report
        .steps
        .iter()
        .max_by(|a, b| value(&a.spent).total_cmp(&value(&b.spent)));
    let top = highest.map(|step| value(&step.spent)).unwrap_or_default();
    let highest = highest.map(|step| shown(&step.spent)).unwrap_or_default();
    let last = sums(report).last().as_ref().map(shown).unwrap_or_default();
    let label = text::amount_plot(bars.len(), last);
    let drawn = plot(&label, &["plot__bar--model"], &bars);
    let [half, nothing] = [0.5, 0.0].map(|part| match has_cost {
        true => money(top * part),
        false => grouped((top * part) as u64),
    });
    let html = framed(&drawn, &[highest, half, nothing], &numbers(report));
    let title = match has_cost {
        true => text::cost_by_step(),
        false => text::tokens_by_step(),
    };
    (title, html)
}

/// The sum after each step that is shown.
fn sums(report: &Report) -> impl Iterator<Item = Spent> {
    let steps = report.steps.iter();
    steps.scan(report.earlier.clone(), |sum, step| {
        sum.add(&step.spent);
        Some(sum.clone())
    })
}

fn steps(report: &Report) -> Html {
    let columns: [Column; 10] = [
        (text::number(), true),
        (text::what(), false),
        (text::model_time(), true),
        (text::tool_time(), true),
        (text::person_time(), true),
        (text::cost(), true),
        (text::sum(), true),
        (text::input_tokens(), true),
        (text::output_tokens(), true),
        (text::cached(), true),
    ];
    let row = |(step, sum): (&Step, Spent)| {
        let spent = &step.spent;
        let mut what = escaped(&name(step, 120));
        for (applies, mark) in [
            (step.failed, text::failed_mark()),
            (step.repeated, text::repeated_mark()),
        ] {
            if applies {
                let _ = write!(what, r#" <span class="chip">{}</span>"#, escaped(mark));
            }
        }
        let cells = vec![
            step.number.to_string(),
            what,
            span(spent.model),
            span(spent.tool),
            span(spent.person),
            money(spent.cost),
            money(sum.cost),
            grouped(spent.prompt_tokens),
            grouped(spent.completion_tokens),
            share(spent.cached()),
        ];
        (format!("step-{}", step.number), cells)
    };
    let rows: Vec<_> = report.steps.iter().zip(sums(report)).map(row).collect();
    table(text::steps_table(), &columns, &rows, None)
}

fn files(report: &Report) -> Html {
    if report.files.is_empty() {
        return hint(text::no_edits());
    }
    let columns = [(text::file(), false), (text::edits(), true)];
    let rows = report.files.iter();
    let rows = rows.map(|file| (String::new(), vec![line(&file.path), grouped(file.edits)]));
    let rows: Vec<_> = rows.collect();
    let mut html = table(text::files(), &columns, &rows, None);
    if report.more_names {
        html.push_str(&hint(text::more_names()));
    }
    html
}

fn commands(report: &Report) -> Html {
    if report.commands.is_empty() {
        return hint(text::no_failures());
    }
    let columns = [
        (text::command(), false),
        (text::failures(), true),
        (text::runs(), true),
    ];
    let rows = report.commands.iter().map(|command| {
        let code = format!("<code>{}</code>", line(&command.line));
        let cells = vec![code, grouped(command.failures), grouped(command.runs)];
        (String::new(), cells)
    });
    let rows: Vec<_> = rows.collect();
    table(text::commands(), &columns, &rows, None)
}
