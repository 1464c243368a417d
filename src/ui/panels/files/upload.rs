//! Putting files into the workspace.

use super::super::workspace::Workspace;
use crate::store::{Progress, link, upload};
use crate::ui::composer::how_far;
use crate::ui::parts::Icon;
use leptos::{ev::SubmitEvent, html::Input, prelude::*};

/// A form that the browser sends by itself, and comes back to this view. With a script it stays, and says
/// how far each file is.
#[component]
pub fn UploadForm(
    workspace: Workspace,
    /// Files on their way: the form is drawn anew with the tree, they stay.
    sent: RwSignal<Vec<(String, Progress)>>,
) -> impl IntoView {
    let address = link(&format!("c/{}/upload", workspace.store.id()));
    let input = NodeRef::<Input>::new();
    let target = address.clone();
    let submit = move |event: SubmitEvent| {
        let Some(files) = input.get_untracked().and_then(|input| input.files()) else {
            return;
        };
        event.prevent_default();
        let files: Vec<_> = (0..files.length()).filter_map(|at| files.get(at)).collect();
        let names = files.iter().map(|file| (file.name(), Progress::Going(0)));
        sent.set(names.collect());
        for (at, file) in files.iter().enumerate() {
            upload(&target, file, move |progress| {
                // The page may be gone by the time a file is there.
                let _ = sent.try_update(|sent| {
                    if let Some(known) = sent.get_mut(at) {
                        known.1 = progress;
                    }
                    // What is there is shown by the tree.
                    if !sent
                        .iter()
                        .any(|(_, how)| matches!(how, Progress::Going(_)))
                    {
                        sent.retain(|(_, how)| matches!(how, Progress::Failed(_)));
                        workspace.again();
                    }
                });
            });
        }
    };
    view! {
        <form class="cluster" method="post" action=address enctype="multipart/form-data" on:submit=submit>
            <label class="visually-hidden" for="upload-files">
                "Files to put into the workspace"
            </label>
            <input class="input grow" type="file" id="upload-files" name="files" multiple required node_ref=input/>
            <button class="button" type="submit">
                <Icon name="upload"/>
                " Upload"
            </button>
        </form>
        {move || {
            sent.get()
                .into_iter()
                .map(|(name, progress)| {
                    let state = how_far(&name, progress);
                    view! { <p class="cluster"><span class="truncate">{name}</span>{state}</p> }
                })
                .collect_view()
        }}
    }
}
