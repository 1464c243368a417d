//! The rename and delete dialogs. Their code is loaded when they are opened.

use super::text;
use crate::{
    api::{DeleteConversation, RenameConversation},
    store::{Call, use_conversation},
    ui::{
        parts::{self, Dialog, ErrorNote, varying},
        shell::ServerForm,
    },
};
use leptos::prelude::*;

/// Renames the conversation.
#[component]
pub fn RenameDialog(open: RwSignal<bool>, title: Memo<String>) -> impl IntoView {
    let store = use_conversation();
    let rename = Call::of::<RenameConversation>();
    let error = move || rename.value().get().and_then(Result::err);
    Effect::new(move || {
        if matches!(rename.value().get(), Some(Ok(()))) {
            open.set(false);
        }
    });
    let close = Callback::new(move |()| open.set(false));
    view! {
        <Dialog open close title=Signal::stored(text::rename_title().to_owned())>
            <ServerForm action=rename>
                <input type="hidden" name="id" value=store.id() />
                <div class="field">
                    <label class="field__label" for="new-title">
                        {parts::text::title()}
                    </label>
                    <input class="input" id="new-title" name="title" value=move || title.get() required maxlength="200" />
                </div>
                {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
                <Actions open>
                    <button class="button button--primary" aria-busy=move || rename.pending().get().then_some("true")>
                        {parts::text::rename()}
                    </button>
                </Actions>
            </ServerForm>
        </Dialog>
    }
    .into_any()
}

/// Asks for confirmation before the conversation is deleted.
#[component]
pub fn DeleteDialog(open: RwSignal<bool>, title: Memo<String>) -> impl IntoView {
    let store = use_conversation();
    let delete = Call::of::<DeleteConversation>();
    let error = move || delete.value().get().and_then(Result::err);
    let close = Callback::new(move |()| open.set(false));
    view! {
        <Dialog open close title=Signal::stored(parts::text::delete_this().to_owned())>
            <ServerForm action=delete>
                <p>
                    <strong>{varying(move || title.get())}</strong>
                    " "
                    {text::delete_hint()}
                </p>
                <input type="hidden" name="id" value=store.id() />
                {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
                <Actions open>
                    <button class="button button--danger" aria-busy=move || delete.pending().get().then_some("true")>
                        {parts::text::delete()}
                    </button>
                </Actions>
            </ServerForm>
        </Dialog>
    }
    .into_any()
}

/// The Cancel button and the action of the dialog.
#[component]
fn Actions(open: RwSignal<bool>, children: Children) -> impl IntoView {
    view! {
        <div class="dialog__actions">
            <button class="button" type="button" on:click=move |_| open.set(false)>
                {parts::text::cancel()}
            </button>
            {children()}
        </div>
    }
    .into_any()
}
