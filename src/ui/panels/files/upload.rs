//! Putting files into the workspace.

use crate::store::link;
use crate::ui::parts::Icon;
use leptos::prelude::*;

/// A form that the browser sends by itself; it comes back to this view.
#[component]
pub fn UploadForm(id: String) -> impl IntoView {
    let address = link(&format!("c/{id}/upload"));
    view! {
        <form class="cluster" method="post" action=address enctype="multipart/form-data">
            <label class="visually-hidden" for="upload-files">
                "Files to put into the workspace"
            </label>
            <input class="input grow" type="file" id="upload-files" name="files" multiple required/>
            <button class="button" type="submit">
                <Icon name="upload"/>
                " Upload"
            </button>
        </form>
    }
}
