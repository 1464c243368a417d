//! Uploading files into the workspace.

use super::super::workspace::Workspace;
use super::text;
use crate::store::{Progress, link, upload};
use crate::ui::composer::how_far;
use crate::ui::parts::{named_icon, varying};
use leptos::{ev::SubmitEvent, html::Input, prelude::*};

/// An upload form. Without JavaScript the browser submits it and returns to this panel. With JavaScript the page stays,
/// and shows the progress of each file.
#[component]
pub fn UploadForm(
    workspace: Workspace,
    /// The latest uploads. They outlive the form, which is redrawn with the tree.
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
        let form = input.get_untracked().and_then(|input| input.form());
        let files: Vec<_> = (0..files.length()).filter_map(|at| files.get(at)).collect();
        let names = files.iter().map(|file| (file.name(), Progress::Going(0)));
        sent.set(names.collect());
        for (at, file) in files.iter().enumerate() {
            let form = form.clone();
            upload(&target, file, move |progress| {
                // The page may have been closed before the upload ends.
                let _ = sent.try_update(|sent| {
                    if let Some(known) = sent.get_mut(at) {
                        known.1 = progress;
                    }
                    // The tree shows the uploaded files.
                    if !sent
                        .iter()
                        .any(|(_, how)| matches!(how, Progress::Going(_)))
                    {
                        // An empty field that was used counts as invalid until its form is reset.
                        if let Some(form) = &form
                            && !sent
                                .iter()
                                .any(|(_, how)| matches!(how, Progress::Failed(_)))
                        {
                            form.reset();
                        }
                        workspace.again();
                    }
                });
            });
        }
    };
    view! {
        <form class="cluster" method="post" action=address enctype="multipart/form-data" on:submit=submit>
            <label class="visually-hidden" for="upload-files">
                {text::upload_label()}
            </label>
            <input class="input grow" type="file" id="upload-files" name="files" multiple required aria-describedby="upload-limit" node_ref=input/>
            <button class="button" type="submit">
                {named_icon("upload", text::upload())}
            </button>
            <p class="field__hint" id="upload-limit">{text::upload_limit()}</p>
        </form>
        <div class="stack" role="status">
            {varying(move || {
                sent.get()
                    .into_iter()
                    .map(|(name, progress)| {
                        let state = match progress {
                            Progress::There(_) => any_view! { <span class="muted">{text::uploaded()}</span> },
                            progress => how_far(&name, progress),
                        };
                        view! { <p class="cluster"><span class="truncate">{name}</span>{state}</p> }
                    })
                    .collect_view()
            })}
        </div>
    }
}
