//! Pieces of forms. They are named as the server functions want them and need no script.

use super::ErrorNote;
use crate::api::ApiError;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

/// A label with its input (`children`, whose `id` is `id`), and a hint below.
#[component]
pub fn Field(
    /// The `id` of the input.
    #[prop(into)]
    id: String,
    /// What is asked for.
    #[prop(into)]
    label: String,
    /// What is good to know, or empty. The input may name `{id}-hint` in `aria-describedby`.
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

/// Yes or no. Sends `true` or nothing.
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

/// How a form fared, above its button: under way, done (in the word `done`), or why not.
#[component]
pub fn Outcome<F>(
    action: ServerAction<F>,
    /// What is said when it worked.
    #[prop(default = "Saved")]
    done: &'static str,
) -> impl IntoView
where
    F: ServerFn<Error = ApiError> + Clone + Send + Sync + 'static,
    F::Output: Clone + Send + Sync + 'static,
{
    let (pending, value) = (action.pending(), action.value());
    view! {
        <div role="status">
            {move || {
                if pending.get() {
                    return view! { <span class="muted">"Working…"</span> }.into_any();
                }
                match value.with(|value| value.as_ref().map(|value| value.as_ref().err().cloned())) {
                    None => ().into_any(),
                    Some(None) => view! { <span class="muted">{done}</span> }.into_any(),
                    Some(Some(error)) => view! { <ErrorNote error/> }.into_any(),
                }
            }}
        </div>
    }
    .into_any()
}
