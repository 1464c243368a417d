//! The diff of a file in the review: each line's number leads to a comment on it, and comments stand below their lines.

use super::super::plain::plain;
use super::super::text;
use super::Place;
use super::comments::place as in_words;
use super::form::{Writing, form};
use super::state::Comments;
use crate::api::CommentView;
use crate::render::{Change, DiffLine, DiffSide, DiffView};
use crate::ui::timeline::runs;
use leptos::prelude::*;

/// Characters of a line that a comment quotes.
const QUOTED: usize = 300;

/// The lines of `view`, with those of `here` that are about them, and the form if it is open at one of them.
pub(super) fn lines(
    view: DiffView,
    path: &str,
    comments: Comments,
    mut here: Vec<CommentView>,
    open: Option<Place>,
) -> AnyView {
    let base = comments
        .may
        .get()
        .then(|| comments.chosen.here(&[("on", path)]));
    let mut is_open = false;
    let hunks = view.hunks.into_iter().enumerate().map(|(hunk_at, hunk)| {
        let gap = (hunk_at > 0).then(|| view! { <hr class="diff__gap"/> });
        let runs = runs(hunk.lines).into_iter().map(|run| {
            let mut below = Vec::new();
            for line in run.old.iter().chain(&run.new) {
                let Some(place) = line.place() else {
                    continue;
                };
                let is_about =
                    |comment: &CommentView| (comment.spot.side, comment.spot.number) == place;
                if open != Some(at(place)) && !here.iter().any(is_about) {
                    continue;
                }
                let quote: String = plain(&line.html).chars().take(QUOTED).collect();
                // Another line may have its number now.
                let (these, others) = std::mem::take(&mut here)
                    .into_iter()
                    .partition(|comment| is_about(comment) && comment.quote == quote);
                let these: Vec<CommentView> = these;
                here = others;
                below.extend(
                    these
                        .into_iter()
                        .map(|comment| comments.one(comment, false)),
                );
                if open == Some(at(place)) {
                    is_open = true;
                    let path = path.to_owned();
                    below.push(form(comments, Writing::New(path, at(place), quote)));
                }
            }
            let is_both = !run.old.is_empty() && !run.new.is_empty();
            let column = |lines: Vec<DiffLine>| {
                let lines = lines
                    .into_iter()
                    .map(|line| line_view(line, base.as_deref()));
                lines.collect_view()
            };
            let (old, new) = (column(run.old), column(run.new));
            let lines = match is_both {
                true => any_view! { <div class="diff__run"><div>{old}</div><div>{new}</div></div> },
                false => any_view! { {old}{new} },
            };
            view! { {lines}{below} }
        });
        let runs = runs.collect_view();
        view! { {gap}{runs} }
    });
    let hunks = hunks.collect_view();
    let notes = view
        .notes
        .into_iter()
        .map(|note| view! { <p class="diff__note">{note}</p> });
    let anywhere = match open {
        _ if is_open || !comments.may.get() => ().into_any(),
        Some(Place::Line(..)) => {
            any_view! { <p class="review__comment muted">{text::comment_gone()}</p> }
        }
        Some(Place::Any) => form(
            comments,
            Writing::New(path.to_owned(), Place::Any, String::new()),
        ),
        None => {
            let address = comments.chosen.here(&[("on", path), ("at", "line")]);
            any_view! {
                <a
                    class="button button--quiet button--small review__anywhere"
                    href=format!("{address}#comment")
                    data-noscroll=""
                >
                    {text::comment_anywhere()}
                    <span class="visually-hidden">" " {text::of_file(path)}</span>
                </a>
            }
        }
    };
    let rest = here.into_iter().map(|comment| comments.one(comment, true));
    any_view! {
        <div class="block block-diff">
            {notes.collect_view()}
            <div class="block__body">{hunks}</div>
        </div>
        {rest.collect_view()}
        {anywhere}
    }
}

fn at((side, number): (DiffSide, u32)) -> Place {
    Place::Line(side, number)
}

/// A line. Its number is no stop of the Tab key: a page may have thousands.
fn line_view(line: DiffLine, base: Option<&str>) -> AnyView {
    let class = match line.change {
        Change::Same => "line",
        Change::Added => "line line--added",
        Change::Removed => "line line--removed",
    };
    let place = line.place();
    let shown = place.map(|(_, number)| number);
    match (place, base) {
        (Some((side, number)), Some(base)) => {
            let address = format!("{base}&at={}-{number}#comment", side.word());
            any_view! {
                <div class=class>
                    <a
                        class="line__number"
                        href=address
                        data-noscroll=""
                        tabindex="-1"
                        aria-label=in_words(side, number)
                    >
                        {number}
                    </a>
                    <code class="line__text" inner_html=line.html></code>
                </div>
            }
        }
        _ => any_view! { <code class=class data-n=shown inner_html=line.html></code> },
    }
}
