//! What differs from the repository, or what a commit changed: the files, and one of them line by line.

use super::address::panel_address;
use super::panel::{Frame, Refresh};
use super::workspace::{Asked, Workspace, use_workspace};
use crate::api::{list_changes, list_commits, read_change};
use crate::backend::{ChangedFile, Commit};
use crate::ui::parts::{EmptyState, ErrorNote, Time};
use crate::ui::timeline::DiffBlock;
use leptos::{html, prelude::*};
use leptos_router::hooks::use_query_map;

/// The changed files of the conversation.
#[component]
pub fn ChangesPanel() -> impl IntoView {
    let workspace = use_workspace();
    let query = use_query_map();
    let of = move |name: &'static str| {
        Memo::new(move |_| query.with(|query| query.get(name)).unwrap_or_default())
    };
    let chosen = Chosen {
        commit: of("commit"),
        file: of("change"),
    };
    let files = workspace.asked(move || chosen.commit.get(), list_changes);
    let can = workspace
        .store
        .backend
        .with_value(|backend| backend.capabilities);
    view! {
        <Frame title="Changes" tools=move || view! { <Refresh again=move |()| workspace.again()/> }>
            {can.commits.then(|| view! { <Commits workspace chosen/> })}
            <Transition fallback=move || workspace.waiting()>
                {move || Suspend::new(async move {
                    workspace.shown(files.await, |files| view! { <List files chosen/> }.into_any())
                })}
            </Transition>
            <OneChange workspace chosen/>
        </Frame>
    }
}

/// What is looked at.
#[derive(Clone, Copy)]
struct Chosen {
    /// A commit; empty for what is not committed.
    commit: Memo<String>,
    /// A file, or empty.
    file: Memo<String>,
}

/// The newest commits, folded up: most look at what is not committed.
#[component]
fn Commits(workspace: Workspace, chosen: Chosen) -> impl IntoView {
    let commits = workspace.asked(|| (), |id, ()| list_commits(id));
    view! {
        <Transition>
            {move || Suspend::new(async move {
                match commits.await {
                    Ok(Asked::Told(commits)) if !commits.is_empty() => {
                        view! { <CommitList commits chosen/> }.into_any()
                    }
                    Ok(_) => ().into_any(),
                    Err(error) => view! { <ErrorNote error/> }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn CommitList(commits: Vec<Commit>, chosen: Chosen) -> impl IntoView {
    const NONE: &str = "Not committed";
    let subjects: Vec<_> = commits
        .iter()
        .map(|commit| (commit.sha.clone(), commit.subject.clone()))
        .collect();
    let shown = move || {
        let sha = chosen.commit.get();
        let found = subjects.iter().find(|(one, _)| *one == sha);
        match found {
            Some((_, subject)) => subject.clone(),
            None if sha.is_empty() => NONE.to_owned(),
            None => format!("Commit {}", short(&sha)),
        }
    };
    let entry = move |sha: String, inside: AnyView| {
        let address = match sha.as_str() {
            "" => panel_address("changes", &[]),
            sha => panel_address("changes", &[("commit", sha)]),
        };
        let current = move || {
            chosen
                .commit
                .with(|chosen| *chosen == sha)
                .then_some("true")
        };
        view! {
            <li>
                <a class="change-list__file" href=address data-noscroll="" aria-current=current>
                    {inside}
                </a>
            </li>
        }
    };
    let list = NodeRef::<html::Details>::new();
    let fold = move |_| {
        if let Some(list) = list.get_untracked() {
            list.set_open(false);
        }
    };
    let entries = commits.into_iter().map(|commit| {
        let inside = view! {
            <span class="mono muted">{short(&commit.sha).to_owned()}</span>
            " "
            <span class="truncate change-list__subject">{commit.subject}</span>
            " "
            <span class="muted change-list__by truncate">{commit.author}</span>
            " "
            <Time at=commit.at relative=true class="muted"/>
        };
        entry(commit.sha, inside.into_any())
    });
    view! {
        <details class="commits" node_ref=list>
            <summary>
                <span class="truncate">{shown}</span>
            </summary>
            <ul class="change-list" on:click=fold>
                {entry(String::new(), NONE.into_any())}
                {entries.collect_view()}
            </ul>
        </details>
    }
    .into_any()
}

/// As much of a hash as people read.
fn short(sha: &str) -> &str {
    sha.get(..7).unwrap_or(sha)
}

#[component]
fn List(files: Vec<ChangedFile>, chosen: Chosen) -> impl IntoView {
    let commit = chosen.commit.get();
    if files.is_empty() {
        let text = if commit.is_empty() {
            "Nothing differs from the repository. Outside of a repository no changes can be told."
        } else {
            "This commit changed no files."
        };
        return view! { <EmptyState title="No changes" text/> }.into_any();
    }
    let entries = files.into_iter().map(|file| {
        let (mark, word) = in_words(&file.status);
        let path = file.path.clone();
        let mut selected = vec![("change", file.path.as_str())];
        selected.extend((!commit.is_empty()).then_some(("commit", commit.as_str())));
        let address = panel_address("changes", &selected);
        view! {
            <li>
                <a
                    class="change-list__file"
                    href=address
                    data-noscroll=""
                    aria-current=move || chosen.file.with(|chosen| *chosen == path).then_some("true")
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
fn OneChange(workspace: Workspace, chosen: Chosen) -> impl IntoView {
    let change = workspace.asked(
        move || (chosen.commit.get(), chosen.file.get()),
        |id, (commit, path)| async move {
            if path.is_empty() {
                Ok(None)
            } else {
                read_change(id, commit, path).await.map(Some)
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
