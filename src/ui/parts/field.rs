//! Form fields. Their names match the arguments of the server functions, and they need no JavaScript.

use super::{ErrorNote, text, varying};
use crate::store::Call;
use leptos::{html::Input, prelude::*};
use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// A label with its input (`children`, whose `id` is `id`), and a hint below.
#[component]
pub fn Field(
    /// The `id` of the input.
    #[prop(into)]
    id: String,
    /// The label.
    #[prop(into)]
    label: String,
    /// The hint, or empty. The input may refer to `{id}-hint` in `aria-describedby`.
    #[prop(into, optional)]
    hint: String,
    children: Children,
) -> impl IntoView {
    let hint_id = format!("{id}-hint");
    view! {
        <div class="field">
            <label class="field__label" for=id>{label}</label>
            {children()}
            {(!hint.is_empty()).then(|| view! { <p class="field__hint" id=hint_id>{hint}</p> })}
        </div>
    }
    .into_any()
}

/// A field for a password, named `name`. A `new` one has a least length, and may have a hint.
#[component]
pub fn PasswordField(
    id: &'static str,
    name: &'static str,
    label: &'static str,
    #[prop(optional)] hint: &'static str,
    #[prop(optional)] new: bool,
    #[prop(optional)] focus: bool,
    #[prop(optional)] node_ref: NodeRef<Input>,
) -> impl IntoView {
    view! {
        <Field id label hint>
            <input
                class="input"
                type="password"
                id=id
                name=name
                required
                autofocus=focus
                minlength=new.then_some("8")
                autocomplete=if new { "new-password" } else { "current-password" }
                aria-describedby=(!hint.is_empty()).then(|| format!("{id}-hint"))
                node_ref=node_ref
            />
        </Field>
    }
}

/// A checkbox. Sends `true` or nothing.
#[component]
pub fn Toggle(
    #[prop(into)] name: String,
    #[prop(into)] label: String,
    checked: bool,
) -> impl IntoView {
    view! {
        <label class="check">
            <input type="checkbox" name=name value="true" checked=checked/>
            <span>{label}</span>
        </label>
    }
}

/// The result of a form, above its button: pending, done (with the text `done`), or the error.
#[component]
pub fn Outcome<T>(
    action: Call<T>,
    /// The message after success.
    #[prop(default = text::saved())]
    done: &'static str,
) -> impl IntoView
where
    T: DeserializeOwned + Send + Sync + 'static,
{
    let (pending, value) = (action.pending(), action.value());
    view! {
        <div role="status">
            {varying(move || {
                if pending.get() {
                    return view! { <span class="muted">{text::working()}</span> }.into_any();
                }
                match value.with(|value| value.as_ref().map(|value| value.as_ref().err().cloned())) {
                    None => ().into_any(),
                    Some(None) => view! { <span class="muted">{done}</span> }.into_any(),
                    Some(Some(error)) => view! { <ErrorNote error/> }.into_any(),
                }
            })}
        </div>
    }
    .into_any()
}

/// Whether a form field has the focus: its key presses are text, not shortcuts.
pub fn in_field(event: &KeyboardEvent) -> bool {
    let element = event
        .target()
        .and_then(|target| target.dyn_into::<HtmlElement>().ok());
    element.is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
            || element.is_content_editable()
    })
}
