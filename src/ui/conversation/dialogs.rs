//! The rename and delete dialogs. They are native dialogs: newer browsers open them without JavaScript, too.

use super::text;
use crate::{
    api::{DeleteConversation, RenameConversation},
    store::use_conversation,
    ui::{
        parts::{self, ErrorNote},
        shell::ServerForm,
    },
};
use leptos::{html::Dialog, prelude::*};
use wasm_bindgen::JsCast;

/// Opens the dialog with this id.
pub(super) fn show(id: &str) {
    let dialog = document().get_element_by_id(id);
    if let Some(dialog) =
        dialog.and_then(|element| element.dyn_into::<web_sys::HtmlDialogElement>().ok())
    {
        // Fails only if the browser has already opened the dialog.
        let _ = dialog.show_modal();
    }
}

/// Renames the conversation.
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
                    {text::rename_title()}
                </h2>
                <input type="hidden" name="id" value=store.id() />
                <div class="field">
                    <label class="field__label" for="new-title">
                        {parts::text::title()}
                    </label>
                    <input class="input" id="new-title" name="title" value=move || title.get() required maxlength="200" />
                </div>
                {move || error().map(|error| view! { <ErrorNote error /> })}
                <Actions dialog>
                    <button class="button button--primary" aria-busy=move || rename.pending().get().then_some("true")>
                        {parts::text::rename()}
                    </button>
                </Actions>
            </ServerForm>
        </dialog>
    }
    .into_any()
}

/// Asks for confirmation before the conversation is deleted.
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
                    {parts::text::delete_this()}
                </h2>
                <p>
                    <strong>{move || title.get()}</strong>
                    " "
                    {text::delete_hint()}
                </p>
                <input type="hidden" name="id" value=store.id() />
                {move || error().map(|error| view! { <ErrorNote error /> })}
                <Actions dialog>
                    <button class="button button--danger" aria-busy=move || delete.pending().get().then_some("true")>
                        {parts::text::delete()}
                    </button>
                </Actions>
            </ServerForm>
        </dialog>
    }
    .into_any()
}

/// The Cancel button and the action of the dialog.
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
                {parts::text::cancel()}
            </button>
            {children()}
        </div>
    }
    .into_any()
}
