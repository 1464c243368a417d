//! The repository's newest commits, to select one and see its changes.

use super::super::address::panel_address;
use super::super::text;
use super::super::workspace::{Asked, Workspace};
use crate::api::list_commits;
use crate::backend::Commit;
use crate::ui::parts::{ErrorNote, Time, answered};
use leptos::{html, prelude::*};

/// The newest commits, collapsed: most users look at uncommitted changes.
#[component]
pub(super) fn Commits(
    workspace: Workspace,
    /// The selected commit; `None` for uncommitted changes.
    chosen: Memo<Option<String>>,
) -> impl IntoView {
    let commits = workspace.asked(|| (), |id, ()| list_commits(id));
    view! {
        <Transition>
            {answered(commits, move |answer| match answer {
                Ok(Asked::Told(commits)) if !commits.is_empty() => any_view! { <CommitList commits chosen/> },
                Ok(_) => ().into_any(),
                Err(error) => any_view! { <ErrorNote error/> },
            })}
        </Transition>
    }
}

#[component]
fn CommitList(commits: Vec<Commit>, chosen: Memo<Option<String>>) -> impl IntoView {
    let subjects: Vec<_> = commits
        .iter()
        .map(|commit| (commit.sha.clone(), commit.subject.clone()))
        .collect();
    let shown = move || {
        let Some(sha) = chosen.get() else {
            return text::uncommitted().to_owned();
        };
        let found = subjects.iter().find(|(one, _)| *one == sha);
        found.map_or_else(|| text::commit(short(&sha)), |(_, subject)| subject.clone())
    };
    let entry = move |sha: Option<String>, inside: AnyView| {
        let selected = sha.as_deref().map(|sha| ("commit", sha));
        let address = panel_address("changes", selected.as_slice());
        let current = move || chosen.with(|chosen| *chosen == sha).then_some("true");
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
        entry(Some(commit.sha), inside.into_any())
    });
    any_view! {
        <details class="commits" node_ref=list>
            <summary>
                <span class="truncate">{shown}</span>
            </summary>
            <ul class="change-list" on:click=fold>
                {entry(None, text::uncommitted().into_any())}
                {entries.collect_view()}
            </ul>
        </details>
    }
}

/// An abbreviated commit hash.
fn short(sha: &str) -> &str {
    sha.get(..7).unwrap_or(sha)
}
