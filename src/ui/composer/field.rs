//! The message field.
//!
//! The browser owns the text: text typed before hydration, or restored by the browser, is kept. The field is cleared
//! only after the server has accepted the message.
//!
//! Long because field, buttons and drafts share the state of one form.

use super::{
    attachments::{AttachmentList, Attachments},
    text,
    words::{Sending, what_happens},
};
use crate::ui::parts::varying;
use crate::{
    api::{SendMessage, SendMessageWith},
    store::{
        Call, ConversationStore, Derived, Draft, after_layout, link, me, random_id,
        use_conversation, use_offline,
    },
    ui::{
        lazy::{Lazy, dialog},
        parts::{Arming, ErrorNote, Icon, composes},
    },
};
use leptos::{
    ev::{DragEvent, KeyboardEvent, SubmitEvent},
    html::{Form, Input, Textarea},
    prelude::*,
    server_fn::ServerFn,
};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, HtmlElement};

/// Maximum height of the field in lines, for browsers that cannot size it themselves.
const MOST_LINES: u32 = 12;

/// The form for a message.
#[component]
pub fn Composer(
    /// The user's saved draft, and then what the field has.
    draft: RwSignal<String>,
    /// Guards the buttons of the pending approval, and that which sends: a message rejects it. Enter needs no guard, because
    /// no other key was meant.
    arming: Arming,
    /// Whether the field is open for the reason of a rejection; the card of an approval covers it otherwise.
    rejecting: RwSignal<bool>,
) -> impl IntoView {
    let store = use_conversation();
    let attachments = Attachments::new();
    // The result of a submit without JavaScript.
    let plain = Call::of::<SendMessage>();
    let form = NodeRef::<Form>::new();
    let hint = store.of_session(what_happens);
    let starts = store
        .backend
        .with_value(|backend| backend.capabilities.runtimes);
    let sending = store.derived(move |session| Sending::of(session, starts));
    let rejects = move || sending.get_untracked() == Sending::Rejects;

    let writing = Writing {
        sending,
        author: StoredValue::new(me().name),
        offline: use_offline(),
        keep: Draft::new(store.id()),
        words: draft,
        send: Call::of::<SendMessageWith>(),
        field: NodeRef::new(),
        names: RwSignal::new(false),
        rejected: StoredValue::new(false),
        client_id: StoredValue::new(String::new()),
        attachments,
        store,
    };
    let send = writing.send;
    writing.clear_when_sent();
    let words = draft;
    let draft = draft.get_untracked();
    writing.restore(draft.clone());
    writing.follow();
    let key = Callback::new(move |event: KeyboardEvent| {
        let field = writing.field.get_untracked();
        let names = field.is_some_and(|field| field.has_attribute("aria-activedescendant"));
        if event.key() == "Escape" && rejects() && words.read_untracked().trim().is_empty() {
            rejecting.set(false);
            after_layout(focus_reject);
        } else if !names
            && sends(&event)
            && let Some(form) = form.get_untracked()
        {
            event.prevent_default();
            // A key that is held down rejects nothing.
            if !(rejects() && event.repeat()) {
                let _ = form.request_submit();
            }
        }
    });
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
    any_view! {
        {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
        <form
            class="composer"
            method="post"
            action=link(SendMessage::url().trim_start_matches('/'))
            node_ref=form
            data-drop=move || over.get().then_some("")
            data-reason=move || {
                (rejecting.get() || !words.read().trim().is_empty()).then_some("")
            }
            on:submit=move |event: SubmitEvent| {
                event.prevent_default();
                writing.submit();
            }
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
            {dialog(writing.names, Lazy::Names)}
            <MessageText draft writing sending key />
            <div class="composer__bar">
                <Attach attachments />
                <span class="composer__hint muted" id="message-hint">
                    {varying(move || hint.get())}
                </span>
                <Send writing sending arming />
            </div>
        </form>
    }
}

/// The message that is being written.
#[derive(Clone, Copy)]
struct Writing {
    store: ConversationStore,
    sending: Derived<Sending>,
    /// Name of the user.
    author: StoredValue<String>,
    /// Whether the connection is lost.
    offline: Memo<bool>,
    keep: Draft,
    /// What the field has.
    words: RwSignal<String>,
    attachments: Attachments,
    send: Call,
    field: NodeRef<Textarea>,
    /// Whether a file may be named.
    names: RwSignal<bool>,
    /// Whether what is sent rejects the pending action.
    rejected: StoredValue<bool>,
    /// The idempotency key: unchanged until the server accepts the message, so a retry after a lost response is
    /// harmless.
    client_id: StoredValue<String>,
}

impl Writing {
    /// Sends the message, unless it is empty or on its way.
    fn submit(self) {
        let Some(field) = self.field.get_untracked() else {
            return;
        };
        let (images, files) = self.attachments.to_send();
        let mut words = field.value();
        if words.trim().is_empty() && images.is_empty() && !files.is_empty() {
            words = text::attached(files.join(", "));
        }
        let nothing = words.trim().is_empty() && images.is_empty();
        let is_busy = self.send.pending().get_untracked() || untrack(|| self.attachments.going());
        if nothing || is_busy || untrack(|| self.is_disabled()) {
            return;
        }
        if self.client_id.with_value(String::is_empty) {
            self.client_id.set_value(random_id());
        }
        let rejects = self.sending.get_untracked() == Sending::Rejects;
        self.rejected.set_value(rejects);
        let message = SendMessageWith {
            id: self.store.id(),
            text: words,
            client_id: self.client_id.get_value(),
            images,
            files,
            alone: !rejects,
            author: Some(self.author.get_value()),
        };
        self.send
            .send_json(serde_json::to_string(&message).unwrap_or_default());
    }

    /// A rejection needs a connection. Other messages can wait for one (`worker/offline.js`).
    fn is_disabled(self) -> bool {
        self.attachments.going() || (self.offline.get() && self.sending.get() == Sending::Rejects)
    }

    /// Empties the field when the server has accepted the message.
    fn clear_when_sent(self) {
        Effect::new(move || {
            if let (Some(Ok(())), Some(field)) =
                (self.send.value().get(), self.field.get_untracked())
            {
                // The next approval must not take what is typed on for its reason.
                if self.rejected.get_value() {
                    let _ = field.blur();
                }
                field.set_value("");
                field.set_rows(1);
                self.attachments.clear();
                self.keep.clear();
                self.words.set(String::new());
                self.client_id.set_value(String::new());
            }
        });
    }

    /// Restores what was typed on this device and did not reach the server.
    fn restore(self, from_server: String) {
        Effect::new(move || {
            if let (Some(field), Some(unsaved)) = (self.field.get(), self.keep.unsaved())
                // If the texts differ, the user typed during hydration, and that text is newer.
                && field.value() == from_server
            {
                field.set_value(&unsaved);
                self.words.set(unsaved);
                fit(&field);
            }
        });
    }

    /// Shows what is typed in another tab.
    fn follow(self) {
        Effect::new(move || {
            self.keep.follow(move |text| {
                if let Some(field) = self.field.get_untracked() {
                    field.set_value(&text);
                    fit(&field);
                    self.words.set(text);
                    self.client_id.set_value(String::new());
                }
            });
        });
    }

    fn typed(self) {
        if let Some(field) = self.field.get_untracked() {
            fit(&field);
            self.keep.keep(field.value());
            self.words.set(field.value());
            if field.value().contains('@') {
                self.names.set(true);
            }
            self.client_id.set_value(String::new());
        }
    }
}

/// Focuses Reject, which has opened the field for a reason.
fn focus_reject() {
    let button = document().query_selector(".approval [value=reject]");
    let button = button.ok().flatten();
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        let _ = button.focus();
    }
}

/// The field of the message's text.
#[component]
fn MessageText(
    draft: String,
    writing: Writing,
    sending: Derived<Sending>,
    key: Callback<KeyboardEvent>,
) -> impl IntoView {
    let paste = move |event: ClipboardEvent| {
        if writing.attachments.take_data(event.clipboard_data()) {
            event.prevent_default();
        }
    };
    any_view! {
        <textarea
            class="input composer__text"
            id="message"
            name="text"
            rows="1"
            dir="auto"
            placeholder=move || match sending.get() {
                Sending::Rejects => text::placeholder_instead(),
                _ => text::placeholder(),
            }
            enterkeyhint="send"
            aria-describedby="message-hint"
            node_ref=writing.field
            on:input=move |_| writing.typed()
            on:keydown=move |event| key.run(event)
            on:paste=paste
        >
            {draft}
        </textarea>
    }
}

/// The button that sends the message.
#[component]
fn Send(writing: Writing, sending: Derived<Sending>, arming: Arming) -> impl IntoView {
    any_view! {
        <button
            class="button button--primary composer__send"
            aria-busy=move || writing.send.pending().get().then_some("true")
            aria-disabled=move || {
                (sending.get() == Sending::Rejects && arming.waits().get()).then_some("true")
            }
            disabled=move || writing.is_disabled()
            on:click=move |click| {
                if sending.get_untracked() == Sending::Rejects {
                    arming.guard(&click);
                }
            }
        >
            {varying(move || sending.get().label())}
        </button>
    }
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
    any_view! {
        <label class="button button--quiet composer__attach" title=text::attach_limits() data-needs-script>
            <Icon name="plus" />
            <span class="visually-hidden">{text::attach()}</span>
            <input type="file" class="visually-hidden" multiple node_ref=input on:change=picked />
        </label>
    }
}

/// Sets the height of the field to its number of lines.
fn fit(field: &web_sys::HtmlTextAreaElement) {
    let lines = field.value().split('\n').count();
    field.set_rows(u32::try_from(lines).unwrap_or(MOST_LINES).min(MOST_LINES));
}

/// Whether a key sends the message.
fn sends(event: &KeyboardEvent) -> bool {
    let enter = event.key() == "Enter" && !composes(event);
    let always = event.ctrl_key() || event.meta_key();
    let here = !event.shift_key() && !event.alt_key() && !types_by_touch();
    enter && (always || here)
}

/// Whether Enter inserts a line break: with a touch screen as the main pointer there is no Shift key.
fn types_by_touch() -> bool {
    let query = window().match_media("(hover: none) and (pointer: coarse)");
    query.ok().flatten().is_some_and(|query| query.matches())
}
