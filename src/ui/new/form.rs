//! The form for a new conversation.

use super::rules::{Rule, Rules};
use super::text;
use crate::api::{BackendView, CreateConversation};
use crate::backend::Capabilities;
use crate::store::{Call, me, remember, remembered};
use crate::ui::parts::{Field, Outcome, Submit, TextField, composes, varying};
use crate::ui::shell::ServerForm;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// Asks for the first message and its options. Submitting it opens the new conversation.
#[component]
pub fn MessageForm(
    /// The initial text of the message.
    message: String,
    /// The backends to choose from.
    backends: Vec<BackendView>,
    /// What applies on each of them.
    rules: Vec<Rule>,
) -> impl IntoView {
    let create = Call::of::<CreateConversation>();
    let pending = create.pending();
    let send = NodeRef::<html::Button>::new();
    let field = NodeRef::<html::Textarea>::new();
    let draft = NewDraft::new(field);
    if message.is_empty() {
        draft.restore();
    }
    let place = use_location().hash;
    Effect::new(move |_| {
        if let Some(field) = field.get()
            && place.get() == "#first-message"
        {
            let _ = field.focus();
        }
    });
    Effect::new(move |_| {
        if create.value().with(|value| matches!(value, Some(Err(_)))) {
            draft.keep();
        }
    });
    // Success leads to another page, so the draft goes before it and comes back after a failure.
    let sent = move |()| draft.forget();
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter"
            && !composes(&event)
            && (event.ctrl_key() || event.meta_key())
            && let Some(send) = send.get_untracked()
        {
            event.prevent_default();
            send.click();
        }
    };
    any_view! {
        <ServerForm action=create class="stack" on_sent=Callback::new(sent)>
            <Field
                id="first-message"
                label=text::first_message()
                hint=text::first_message_hint()
            >
                <textarea
                    class="input textarea"
                    id="first-message"
                    name="message"
                    rows="5"
                    dir="auto"
                    required
                    placeholder=text::first_message_placeholder()
                    aria-describedby="first-message-hint"
                    node_ref=field
                    on:input=move |_| draft.keep()
                    on:keydown=on_key
                >
                    // A child rather than the `value` property: hydration then keeps what the user has typed already.
                    {message}
                </textarea>
            </Field>
            <div class="new-options">
                <Backend backends rules/>
                <Instructions/>
            </div>
            // The words stand beside the button, which then keeps its place under the finger.
            <div class="cluster cluster--end">
                <Outcome action=create done=text::started()/>
                <Submit busy=pending label=text::start() class="button button--primary button--large" icon="send" node_ref=send/>
            </div>
        </ServerForm>
    }
}

/// A message that was not sent: kept on this device, for who typed it.
#[derive(Clone, Copy)]
struct NewDraft {
    key: StoredValue<String>,
    field: NodeRef<html::Textarea>,
}

impl NewDraft {
    fn new(field: NodeRef<html::Textarea>) -> Self {
        let key = StoredValue::new(format!("new-draft/{}", me().name));
        Self { key, field }
    }

    fn restore(self) {
        Effect::new(move |_| {
            if let Some(field) = self.field.get()
                && let Some(typed) = self.key.with_value(|key| remembered(key))
                // A text typed during hydration is newer.
                && field.value().is_empty()
            {
                field.set_value(&typed);
            }
        });
    }

    fn keep(self) {
        if let Some(field) = self.field.get_untracked() {
            let typed = field.value();
            let typed = Some(typed.as_str()).filter(|typed| !typed.trim().is_empty());
            self.key.with_value(|key| remember(key, typed));
        }
    }

    fn forget(self) {
        self.key.with_value(|key| remember(key, None));
    }
}

#[component]
fn Instructions() -> impl IntoView {
    any_view! {
        <details>
            <summary class="chip chip--button">{text::instructions_summary()}</summary>
            <Field id="instructions" label=text::instructions() hint=text::instructions_hint()>
                <textarea
                    class="input textarea"
                    id="instructions"
                    name="instructions"
                    rows="3"
                    dir="auto"
                    aria-describedby="instructions-hint"
                ></textarea>
            </Field>
        </details>
    }
}

/// The choice of a backend, if there are several, and of the repository or folder on it.
#[component]
fn Backend(backends: Vec<BackendView>, rules: Vec<Rule>) -> impl IntoView {
    let first = backends
        .first()
        .map(|one| one.label.clone())
        .unwrap_or_default();
    let chosen = RwSignal::new(first.clone());
    let options = backends
        .iter()
        .map(|one| {
            let label = one.label.clone();
            view! {
                <option value=label.clone() selected=label == first>
                    {label.clone()}
                </option>
            }
        })
        .collect_view();
    let several = backends.len() > 1;
    let backends = StoredValue::new(backends);
    let can = move |what: fn(&Capabilities) -> bool| {
        Memo::new(move |_| {
            let chosen = chosen.get();
            backends.with_value(|all| {
                all.iter()
                    .any(|one| one.label == chosen && what(&one.capabilities))
            })
        })
    };
    let repositories = can(|can| can.repositories);
    let folders = can(|can| can.folders);
    any_view! {
        {several
            .then(|| {
                view! {
                    <Field id="backend" label=text::run_on()>
                        <select
                            class="select"
                            id="backend"
                            name="backend"
                            on:change:target=move |event| chosen.set(event.target().value())
                        >
                            {options}
                        </select>
                    </Field>
                }
            })}
        <Rules rules chosen several/>
        {varying(move || repositories.get().then(|| view! { <Place/> }))}
        {varying(move || folders.get().then(|| view! { <Folder/> }))}
    }
}

#[component]
fn Folder() -> impl IntoView {
    any_view! {
        <details>
            <summary class="chip chip--button">{text::choose_folder()}</summary>
            <TextField
                id="folder" name="folder" label=text::folder() hint=text::folder_hint()
                example=text::folder_example() mono=true
            />
        </details>
    }
}

#[component]
fn Place() -> impl IntoView {
    any_view! {
        <details>
            <summary class="chip chip--button">{text::choose_repository()}</summary>
            <div class="field-row">
                <TextField
                    id="repository" name="repository" label=text::repository() hint=text::repository_hint()
                    example=text::repository_example() mono=true
                />
                <TextField id="branch" name="branch" label=text::branch() hint=text::branch_hint() mono=true/>
            </div>
        </details>
    }
}
