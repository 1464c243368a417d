//! The form that a conversation begins with.

use crate::api::{BackendView, CreateConversation};
use crate::backend::Capabilities;
use crate::ui::parts::{Field, Icon, Outcome};
use crate::ui::shell::ServerForm;
use leptos::html;
use leptos::prelude::*;

/// Asks for the first message and what goes with it. Sending leads to the new conversation.
#[component]
pub fn MessageForm(
    /// What stands in the box already.
    message: String,
    /// Where it can run.
    backends: Vec<BackendView>,
) -> impl IntoView {
    let create = ServerAction::<CreateConversation>::new();
    let pending = create.pending();
    let send = NodeRef::<html::Button>::new();
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter"
            && (event.ctrl_key() || event.meta_key())
            && let Some(send) = send.get_untracked()
        {
            event.prevent_default();
            send.click();
        }
    };
    view! {
        <ServerForm action=create class="stack">
            <Field
                id="first-message"
                label="First message"
                hint="Ctrl or Cmd with Enter begins."
            >
                <textarea
                    class="input textarea"
                    id="first-message"
                    name="message"
                    rows="5"
                    required
                    placeholder="What shall be done?"
                    aria-describedby="first-message-hint"
                    on:keydown=on_key
                >
                    // Not the property: what was typed before the script came stays.
                    {message}
                </textarea>
            </Field>
            <Backend backends/>
            <details class="knowledge">
                <summary>"Instructions for the agent"</summary>
                <Field
                    id="instructions"
                    label="Instructions"
                    hint="Told to the agent before the first message, and kept in mind all along."
                >
                    <textarea
                        class="input textarea"
                        id="instructions"
                        name="instructions"
                        rows="3"
                        aria-describedby="instructions-hint"
                    ></textarea>
                </Field>
            </details>
            <Outcome action=create done="Begun"/>
            <div class="cluster cluster--end">
                <button
                    class="button button--primary button--large"
                    type="submit"
                    node_ref=send
                    aria-busy=move || pending.get().then_some("true")
                >
                    <Icon name="send"/>
                    " Begin"
                </button>
            </div>
        </ServerForm>
    }
    .into_any()
}

/// Which backend, if there are several, and what can be said of the place there.
#[component]
fn Backend(backends: Vec<BackendView>) -> impl IntoView {
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
    view! {
        {several
            .then(|| {
                view! {
                    <Field id="backend" label="Backend">
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
        {move || repositories.get().then(|| view! { <Place/> })}
        {move || folders.get().then(|| view! { <Folder/> })}
    }
    .into_any()
}

#[component]
fn Folder() -> impl IntoView {
    view! {
        <Field id="folder" label="Folder" hint="On the backend's machine, from the root; empty for a new one.">
            <input
                class="input mono"
                id="folder"
                name="folder"
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                placeholder="/home/me/project"
                aria-describedby="folder-hint"
            />
        </Field>
    }
    .into_any()
}

#[component]
fn Place() -> impl IntoView {
    view! {
        <div class="field-row">
            <Field id="repository" label="Repository" hint="owner/name; empty for an empty folder.">
                <input
                    class="input mono"
                    id="repository"
                    name="repository"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    placeholder="owner/name"
                    aria-describedby="repository-hint"
                />
            </Field>
            <Field id="branch" label="Branch" hint="Empty for the usual one.">
                <input
                    class="input mono"
                    id="branch"
                    name="branch"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    aria-describedby="branch-hint"
                />
            </Field>
        </div>
    }
    .into_any()
}
