//! The first visit of all: whoever can read the set-up code becomes owner.

use super::Refusal;
use crate::store::link;
use crate::ui::parts::Field;
use crate::ui::shell::{FromAddress, Head};
use leptos::prelude::*;

/// `/set-up`.
#[component]
pub fn SetUpPage() -> impl IntoView {
    view! {
        <Head title="Set up"/>
        <div class="page page--card">
            <h1 class="page__title">"Set up Handrail"</h1>
            <p>"Nobody has an account yet. Make yours: it is the owner's, who lets the others in."</p>
            <Refusal/>
            <form class="stack" method="post" action=link("set-up")>
                <Field
                    id="code"
                    label="Set-up code"
                    hint="Handrail has printed it where it was started, and left it in the file set-up-code in the folder of its data."
                >
                    <input
                        class="input mono"
                        id="code"
                        name="code"
                        required
                        autofocus
                        data-from-address=""
                        autocomplete="off"
                        autocapitalize="off"
                        spellcheck="false"
                        aria-describedby="code-hint"
                    />
                </Field>
                <Field id="name" label="Your name">
                    <input
                        class="input"
                        id="name"
                        name="name"
                        required
                        maxlength="40"
                        autocomplete="username"
                        autocapitalize="off"
                        spellcheck="false"
                    />
                </Field>
                <Field id="password" label="Password" hint="At least 8 characters.">
                    <input
                        class="input"
                        type="password"
                        id="password"
                        name="password"
                        required
                        minlength="8"
                        autocomplete="new-password"
                        aria-describedby="password-hint"
                    />
                </Field>
                <button class="button button--primary button--large button--block">"Become owner"</button>
            </form>
            <FromAddress/>
        </div>
    }
    .into_any()
}
