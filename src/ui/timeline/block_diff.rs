//! A diff of a file: one column, and in a wide container what replaced a line beside it.
//!
//! Lines are grouped into runs, so that the style sheet alone can choose the layout: a run is either unchanged lines,
//! or removed lines followed by the added lines that replace them.

use super::{more::MoreLink, text};
use crate::render::{Change, DiffLine, DiffView};
use leptos::prelude::*;

/// A step of the timeline shows about as many lines of a longer diff at first (the style sheet has the same number).
const FEW: usize = 12;
/// More lines than a shortened row has: a longer diff was requested in full, so all of it is shown at once.
const SHORT: usize = 120;

/// A diff of a file; an empty path is said elsewhere. `row` is the row that contains it, for "Show all".
#[component]
pub fn DiffBlock(view: DiffView, row: Option<i64>) -> impl IntoView {
    let more = row.filter(|_| view.cut);
    let lines: usize = view.hunks.iter().map(|hunk| hunk.lines.len()).sum();
    let rest = (lines > 2 * FEW).then(|| view! { <Rest lines open={lines > SHORT} /> });
    let hunks = view.hunks.into_iter().enumerate().map(|(number, hunk)| {
        let gap = (number > 0).then(|| view! { <hr class="diff__gap" /> });
        let runs = runs(hunk.lines).into_iter().map(run_view);
        view! {
            {gap}
            {runs.collect_view()}
        }
    });
    let hunks = hunks.collect_view();
    // A change that is none of lines says so in its notes.
    let (added, removed) = (view.added, view.removed);
    let stat = (added + removed > 0).then(|| diff_stat(added, removed));
    let head = (!view.path.is_empty()).then(|| {
        view! {
            <figcaption class="block__head">
                <span class="block__label mono">{view.path}</span>
                {stat}
            </figcaption>
        }
    });
    if head.is_none() && view.notes.is_empty() && more.is_none() && rest.is_none() {
        return any_view! { <div class="block block-diff block__body">{hunks}</div> };
    }
    let notes = view.notes.into_iter();
    let notes = notes.map(|note| view! { <p class="diff__note">{note}</p> });
    any_view! {
        <figure class="block block-diff">
            {head} {notes.collect_view()} {rest} <div class="block__body">{hunks}</div>
            <MoreLink row=more />
        </figure>
    }
}

/// Shows the rest of the block behind it, and hides it again.
#[component]
pub(super) fn Rest(lines: usize, open: bool) -> impl IntoView {
    view! {
        <details class="block__rest" open=open>
            <summary class="block__more">
                <span class="block__all">{text::all_lines(lines)}</span>
                <span class="block__fewer">{text::fewer_lines()}</span>
            </summary>
        </details>
    }
}

/// How many lines were added and removed.
pub fn diff_stat(added: u32, removed: u32) -> AnyView {
    any_view! {
        <span class="diff__stat">
            <span class="diff__added">{format!("+{added}")}</span>
            " "
            <span class="diff__removed">{format!("−{removed}")}</span>
        </span>
    }
}

/// A run of lines: as they were, and as they became. Both are the same lines if nothing changed.
#[derive(Debug, PartialEq, Default)]
pub struct Run {
    /// The lines as they were.
    pub old: Vec<DiffLine>,
    /// The lines as they became.
    pub new: Vec<DiffLine>,
}

/// The runs of a passage.
pub fn runs(lines: Vec<DiffLine>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for line in lines {
        let is_new = line.change != Change::Removed;
        match runs.last_mut() {
            // A removed line after added ones starts a new run, and so does whatever follows unchanged lines.
            Some(run) if is_new && changes(run) == (line.change == Change::Added) => {
                run.new.push(line);
            }
            Some(run) if !is_new && run.new.is_empty() => run.old.push(line),
            _ => {
                let mut run = Run::default();
                if is_new { &mut run.new } else { &mut run.old }.push(line);
                runs.push(run);
            }
        }
    }
    runs
}

/// Whether a run is none of unchanged lines.
fn changes(run: &Run) -> bool {
    run.new
        .first()
        .is_none_or(|line| line.change != Change::Same)
}

/// What changed stands beside what it was, where there is room for both; everything else is one column.
fn run_view(run: Run) -> AnyView {
    let Run { old, new } = run;
    let is_both = !old.is_empty() && !new.is_empty();
    let old = old.into_iter().map(|line| line_view(line.old, line));
    let new = new.into_iter().map(|line| line_view(line.new, line));
    let (old, new) = (old.collect_view(), new.collect_view());
    if is_both {
        any_view! {
            <div class="diff__run">
                <div>{old}</div>
                <div>{new}</div>
            </div>
        }
    } else {
        any_view! {
            {old}
            {new}
        }
    }
}

fn line_view(number: Option<u32>, line: DiffLine) -> impl IntoView {
    let class = match line.change {
        Change::Same => "line",
        Change::Added => "line line--added",
        Change::Removed => "line line--removed",
    };
    any_view! { <code class=class data-n=number inner_html=line.html></code> }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(letters: &str) -> Vec<String> {
        let lines = letters.chars().map(|letter| DiffLine {
            change: match letter {
                '+' => Change::Added,
                '-' => Change::Removed,
                _ => Change::Same,
            },
            old: None,
            new: None,
            html: String::new(),
        });
        let shape = |run: Run| match changes(&run) {
            true => format!("-{}+{}", run.old.len(), run.new.len()),
            false => format!("={}", run.new.len()),
        };
        runs(lines.collect()).into_iter().map(shape).collect()
    }

    #[test]
    fn lines_that_went_stand_beside_those_that_came() {
        assert_eq!(shape("==--+=="), ["=2", "-2+1", "=2"]);
        assert_eq!(shape("+-+"), ["-0+1", "-1+1"]);
        assert!(shape("").is_empty());
    }
}
