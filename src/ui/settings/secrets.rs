//! Secrets that agents use by name; their values are write-only.

use super::stored::Stored;
use super::text;
use crate::api::{DeleteSecret, SaveSecret};
use crate::store::Call;
use crate::ui::parts::{self, Field, Outcome, TextField, empty_form, named_icon, varying};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::html;
use leptos::prelude::*;

/// The names of the secrets, and a form to add one.
#[component]
pub fn Secrets(stored: Stored) -> impl IntoView {
    let save = Call::of::<SaveSecret>();
    let delete = Call::of::<DeleteSecret>();
    let value = NodeRef::<html::Input>::new();
    save.on_success(move || {
        empty_form(value);
        stored.read_again();
    });
    delete.on_success(move || stored.read_again());
    let secrets = Memo::new(move |_| stored.view.with(|view| view.secrets.clone()));
    any_view! {
        <section class="card stack" id="section-secrets">
            <h2 class="card__title">{text::secrets()}</h2>
            <p class="card__hint">{text::secrets_hint()}</p>
            {varying(move || {
                let secrets = secrets.get();
                if secrets.is_empty() {
                    return any_view! { <p class="muted">{text::none()}</p> };
                }
                let entries = secrets.into_iter().map(|secret| entry(secret.name, secret.description, stored, delete));
                any_view! { <ul class="stack">{entries.collect_view()}</ul> }
            })}
            <Outcome action=delete done=text::removed()/>
            <ServerForm action=save class="stack">
                <input type="hidden" name="backend" value=stored.backend.get_value()/>
                <div class="field-row">
                    <Field id="secret-name" label=parts::text::name()>
                        <input
                            class="input mono"
                            id="secret-name"
                            name="name"
                            required
                            autocomplete="off"
                            autocapitalize="characters"
                            spellcheck="false"
                            placeholder=text::secret_example()
                        />
                    </Field>
                    <TextField
                        id="secret-value" name="value" label=text::value() kind="password" mono=true required=true
                        node_ref=value
                    />
                </div>
                <TextField
                    id="secret-description" name="description" label=text::description()
                    hint=text::description_hint() prose=true
                />
                <Outcome action=save/>
                <button class="button" type="submit">
                    {named_icon("plus", text::save_secret())}
                </button>
            </ServerForm>
        </section>
    }
}

fn entry(name: String, description: String, stored: Stored, delete: Call) -> impl IntoView {
    let label = text::remove_secret(&name);
    view! {
        <li class="cluster">
            <span class="mono">{name.clone()}</span>
            <span class="muted grow">{description}</span>
            <CallButton action=delete fields=vec![("backend", stored.backend.get_value()), ("name", name)] label=text::remove() name=label/>
        </li>
    }
}
