//! A field for a key: the page shows whether a key is stored, never the key itself.

use super::text;
use crate::ui::parts::{Field, varying};
use leptos::html;
use leptos::prelude::*;

/// Asks for a new key. An empty field keeps the stored one.
#[component]
pub fn KeyField(
    #[prop(into)] id: String,
    name: &'static str,
    label: &'static str,
    /// Whether a key is stored.
    #[prop(into)]
    stored: Signal<bool>,
    /// Changes when the form was saved, which clears the field.
    #[prop(into)]
    saved: Signal<u32>,
) -> impl IntoView {
    let input = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if saved.get() > 0
            && let Some(input) = input.get_untracked()
        {
            input.set_value("");
        }
    });
    let hint = format!("{id}-stored");
    view! {
        <Field id=id.clone() label=label>
            <input
                class="input mono"
                type="password"
                id=id
                name=name
                autocomplete="off"
                node_ref=input
                aria-describedby=hint.clone()
                placeholder=move || if stored.get() { "••••••••" } else { "" }
            />
            <p class="field__hint" id=hint>
                {varying(move || {
                    if stored.get() { text::key_set() } else { text::key_not_set() }
                })}
            </p>
        </Field>
    }
}
