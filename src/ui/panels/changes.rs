//! The uncommitted changes, or the changes of one commit: a list of files, and the diff of one file.

use super::address::panel_address;
use super::commits::Commits;
use super::panel::{Frame, Refresh};
use super::text;
use super::workspace::{Asked, Workspace, use_workspace};
use crate::api::{Part, list_changes, read_change};
use crate::backend::ChangedFile;
use crate::store::use_query;
use crate::ui::parts::{self, EmptyState, ErrorNote, answered};
use crate::ui::timeline::DiffBlock;
use leptos::prelude::*;

/// The changed files of the conversation.
#[component]
pub fn ChangesPanel() -> impl IntoView {
    let workspace = use_workspace();
    let query = use_query();
    let of = move |name: &'static str| {
        let given = move || query.with(|query| query.get(name));
        Memo::new(move |_| given().filter(|value| !value.is_empty()))
    };
    let chosen = Chosen {
        commit: of("commit"),
        file: of("change"),
        from: of("from"),
    };
    let files = workspace.asked(
        move || (chosen.commit.get(), chosen.from.get()),
        |id, (commit, from)| {
            let from = from.and_then(|from| from.parse().ok());
            list_changes(id, commit, from.unwrap_or_default())
        },
    );
    let can = workspace
        .store
        .backend
        .with_value(|backend| backend.capabilities);
    view! {
        <Frame title=text::changes() tools=move || view! { <Refresh again=move |()| workspace.again()/> }>
            {can.commits.then(|| view! { <Commits workspace chosen=chosen.commit/> })}
            <Transition fallback=move || workspace.waiting()>
                {answered(files, move |answer| {
                    workspace.shown(answer, |files| view! { <List files chosen/> }.into_any())
                })}
            </Transition>
            <OneChange workspace chosen/>
        </Frame>
    }
}

/// The selection.
#[derive(Clone, Copy)]
struct Chosen {
    /// The selected commit; `None` for uncommitted changes.
    commit: Memo<Option<String>>,
    /// The selected file.
    file: Memo<Option<String>>,
    /// Number of files before the shown part.
    from: Memo<Option<String>>,
}

#[component]
fn List(files: Part<ChangedFile>, chosen: Chosen) -> impl IntoView {
    let (commit, from) = (chosen.commit.get_untracked(), chosen.from.get_untracked());
    if files.entries.is_empty() {
        let hint = if commit.is_none() {
            text::no_changes_hint()
        } else {
            text::empty_commit_hint()
        };
        return view! { <EmptyState title=text::no_changes() text=hint/> }.into_any();
    }
    let more = (files.more > 0).then(|| {
        let more = files.more.to_string();
        let mut selected = vec![("from", more.as_str())];
        selected.extend(commit.as_deref().map(|commit| ("commit", commit)));
        view! {
            <a class="button button--small" href=panel_address("changes", &selected) data-noscroll="">
                {parts::text::more()}
            </a>
        }
    });
    let entries = files.entries.into_iter().map(|file| {
        let (mark, change, word) = in_words(&file.status);
        let path = file.path.clone();
        let mut selected = vec![("change", file.path.as_str())];
        selected.extend(commit.as_deref().map(|commit| ("commit", commit)));
        selected.extend(from.as_deref().map(|from| ("from", from)));
        let address = panel_address("changes", &selected);
        view! {
            <li>
                <a
                    class="change-list__file"
                    href=address
                    data-noscroll=""
                    aria-current=move || chosen.file.with(|chosen| chosen.as_ref() == Some(&path)).then_some("true")
                >
                    <span class="change-list__mark" data-change=change title=word>
                        {mark}
                    </span>
                    " "
                    <span class="truncate mono">{file.path}</span>
                    <span class="visually-hidden">{text::change(word)}</span>
                </a>
            </li>
        }
    });
    view! {
        <ul class="change-list">{entries.collect_view()}</ul>
        {more}
    }
    .into_any()
}

/// The diff of the selected file.
#[component]
fn OneChange(workspace: Workspace, chosen: Chosen) -> impl IntoView {
    let change = workspace.asked(
        move || (chosen.commit.get(), chosen.file.get()),
        |id, (commit, path)| async move {
            match path {
                None => Ok(None),
                Some(path) => read_change(id, commit, path).await.map(Some),
            }
        },
    );
    view! {
        <Transition>
            {answered(change, |answer| match answer {
                Ok(Asked::Told(Some(view))) => view! { <DiffBlock view row=None/> }.into_any(),
                Ok(_) => ().into_any(),
                Err(error) => view! { <ErrorNote error/> }.into_any(),
            })}
        </Transition>
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
