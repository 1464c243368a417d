//! Copying, also where the browser's clipboard is missing: it exists only on https and localhost, and
//! Handrail is often opened by an address of the LAN.

use super::{Icon, use_toasts};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Copies `text`. Hidden by the style sheet where there is no script.
#[component]
pub fn CopyButton(
    #[prop(into)] text: Signal<String>,
    /// What is copied, for those who only hear the button.
    #[prop(default = "Copy")]
    label: &'static str,
    #[prop(default = "button button--quiet button--small")] class: &'static str,
) -> impl IntoView {
    let button = NodeRef::<html::Button>::new();
    let toasts = use_toasts();
    let copy = move |_| {
        let Some(button) = button.get_untracked() else {
            return;
        };
        leptos::task::spawn_local(async move {
            let done = copy(&text.get_untracked(), &button).await;
            toasts.say(if done {
                "Copied"
            } else {
                "The browser does not let us copy. Select the text instead."
            });
        });
    };
    view! {
        <button class=class type="button" data-needs-script node_ref=button on:click=copy>
            <Icon name="copy"/>
            " "
            {label}
        </button>
    }
}

async fn copy(text: &str, near: &web_sys::HtmlElement) -> bool {
    let window = window();
    if window.is_secure_context() {
        let promise = window.navigator().clipboard().write_text(text);
        if JsFuture::from(promise).await.is_ok() {
            return true;
        }
    }
    copy_by_selection(text, near).unwrap_or(false)
}

/// The old way: select a text field and order the browser to copy. The field stands beside the button,
/// because within an open dialog nothing outside of it can be selected.
fn copy_by_selection(text: &str, near: &web_sys::HtmlElement) -> Result<bool, JsValue> {
    let document = document();
    let field: web_sys::HtmlTextAreaElement = document.create_element("textarea")?.unchecked_into();
    field.set_value(text);
    field.set_class_name("visually-hidden");
    // Keeps the keyboard of a phone from opening.
    field.set_attribute("readonly", "")?;
    near.after_with_node_1(&field)?;
    field.focus()?;
    field.select();
    let order: js_sys::Function =
        js_sys::Reflect::get(&document, &"execCommand".into())?.dyn_into()?;
    let done = order.call1(&document, &"copy".into())?.is_truthy();
    field.remove();
    near.focus()?;
    Ok(done)
}
