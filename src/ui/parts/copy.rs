//! Copying to the clipboard, with a fallback: the clipboard API exists only on https and localhost, and Handrail is
//! often opened by a LAN address.

use super::{Icon, text, toasts::ToastBox, use_toasts};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlAnchorElement, HtmlElement, MouseEvent};

/// Copies `text`. The style sheet hides the button without JavaScript.
#[component]
pub fn CopyButton(
    #[prop(into)] text: Signal<String>,
    /// The accessible name of the button.
    #[prop(default = text::copy())]
    label: &'static str,
    #[prop(default = "button button--quiet button--small")] class: &'static str,
) -> impl IntoView {
    let button = NodeRef::<html::Button>::new();
    let toasts = use_toasts();
    let copy = move |_| {
        let Some(button) = button.get_untracked() else {
            return;
        };
        let text = text.get_untracked();
        leptos::task::spawn_local(async move {
            let done = copy(&text, &button).await;
            toasts.say(outcome(done));
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

/// Handles a click on the copy button of a block of code in a message (`render/markdown/copy_buttons.rs`), or on the link to
/// a message, whose address it copies: one listener of the timeline serves all of them.
pub fn copy_code(event: &MouseEvent, toasts: ToastBox) {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let button = target.and_then(|target| target.closest(".code-copy, .row__link").ok()?);
    let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    let code = match button.dyn_ref::<HtmlAnchorElement>() {
        Some(_) if event.ctrl_key() || event.meta_key() || event.shift_key() => return,
        Some(link) => {
            event.prevent_default();
            Some(link.href())
        }
        None => button
            .previous_element_sibling()
            .and_then(|code| code.text_content()),
    };
    let code = code.unwrap_or_default();
    leptos::task::spawn_local(async move {
        let done = copy(&code, &button).await;
        toasts.say(outcome(done));
    });
}

fn outcome(done: bool) -> &'static str {
    if done {
        text::copied()
    } else {
        text::not_copied()
    }
}

async fn copy(text: &str, near: &HtmlElement) -> bool {
    let window = window();
    if window.is_secure_context() {
        let promise = window.navigator().clipboard().write_text(text);
        if JsFuture::from(promise).await.is_ok() {
            return true;
        }
    }
    copy_by_selection(text, near).unwrap_or(false)
}

/// The fallback: selects a text field and runs the browser's copy command. The field is inserted beside the button,
/// because nothing outside an open dialog can be selected.
fn copy_by_selection(text: &str, near: &HtmlElement) -> Result<bool, JsValue> {
    let document = document();
    let field: web_sys::HtmlTextAreaElement = document.create_element("textarea")?.unchecked_into();
    field.set_value(text);
    field.set_class_name("visually-hidden");
    // Keeps the on-screen keyboard of a phone closed.
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
