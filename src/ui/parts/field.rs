//! Form fields. Their names match the arguments of the server functions, and they need no JavaScript.

use super::{ErrorNote, named_icon, text, varying};
use crate::store::Call;
use leptos::{
    html::{Button, Input},
    prelude::*,
};
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
    any_view! {
        <div class="field">
            <label class="field__label" for=id>{label}</label>
            {children()}
            {(!hint.is_empty()).then(|| view! { <p class="field__hint" id=hint_id>{unbroken(&hint)}</p> })}
        </div>
    }
}

/// The text, whose words are not broken at their hyphens: some are names that one copies.
fn unbroken(text: &str) -> AnyView {
    if !text.contains('-') {
        return text.to_owned().into_any();
    }
    let words = text.split_inclusive(' ').map(|word| {
        let (name, space) = word
            .strip_suffix(' ')
            .map_or((word, ""), |word| (word, " "));
        match name.contains('-') {
            true => any_view! { <span class="field__name">{name.to_owned()}</span> {space} },
            false => word.to_owned().into_any(),
        }
    });
    words.collect_view().into_any()
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
    let (shortest, autocomplete) = match new {
        true => ("8", "new-password"),
        false => ("", "current-password"),
    };
    view! {
        <TextField id name label hint kind="password" prose=true required=true focus shortest autocomplete node_ref/>
    }
}

/// A field of one line, named `name`. Of a text that is left out, there is no attribute.
#[component]
pub fn TextField(
    #[prop(into)] id: String,
    name: &'static str,
    #[prop(into)] label: String,
    #[prop(into, optional)] hint: String,
    /// The type of the input.
    #[prop(default = "text")]
    kind: &'static str,
    #[prop(into, optional)] value: String,
    /// What is shown while it is empty.
    #[prop(optional)]
    example: &'static str,
    /// Whether it is code.
    #[prop(optional)]
    mono: bool,
    /// Whether a browser may correct what is typed.
    #[prop(optional)]
    prose: bool,
    #[prop(optional)] required: bool,
    #[prop(optional)] focus: bool,
    /// Whether `public/from-address.js` fills it.
    #[prop(optional)]
    from_address: bool,
    /// Least and highest number, and least and highest length.
    #[prop(optional)]
    least: &'static str,
    #[prop(optional)] most: &'static str,
    /// Whether a number may have a fraction.
    #[prop(optional)]
    fraction: bool,
    #[prop(optional)] shortest: &'static str,
    #[prop(optional)] longest: &'static str,
    /// Id of the list of suggestions.
    #[prop(optional)]
    list: &'static str,
    #[prop(default = "off")] autocomplete: &'static str,
    #[prop(optional)] node_ref: NodeRef<Input>,
) -> impl IntoView {
    let some = |text: &'static str| (!text.is_empty()).then_some(text);
    let is_number = kind == "number";
    let class = match mono {
        _ if is_number => "input number",
        true => "input mono",
        false => "input",
    };
    let is_exact = !prose && !is_number;
    any_view! {
        <Field id=id.clone() label hint=hint.clone()>
            <input
                class=class
                type=kind
                name=name
                value=some_text(value)
                placeholder=some(example)
                required=required
                autofocus=focus
                data-from-address=from_address.then_some("")
                inputmode=is_number.then_some(if fraction { "decimal" } else { "numeric" })
                step=fraction.then_some("any")
                min=some(least)
                max=some(most)
                minlength=some(shortest)
                maxlength=some(longest)
                list=some(list)
                autocomplete=autocomplete
                autocapitalize=is_exact.then_some("off")
                spellcheck=is_exact.then_some("false")
                aria-describedby=some_text(hint).map(|_| format!("{id}-hint"))
                id=id
                node_ref=node_ref
            />
        </Field>
    }
}

fn some_text(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
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
    any_view! {
        <div role="status">
            {varying(move || {
                if pending.get() {
                    return any_view! { <span class="muted">{text::working()}</span> };
                }
                match value.with(|value| value.as_ref().map(|value| value.as_ref().err().cloned())) {
                    None => ().into_any(),
                    Some(None) => any_view! { <span class="muted">{done}</span> },
                    Some(Some(error)) => any_view! { <ErrorNote error/> },
                }
            })}
        </div>
    }
}

/// The button that sends its form. It turns while `busy`.
#[component]
pub fn Submit(
    #[prop(into)] busy: Signal<bool>,
    label: &'static str,
    #[prop(default = "button button--primary")] class: &'static str,
    /// The name of an icon before the label.
    #[prop(optional)]
    icon: &'static str,
    #[prop(optional)] node_ref: NodeRef<Button>,
) -> impl IntoView {
    any_view! {
        <button class=class type="submit" aria-busy=move || busy.get().then_some("true") node_ref=node_ref>
            {(!icon.is_empty()).then(|| named_icon(icon, ""))}
            {label}
        </button>
    }
}

/// Clears the form that `input` belongs to: emptied by hand, a required field would count as invalid. Browser only.
pub fn empty_form(input: NodeRef<Input>) {
    if let Some(form) = input.get_untracked().and_then(|input| input.form()) {
        form.reset();
    }
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
