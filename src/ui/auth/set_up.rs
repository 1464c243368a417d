//! The first-run page: a person who can read the set-up code becomes the owner.

use super::{Refusal, text};
use crate::store::{link, use_query};
use crate::ui::parts::{PasswordField, TextField};
use crate::ui::shell::{FromAddress, Head};
use leptos::prelude::*;

/// `/set-up`. After a failed attempt the server adds `name`.
#[component]
pub fn SetUpPage() -> impl IntoView {
    let name = use_query().with_untracked(|query| query.get("name"));
    let name = name.unwrap_or_default();
    any_view! {
        <Head title=text::set_up()/>
        <div class="page page--card">
            <h1 class="page__title">{text::set_up_handrail()}</h1>
            <p>{text::set_up_text()}</p>
            <Refusal/>
            <form class="stack" method="post" action=link("set-up")>
                <TextField
                    id="code" name="code" label=text::set_up_code() hint=text::set_up_code_hint() mono=true
                    required=true focus=true from_address=true
                />
                <TextField
                    id="name" name="name" label=text::your_name() value=name required=true longest="40"
                    autocomplete="username"
                />
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
}
