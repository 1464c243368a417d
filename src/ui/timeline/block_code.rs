//! Source code, commands and JSON.

use super::{more::MoreLink, text};
use crate::{render::Html, ui::parts::CopyButton};
use leptos::prelude::*;

/// Source code or a command. `more` is the row with the full text, if this text is truncated.
#[component]
pub(super) fn CodeBlock(
    label: String,
    html: Html,
    text: String,
    hidden: bool,
    more: Option<i64>,
    #[prop(default = "block block-code")] class: &'static str,
) -> impl IntoView {
    let copy = (!text.is_empty()).then(|| view! { <CopyButton text=text class="button button--quiet button--small block__copy" /> });
    let label = if label.is_empty() {
        text::code().to_owned()
    } else {
        label
    };
    let name = label.clone();
    any_view! {
        <figure class=class aria-label=name data-hidden=hidden.then_some("")>
            <figcaption class="block__head">
                <span class="block__label">{label}</span>
                <span class="grow"></span>
                {copy}
            </figcaption>
            {hidden
                .then(|| {
                    view! {
                        <p class="block__warning">
                            {text::hidden_characters()}
                        </p>
                    }
                })}
            <pre class="block__body">
                <code inner_html=html></code>
            </pre>
            <MoreLink row=more />
        </figure>
    }
}
