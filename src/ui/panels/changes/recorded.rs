//! The changes that are known without the sandbox.

use super::super::text;
use super::super::workspace::Workspace;
use super::Files;
use super::state::Comments;
use crate::api::{CommentView, ReviewView};
use leptos::prelude::*;

/// What the recorded edits have changed. It may have other lines than the files have, so nobody comments on it.
pub(super) fn view(
    workspace: Workspace,
    comments: Comments,
    (view, is_whole): (ReviewView, bool),
    all: Memo<Vec<CommentView>>,
) -> AnyView {
    if view.files.is_empty() {
        return ().into_any();
    }
    let note = match is_whole {
        true => text::recorded_changes(),
        false => text::newest_recorded_changes(),
    };
    let (told, may) = (Memo::new(move |_| Some(view.clone())), Memo::new(|_| false));
    let comments = Comments { may, ..comments };
    view! {
        <p class="muted">{note}</p>
        <Files workspace comments told all/>
    }
    .into_any()
}
