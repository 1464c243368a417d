//! The marks along the slider, and what they are.

use super::text;
use crate::api::{MarkView, TrackView};
use crate::conversation::Mark;
use leptos::prelude::*;

/// The marks, each kind in a lane of its own, above the slider of `newest` events.
#[component]
pub(super) fn Marks(track: TrackView, newest: Memo<i64>) -> impl IntoView {
    let lanes = Mark::ALL.into_iter().enumerate().map(|(lane, mark)| {
        let path = path(&track.marks, mark, lane);
        view! { <path data-mark=mark.as_str() d=path vector-effect="non-scaling-stroke"></path> }
    });
    let lanes = lanes.collect_view();
    let view_box = move || format!("1 0 {} {}", (newest.get() - 1).max(1), Mark::ALL.len());
    any_view! {
        <svg class="replay__marks" viewBox=view_box preserveAspectRatio="none" aria-hidden="true">
            {lanes}
        </svg>
    }
}

/// A line for each mark of a kind.
fn path(marks: &[MarkView], mark: Mark, lane: usize) -> String {
    let of_kind = marks.iter().filter(|one| one.mark == mark);
    of_kind
        .map(|one| format!("M{} {lane}v1", one.seq))
        .collect()
}

/// How many marks of each kind there are, in the colours of the marks.
#[component]
pub(super) fn Legend(track: TrackView) -> impl IntoView {
    let kinds = Mark::ALL.into_iter().filter_map(|mark| {
        let of_kind = track.marks.iter().filter(|one| one.mark == mark);
        let count: usize = of_kind.map(|one| one.count as usize).sum();
        let words = match mark {
            Mark::Message => text::messages(count),
            Mark::Approval => text::approvals(count),
            Mark::Error => text::errors(count),
            Mark::Edit => text::edits(count),
            Mark::Condensation => text::condensations(count),
        };
        (count > 0).then(|| view! { <li data-mark=mark.as_str()>{words}</li> })
    });
    any_view! { <ul class="replay__legend">{kinds.collect_view()}</ul> }
}

/// Why an event is marked.
pub(super) fn word(mark: Mark) -> &'static str {
    match mark {
        Mark::Message => text::message(),
        Mark::Approval => text::approval(),
        Mark::Error => text::error(),
        Mark::Edit => text::edit(),
        Mark::Condensation => text::condensation(),
    }
}
