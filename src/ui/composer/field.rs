//! The message field.
//!
//! The browser owns the text: what is typed before the program has loaded, or restored by the browser,
//! stays. It is emptied only when the server has taken the message.

use super::{
    attachments::{AttachmentList, Attachments},
    words::what_happens,
};
use crate::{
    api::{SendMessage, SendMessageWith},
    store::{Draft, link, random_id, use_conversation},
    ui::parts::ErrorNote,
};
use leptos::{
    ev::{DragEvent, KeyboardEvent, SubmitEvent},
    html::{Form, Input, Textarea},
    prelude::*,
    server_fn::ServerFn,
};
use web_sys::ClipboardEvent;

/// Lines of the field at most, where the browser does not size it by itself.
const MOST_LINES: u32 = 12;

/// Writes a message. `draft`: what was typed and not sent before.
#[component]
pub fn Composer(draft: String) -> impl IntoView {
    let store = use_conversation();
    let keep = Draft::new(store.id());
    let attachments = Attachments::new();
    let send = ServerAction::<SendMessageWith>::new();
    let (form, text) = (NodeRef::<Form>::new(), NodeRef::<Textarea>::new());
    // The same until the message was taken: sending again after a lost answer is harmless.
    let client_id = StoredValue::new(String::new());
    let hint = store.of_session(what_happens);

    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let Some(text) = text.get_untracked() else {
            return;
        };
        let (images, files) = attachments.to_send();
        let nothing = text.value().trim().is_empty() && images.is_empty() && files.is_empty();
        if nothing || send.pending().get_untracked() || untrack(|| attachments.going()) {
            return;
        }
        if client_id.with_value(String::is_empty) {
            client_id.set_value(random_id());
        }
        send.dispatch(SendMessageWith {
            id: store.id(),
            text: text.value(),
            client_id: client_id.get_value(),
            images,
            files,
        });
    };
    Effect::new(move || {
        if let (Some(Ok(())), Some(text)) = (send.value().get(), text.get_untracked()) {
            text.set_value("");
            text.set_rows(1);
            attachments.clear();
            keep.clear();
            client_id.set_value(String::new());
        }
    });
    let from_server = draft.clone();
    Effect::new(move || {
        if let (Some(text), Some(unsaved)) = (text.get(), keep.unsaved())
            // Else something was typed while the program loaded: that is newest.
            && text.value() == from_server
        {
            text.set_value(&unsaved);
            fit(&text);
        }
    });
    let typed = move |_| {
        if let Some(text) = text.get_untracked() {
            fit(&text);
            keep.keep(text.value());
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
            let _ = form.request_submit();
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
    let error = move || send.value().get().and_then(Result::err);
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
                "Message"
            </label>
            <textarea
                class="input composer__text"
                id="message"
                name="text"
                rows="1"
                placeholder="Message the agent"
                enterkeyhint="send"
                aria-describedby="message-hint"
                node_ref=text
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
                    disabled=move || attachments.going()
                >
                    "Send"
                </button>
            </div>
        </form>
    }
    .into_any()
}

/// Picks files.
#[component]
fn Attach(attachments: Attachments) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    let picked = move |_| {
        if let Some(input) = input.get_untracked() {
            attachments.take(input.files());
            // The same file can be picked again.
            input.set_value("");
        }
    };
    view! {
        <label class="button button--quiet" data-needs-script>
            "Attach"
            <input type="file" class="visually-hidden" multiple node_ref=input on:change=picked />
        </label>
    }
    .into_any()
}

/// Sizes the field by its lines.
fn fit(text: &web_sys::HtmlTextAreaElement) {
    let lines = text.value().split('\n').count();
    text.set_rows(u32::try_from(lines).unwrap_or(MOST_LINES).min(MOST_LINES));
}

/// Enter makes a new line where the main pointer is a finger: there is no Shift at hand.
fn types_by_touch() -> bool {
    let query = window().match_media("(hover: none) and (pointer: coarse)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
