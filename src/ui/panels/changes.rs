//! What differs from the repository: the files, and one of them line by line.

use super::address::panel_address;
use super::panel::{Frame, Refresh};
use super::workspace::{Asked, Workspace, use_workspace};
use crate::api::{list_changes, read_change};
use crate::backend::ChangedFile;
use crate::ui::parts::{EmptyState, ErrorNote};
use crate::ui::timeline::DiffBlock;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// The changed files of the conversation.
#[component]
pub fn ChangesPanel() -> impl IntoView {
    let workspace = use_workspace();
    let query = use_query_map();
    let chosen = Memo::new(move |_| query.with(|query| query.get("change")).unwrap_or_default());
    let files = workspace.asked(|| (), |id, ()| list_changes(id));
    view! {
        <Frame title="Changes" tools=move || view! { <Refresh again=move |()| workspace.again()/> }>
            <Transition fallback=move || workspace.waiting()>
                {move || Suspend::new(async move {
                    workspace.shown(files.await, |files| view! { <List files chosen/> }.into_any())
                })}
            </Transition>
            <OneChange workspace chosen/>
        </Frame>
    }
}

#[component]
fn List(files: Vec<ChangedFile>, chosen: Memo<String>) -> impl IntoView {
    if files.is_empty() {
        let text =
            "Nothing differs from the repository. Outside of a repository no changes can be told.";
        return view! { <EmptyState title="No changes" text/> }.into_any();
    }
    let entries = files.into_iter().map(|file| {
        let (mark, word) = in_words(&file.status);
        let path = file.path.clone();
        let address = panel_address("changes", &[("change", &file.path)]);
        view! {
            <li>
                <a
                    class="change-list__file"
                    href=address
                    data-noscroll=""
                    aria-current=move || chosen.with(|chosen| *chosen == path).then_some("true")
                >
                    <span class="change-list__mark" data-change=word title=word>
                        {mark}
                    </span>
                    " "
                    <span class="truncate mono">{file.path}</span>
                    <span class="visually-hidden">{format!(" ({word})")}</span>
                </a>
            </li>
        }
    });
    view! { <ul class="change-list">{entries.collect_view()}</ul> }.into_any()
}

/// How the chosen file differs.
#[component]
fn OneChange(workspace: Workspace, chosen: Memo<String>) -> impl IntoView {
    let change = workspace.asked(
        move || chosen.get(),
        |id, path| async move {
            if path.is_empty() {
                Ok(None)
            } else {
                read_change(id, path).await.map(Some)
            }
        },
    );
    view! {
        <Transition>
            {move || Suspend::new(async move {
                match change.await {
                    Ok(Asked::Told(Some(view))) => view! { <DiffBlock view row=None/> }.into_any(),
                    Ok(_) => ().into_any(),
                    Err(error) => view! { <ErrorNote error/> }.into_any(),
                }
            })}
        </Transition>
    }
}

/// git's letter and a word for it.
fn in_words(status: &str) -> (String, &'static str) {
    let letter = status.trim().chars().next().unwrap_or('?');
    let word = match letter {
        'A' | 'U' | '?' => "added",
        'D' => "deleted",
        'R' => "renamed",
        _ => "modified",
    };
    (letter.to_string(), word)
}
