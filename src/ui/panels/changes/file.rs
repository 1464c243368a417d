//! A changed file of the review: its name, folded or not, and its diff, picture, or why it is not shown.

use super::super::address::file_address;
use super::super::text;
use super::Place;
use super::diff::lines;
use super::state::Comments;
use crate::api::{CommentView, ReviewedChange, ReviewedFile};
use crate::render::DiffView;
use crate::ui::parts::varying;
use crate::ui::timeline::diff_stat;
use leptos::prelude::*;

/// Lines of a diff beyond which it is folded at first.
const LONG: usize = 60;

/// A changed file. What changes in it is drawn again; whether it is folded is up to the reader.
#[component]
pub(super) fn File(
    /// The id of the conversation.
    id: String,
    path: String,
    file: Memo<Option<ReviewedFile>>,
    comments: Comments,
    all: Memo<Vec<CommentView>>,
) -> impl IntoView {
    let chosen = comments.chosen;
    let known = path.clone();
    let here = Memo::new(move |_| {
        let commit = chosen.commit.get().unwrap_or_default();
        let is_here =
            |comment: &CommentView| comment.spot.file == known && comment.spot.commit == commit;
        all.get().into_iter().filter(is_here).collect::<Vec<_>>()
    });
    let known = path.clone();
    let open = Memo::new(move |_| chosen.open_in(&known));
    let is_alone = chosen.file.get_untracked().is_some();
    let is_wanted = untrack(|| open.get().is_some() || here.with(|here| !here.is_empty()));
    let is_open =
        is_alone || is_wanted || file.with_untracked(|file| file.as_ref().is_some_and(is_short));
    let name = path.clone();
    let title = move || {
        file.get().map(|file| {
            let (mark, change, word) = in_words(&file.status);
            let mark = (!file.status.is_empty()).then(|| {
                view! {
                    <span class="change-list__mark" data-change=change title=word aria-hidden="true">
                        {mark}
                    </span>
                    " "
                    <span class="visually-hidden">{word}</span>
                }
            });
            let stat = match &file.shown {
                ReviewedChange::Diff(diff) if diff.added + diff.removed > 0 => {
                    Some(diff_stat(diff.added, diff.removed))
                }
                _ => None,
            };
            view! {
                {mark}
                " "
                <span class="review__path mono">{name.clone()}</span>
                " "
                {stat}
            }
        })
    };
    let body = move || {
        file.get().map(|file| match file.shown {
            ReviewedChange::Diff(view) => diff(view, &path, comments, (here.get(), open.get())),
            ReviewedChange::Picture(tag) => {
                let address = format!("{}&v={tag}", file_address(&id, &path));
                any_view! { <img class="file-picture" src=address alt=path.clone() loading="lazy"/> }
            }
            ReviewedChange::Unshown(why) => any_view! { <p class="muted">{why}</p> },
        })
    };
    any_view! {
        <details class="review__file" open=is_open>
            <summary>{varying(title)}</summary>
            <div class="review__body">{varying(body)}</div>
        </details>
    }
}

fn is_short(file: &ReviewedFile) -> bool {
    match &file.shown {
        ReviewedChange::Diff(diff) => {
            let shown: usize = diff.hunks.iter().map(|hunk| hunk.lines.len()).sum();
            shown <= LONG
        }
        _ => true,
    }
}

/// The diff below its name, with a link to what is left out.
fn diff(
    view: DiffView,
    path: &str,
    comments: Comments,
    (here, open): (Vec<CommentView>, Option<Place>),
) -> AnyView {
    let chosen = comments.chosen;
    let is_alone = chosen.file.with(Option::is_some);
    let whole = view.cut.then(|| {
        if is_alone {
            return any_view! { <p class="remark remark--info">{text::change_cut()}</p> };
        }
        let address = chosen.address(&[("change", path)]);
        any_view! {
            <a class="block__more" href=address data-noscroll="">
                {text::whole_change()}
            </a>
        }
    });
    any_view! {
        {lines(view, path, comments, here, open)}
        {whole}
    }
}

/// Git's status letter, the value of `data-change`, and a word for it.
fn in_words(status: &str) -> (String, &'static str, &'static str) {
    let letter = status.trim().chars().next().unwrap_or('?');
    let (change, word) = match letter {
        'A' | 'U' | '?' => ("added", text::added()),
        'D' => ("deleted", text::deleted()),
        'R' => ("renamed", text::renamed()),
        _ => ("modified", text::modified()),
    };
    (letter.to_string(), change, word)
}
