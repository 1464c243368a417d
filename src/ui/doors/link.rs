//! Coming by a link to watch one conversation.
//!
//! What stands behind the `#` of an address is sent to nobody. A script of a few lines (`public/from-address.js`)
//! puts it into this form and sends it; without a script it is pasted.

use super::Refusal;
use crate::store::link;
use crate::ui::parts::Field;
use crate::ui::shell::{FromAddress, Head};
use leptos::prelude::*;

/// `/link`.
#[component]
pub fn LinkPage() -> impl IntoView {
    view! {
        <Head title="Watch a conversation"/>
        <div class="page page--card">
            <h1 class="page__title">"Watch a conversation"</h1>
            <Refusal/>
            <form class="stack" method="post" action=link("link") data-send="">
                <Field id="code" label="Link" hint="The whole link that you were given.">
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
                <button class="button button--primary button--large button--block">"Watch"</button>
            </form>
            <FromAddress/>
        </div>
    }
    .into_any()
}
