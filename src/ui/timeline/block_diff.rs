//! A diff of a file: one column on a phone, two columns on wide screens.
//!
//! Lines are grouped into runs, so that the style sheet alone can choose the layout: a run is either unchanged lines,
//! or removed lines followed by the added lines that replace them.

use super::more::MoreLink;
use crate::render::{Change, DiffLine, DiffView};
use leptos::prelude::*;

/// A diff of a file. `row` is the row that contains it, for "Show all".
#[component]
pub fn DiffBlock(view: DiffView, row: Option<i64>) -> impl IntoView {
    let more = row.filter(|_| view.cut);
    let hunks = view.hunks.into_iter().map(|hunk| {
        let runs = runs(hunk.lines)
            .into_iter()
            .map(|run| view! { <RunView run /> });
        view! { <div class="diff__hunk">{runs.collect_view()}</div> }
    });
    // A change that is none of lines says so in its notes.
    let (added, removed) = (view.added, view.removed);
    let stat = (added + removed > 0).then(|| {
        view! {
            <span class="diff__stat">
                <span class="diff__added">{format!("+{added}")}</span>
                " "
                <span class="diff__removed">{format!("−{removed}")}</span>
            </span>
        }
    });
    let notes = view.notes.into_iter();
    let notes = notes.map(|note| view! { <p class="diff__note">{note}</p> });
    view! {
        <figure class="block block-diff">
            <figcaption class="block__head">
                <span class="block__label mono">{view.path}</span>
                {stat}
            </figcaption>
            {notes.collect_view()}
            <div class="block__body">{hunks.collect_view()}</div>
            <MoreLink row=more />
        </figure>
    }
    .into_any()
}

/// A run of lines.
#[derive(Debug, PartialEq)]
enum Run {
    Same(Vec<DiffLine>),
    Changed {
        old: Vec<DiffLine>,
        new: Vec<DiffLine>,
    },
}

fn runs(lines: Vec<DiffLine>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for line in lines {
        match (line.change, runs.last_mut()) {
            (Change::Same, Some(Run::Same(same))) => same.push(line),
            (Change::Same, _) => runs.push(Run::Same(vec![line])),
            // A removed line after added ones starts a new run.
            (Change::Removed, Some(Run::Changed { old, new })) if new.is_empty() => old.push(line),
            (Change::Added, Some(Run::Changed { new, .. })) => new.push(line),
            (Change::Removed, _) => runs.push(Run::Changed {
                old: vec![line],
                new: Vec::new(),
            }),
            (Change::Added, _) => runs.push(Run::Changed {
                old: Vec::new(),
                new: vec![line],
            }),
        }
    }
    runs
}

#[component]
fn RunView(run: Run) -> impl IntoView {
    match run {
        Run::Same(lines) => {
            let old = lines.iter().map(|line| line_view(line.old, line.clone()));
            let new = lines.iter().map(|line| line_view(line.new, line.clone()));
            view! {
                <div class="diff__run diff__run--same">
                    <div class="diff__old" aria-hidden="true">
                        {old.collect_view()}
                    </div>
                    <div class="diff__new">{new.collect_view()}</div>
                </div>
            }
            .into_any()
        }
        Run::Changed { old, new } => {
            let old = old.into_iter().map(|line| line_view(line.old, line));
            let new = new.into_iter().map(|line| line_view(line.new, line));
            view! {
                <div class="diff__run">
                    <div class="diff__old">{old.collect_view()}</div>
                    <div class="diff__new">{new.collect_view()}</div>
                </div>
            }
            .into_any()
        }
    }
}

fn line_view(number: Option<u32>, line: DiffLine) -> impl IntoView {
    let class = match line.change {
        Change::Same => "line",
        Change::Added => "line line--added",
        Change::Removed => "line line--removed",
    };
    view! {
        <div class=class>
            <span class="line__number">{number}</span>
            <code class="line__text" inner_html=line.html></code>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(changes: &str) -> Vec<String> {
        let lines = changes.chars().map(|letter| DiffLine {
            change: match letter {
                '+' => Change::Added,
                '-' => Change::Removed,
                _ => Change::Same,
            },
            old: None,
            new: None,
            html: String::new(),
        });
        let runs = runs(lines.collect()).into_iter().map(|run| match run {
            Run::Same(lines) => format!("={}", lines.len()),
            Run::Changed { old, new } => format!("-{}+{}", old.len(), new.len()),
        });
        runs.collect()
    }

    #[test]
    fn lines_that_went_stand_beside_those_that_came() {
        assert_eq!(shape("==--+=="), ["=2", "-2+1", "=2"]);
        assert_eq!(shape("+-+"), ["-0+1", "-1+1"]);
        assert!(shape("").is_empty());
    }
}
