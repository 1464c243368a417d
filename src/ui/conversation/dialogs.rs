//! The rename and delete dialogs. Their code is loaded when they are opened.

use super::text;
use crate::{
    api::{DeleteConversation, RenameConversation},
    store::{Call, use_conversation},
    ui::{
        parts::{self, Dialog, ErrorNote, Submit, varying},
        shell::ServerForm,
    },
};
use leptos::prelude::*;

/// Renames the conversation.
#[component]
pub fn RenameDialog(open: RwSignal<bool>, title: Memo<String>) -> impl IntoView {
    let store = use_conversation();
    let rename = Call::of::<RenameConversation>();
    rename.on_success(move || open.set(false));
    let close = Callback::new(move |()| open.set(false));
    any_view! {
        <Dialog open close title=Signal::stored(text::rename_title().to_owned())>
            <ServerForm action=rename>
                <input type="hidden" name="id" value=store.id() />
                <div class="field">
                    <label class="field__label" for="new-title">
                        {parts::text::title()}
                    </label>
                    <input class="input" id="new-title" name="title" value=move || title.get() required maxlength="200" />
                </div>
                <Actions open action=rename label=parts::text::rename() class="button button--primary" />
            </ServerForm>
        </Dialog>
    }
}

/// Asks for confirmation before the conversation is deleted.
#[component]
pub fn DeleteDialog(open: RwSignal<bool>, title: Memo<String>) -> impl IntoView {
    let store = use_conversation();
    let delete = Call::of::<DeleteConversation>();
    let close = Callback::new(move |()| open.set(false));
    any_view! {
        <Dialog open close title=Signal::stored(parts::text::delete_this().to_owned())>
            <ServerForm action=delete>
                <p>
                    <strong>{varying(move || title.get())}</strong>
                    " "
                    {text::delete_hint()}
                </p>
                <input type="hidden" name="id" value=store.id() />
                <Actions open action=delete label=parts::text::delete() class="button button--danger" />
            </ServerForm>
        </Dialog>
    }
}

/// The Cancel button and the action of the dialog, below what went wrong.
#[component]
fn Actions(
    open: RwSignal<bool>,
    action: Call,
    label: &'static str,
    class: &'static str,
) -> impl IntoView {
    let error = move || action.value().get().and_then(Result::err);
    any_view! {
        {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
        <div class="dialog__actions">
            <button class="button" type="button" on:click=move |_| open.set(false)>
                {parts::text::cancel()}
            </button>
            <Submit busy=action.pending() label class />
        </div>
    }
}
