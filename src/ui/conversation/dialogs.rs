//! Renaming and deleting. Native dialogs: newer browsers open them without a script, too.

use crate::{
    api::{DeleteConversation, RenameConversation},
    store::use_conversation,
    ui::{parts::ErrorNote, shell::ServerForm},
};
use leptos::{html::Dialog, prelude::*};
use wasm_bindgen::JsCast;

/// Opens the dialog of this id.
pub(super) fn show(id: &str) {
    let dialog = document().get_element_by_id(id);
    if let Some(dialog) =
        dialog.and_then(|element| element.dyn_into::<web_sys::HtmlDialogElement>().ok())
    {
        // Fails only if the browser has opened it by itself already.
        let _ = dialog.show_modal();
    }
}

/// Gives the conversation another title.
#[component]
pub(super) fn RenameDialog(title: Memo<String>) -> impl IntoView {
    let store = use_conversation();
    let rename = ServerAction::<RenameConversation>::new();
    let dialog = NodeRef::<Dialog>::new();
    let error = move || rename.value().get().and_then(Result::err);
    Effect::new(move || {
        if let (Some(Ok(())), Some(dialog)) = (rename.value().get(), dialog.get_untracked()) {
            dialog.close();
        }
    });
    view! {
        <dialog class="dialog" id="rename" node_ref=dialog aria-labelledby="rename-title">
            <ServerForm action=rename>
                <h2 class="dialog__title" id="rename-title">
                    "Rename"
                </h2>
                <input type="hidden" name="id" value=store.id() />
                <div class="field">
                    <label class="field__label" for="new-title">
                        "Title"
                    </label>
                    <input class="input" id="new-title" name="title" value=move || title.get() required maxlength="200" />
                </div>
                {move || error().map(|error| view! { <ErrorNote error /> })}
                <Actions dialog>
                    <button class="button button--primary" aria-busy=move || rename.pending().get().then_some("true")>
                        "Rename"
                    </button>
                </Actions>
            </ServerForm>
        </dialog>
    }
    .into_any()
}

/// Asks before a conversation is removed.
#[component]
pub(super) fn DeleteDialog(title: Memo<String>) -> impl IntoView {
    let store = use_conversation();
    let delete = ServerAction::<DeleteConversation>::new();
    let dialog = NodeRef::<Dialog>::new();
    let error = move || delete.value().get().and_then(Result::err);
    view! {
        <dialog class="dialog" id="delete" node_ref=dialog aria-labelledby="delete-title">
            <ServerForm action=delete>
                <h2 class="dialog__title" id="delete-title">
                    "Delete this conversation?"
                </h2>
                <p>
                    <strong>{move || title.get()}</strong>
                    " and its workspace are removed for good, here and on the backend."
                </p>
                <input type="hidden" name="id" value=store.id() />
                {move || error().map(|error| view! { <ErrorNote error /> })}
                <Actions dialog>
                    <button class="button button--danger" aria-busy=move || delete.pending().get().then_some("true")>
                        "Delete"
                    </button>
                </Actions>
            </ServerForm>
        </dialog>
    }
    .into_any()
}

/// Cancel, and what it is about.
#[component]
fn Actions(dialog: NodeRef<Dialog>, children: Children) -> impl IntoView {
    let close = move |_| {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
    };
    view! {
        <div class="dialog__actions">
            <button class="button" type="reset" formmethod="dialog" on:click=close>
                "Cancel"
            </button>
            {children()}
        </div>
    }
    .into_any()
}
