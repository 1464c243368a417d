//! The first-run page: a person who can read the set-up code becomes the owner.

use super::{Refusal, text};
use crate::store::{link, use_query};
use crate::ui::parts::{Field, PasswordField};
use crate::ui::shell::{FromAddress, Head};
use leptos::prelude::*;

/// `/set-up`. After a failed attempt the server adds `name`.
#[component]
pub fn SetUpPage() -> impl IntoView {
    let name = use_query().with_untracked(|query| query.get("name"));
    let name = name.unwrap_or_default();
    view! {
        <Head title=text::set_up()/>
        <div class="page page--card">
            <h1 class="page__title">{text::set_up_handrail()}</h1>
            <p>{text::set_up_text()}</p>
            <Refusal/>
            <form class="stack" method="post" action=link("set-up")>
                <Field
                    id="code"
                    label=text::set_up_code()
                    hint=text::set_up_code_hint()
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
                <Field id="name" label=text::your_name()>
                    <input
                        class="input"
                        id="name"
                        name="name"
                        value=name
                        required
                        maxlength="40"
                        autocomplete="username"
                        autocapitalize="off"
                        spellcheck="false"
                    />
                </Field>
                <PasswordField
                    id="password"
                    name="password"
                    label=text::password()
                    hint=text::password_hint()
                    new=true
                />
                <button class="button button--primary button--large button--block">{text::create_owner()}</button>
            </form>
            <FromAddress/>
        </div>
    }
    .into_any()
}
