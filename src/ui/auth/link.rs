//! Opening a shared link to watch one conversation.
//!
//! Browsers never send the fragment of an address (the part after `#`) to a server. A short script
//! (`public/from-address.js`) copies it into this form and submits the form; without JavaScript the visitor pastes it.

use super::{Refusal, text};
use crate::store::link;
use crate::ui::parts::Field;
use crate::ui::shell::{FromAddress, Head};
use leptos::prelude::*;

/// `/link`.
#[component]
pub fn LinkPage() -> impl IntoView {
    view! {
        <Head title=text::shared_conversation()/>
        <div class="page page--card">
            <h1 class="page__title">{text::shared_conversation()}</h1>
            <Refusal/>
            <form class="stack" method="post" action=link("link") data-send="">
                <Field id="code" label=text::link() hint=text::link_hint()>
                    <input
                        class="input mono"
                        id="code"
                        name="code"
                        required
                        data-from-address=""
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        aria-describedby="code-hint"
                    />
                </Field>
                <button class="button button--primary button--large button--block">{text::open_conversation()}</button>
            </form>
            <FromAddress/>
        </div>
    }
    .into_any()
}
