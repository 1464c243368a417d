//! The message field.
//!
//! The browser owns the text: text typed before hydration, or restored by the browser, is kept. The field is cleared
//! only after the server has accepted the message.

use super::{
    attachments::{AttachmentList, Attachments},
    text,
    words::{Sending, what_happens},
};
use crate::{
    api::{SendMessage, SendMessageWith},
    store::{Draft, link, random_id, use_conversation},
    ui::parts::{Arming, ErrorNote},
};
use leptos::{
    ev::{DragEvent, KeyboardEvent, SubmitEvent},
    html::{Form, Input, Textarea},
    prelude::*,
    server_fn::ServerFn,
};
use web_sys::ClipboardEvent;

/// Maximum height of the field in lines, for browsers that cannot size it themselves.
const MOST_LINES: u32 = 12;

/// The form for a message. `draft` is the user's saved draft.
#[component]
pub fn Composer(
    draft: String,
    /// Guards the buttons of the pending approval: sending a message rejects it.
    arming: Arming,
) -> impl IntoView {
    let store = use_conversation();
    let keep = Draft::new(store.id());
    let attachments = Attachments::new();
    let send = ServerAction::<SendMessageWith>::new();
    // The result of a submit without JavaScript.
    let plain = ServerAction::<SendMessage>::new();
    let (form, field) = (NodeRef::<Form>::new(), NodeRef::<Textarea>::new());
    // The idempotency key: unchanged until the server accepts the message, so a retry after a lost response is
    // harmless.
    let client_id = StoredValue::new(String::new());
    let hint = store.of_session(what_happens);
    let starts = store
        .backend
        .with_value(|backend| backend.capabilities.runtimes);
    let sending = store.of_session(move |session| Sending::of(session, starts));
    let rejects = move || sending.get_untracked() == Sending::Rejects;

    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(field) = field.get_untracked() else {
            return;
        };
        let (images, files) = attachments.to_send();
        let mut words = field.value();
        if words.trim().is_empty() && images.is_empty() && !files.is_empty() {
            words = text::attached(files.join(", "));
        }
        let nothing = words.trim().is_empty() && images.is_empty();
        if nothing || send.pending().get_untracked() || untrack(|| attachments.going()) {
            return;
        }
        if client_id.with_value(String::is_empty) {
            client_id.set_value(random_id());
        }
        send.dispatch(SendMessageWith {
            id: store.id(),
            text: words,
            client_id: client_id.get_value(),
            images,
            files,
        });
    };
    Effect::new(move || {
        if let (Some(Ok(())), Some(field)) = (send.value().get(), field.get_untracked()) {
            field.set_value("");
            field.set_rows(1);
            attachments.clear();
            keep.clear();
            client_id.set_value(String::new());
        }
    });
    let from_server = draft.clone();
    Effect::new(move || {
        if let (Some(field), Some(unsaved)) = (field.get(), keep.unsaved())
            // If the texts differ, the user typed during hydration, and that text is newer.
            && field.value() == from_server
        {
            field.set_value(&unsaved);
            fit(&field);
        }
    });
    let typed = move |_| {
        if let Some(field) = field.get_untracked() {
            fit(&field);
            keep.keep(field.value());
            client_id.set_value(String::new());
        }
    };
    let key = move |event: KeyboardEvent| {
        let enter = event.key() == "Enter" && !event.is_composing();
        let always = event.ctrl_key() || event.meta_key();
        let here = !event.shift_key() && !event.alt_key() && !types_by_touch();
        if enter
            && (always || here)
            && let Some(form) = form.get_untracked()
        {
            event.prevent_default();
            if !rejects() || arming.takes_key(&event) {
                let _ = form.request_submit();
            }
        }
    };
    let paste = move |event: ClipboardEvent| {
        if attachments.take_data(event.clipboard_data()) {
            event.prevent_default();
        }
    };
    let over = RwSignal::new(false);
    let drop = move |event: DragEvent| {
        over.set(false);
        if attachments.take_data(event.data_transfer()) {
            event.prevent_default();
        }
    };
    let error = move || {
        let said = send.value().get().or_else(|| plain.value().get());
        said.and_then(Result::err)
    };
    view! {
        {move || error().map(|error| view! { <ErrorNote error /> })}
        <form
            class="composer"
            method="post"
            action=link(SendMessage::url().trim_start_matches('/'))
            node_ref=form
            data-drop=move || over.get().then_some("")
            on:submit=submit
            on:dragover=move |event: DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop
        >
            <input type="hidden" name="id" value=store.id() />
            <AttachmentList attachments />
            <label class="visually-hidden" for="message">
                {text::message()}
            </label>
            <textarea
                class="input composer__text"
                id="message"
                name="text"
                rows="1"
                placeholder=move || match sending.get() {
                    Sending::Rejects => text::placeholder_instead(),
                    _ => text::placeholder(),
                }
                enterkeyhint="send"
                aria-describedby="message-hint"
                node_ref=field
                on:input=typed
                on:keydown=key
                on:paste=paste
            >
                {draft}
            </textarea>
            <div class="composer__bar">
                <Attach attachments />
                <span class="composer__hint muted" id="message-hint">
                    {move || hint.get()}
                </span>
                <button
                    class="button button--primary composer__send"
                    aria-busy=move || send.pending().get().then_some("true")
                    aria-disabled=move || {
                        (sending.get() == Sending::Rejects && arming.waits().get()).then_some("true")
                    }
                    disabled=move || attachments.going()
                    on:click=move |click| {
                        if rejects() {
                            arming.guard(&click);
                        }
                    }
                >
                    {move || sending.get().label()}
                </button>
            </div>
        </form>
    }
    .into_any()
}

/// The file picker.
#[component]
fn Attach(attachments: Attachments) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    let picked = move |_| {
        if let Some(input) = input.get_untracked() {
            attachments.take(input.files());
            // Lets the user pick the same file again.
            input.set_value("");
        }
    };
    view! {
        <label class="button button--quiet" data-needs-script>
            {text::attach()}
            <input type="file" class="visually-hidden" multiple node_ref=input on:change=picked />
        </label>
    }
    .into_any()
}

/// Sets the height of the field to its number of lines.
fn fit(field: &web_sys::HtmlTextAreaElement) {
    let lines = field.value().split('\n').count();
    field.set_rows(u32::try_from(lines).unwrap_or(MOST_LINES).min(MOST_LINES));
}

/// Whether Enter inserts a line break: with a touch screen as the main pointer there is no Shift key.
fn types_by_touch() -> bool {
    let query = window().match_media("(hover: none) and (pointer: coarse)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
