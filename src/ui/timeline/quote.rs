//! Quoting a message in the next one.

use super::text;
use crate::{backend::Runtime, people::Right, store::ConversationStore};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlTextAreaElement};

/// Puts a message into the message field as a quotation; nothing where there is no such field.
#[component]
pub(super) fn QuoteButton(source: String) -> impl IntoView {
    let store = use_context::<ConversationStore>()?;
    let writes = store.may(Right::Operate).get_untracked()
        && !store.backend.with_value(|backend| backend.imported)
        && store
            .session
            .with_untracked(|session| session.runtime != Runtime::Gone);
    writes.then(|| {
        any_view! {
            <button
                class="button button--quiet button--small"
                type="button"
                data-needs-script
                on:click=move |_| quote(&source)
            >
                {text::quote()}
            </button>
        }
    })
}

fn quote(source: &str) {
    let field = document().get_element_by_id("message");
    let Some(field) = field.and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok()) else {
        return;
    };
    field.set_value(&with_quotation(&field.value(), source));
    // The field handles it as what is typed.
    if let Ok(input) = Event::new("input") {
        input.init_event_with_bubbles("input", true);
        let _ = field.dispatch_event(&input);
    }
    // A field that is covered by an approval is not focused.
    let _ = field.focus();
}

/// What is written so far, and the message as a Markdown quotation behind it.
fn with_quotation(written: &str, message: &str) -> String {
    let mut text = written.trim_end().to_owned();
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    for line in message.trim().lines() {
        text.push_str(if line.is_empty() { ">" } else { "> " });
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotation_stands_behind_what_is_written() {
        assert_eq!(with_quotation("", "one\n\n> two"), "> one\n>\n> > two\n\n");
        assert_eq!(with_quotation("So:\n", "a\r\nb\n"), "So:\n\n> a\n> b\n\n");
    }
}
