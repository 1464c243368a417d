//! Logging in.

use super::{OtherWay, Refusal};
use crate::store::link;
use crate::ui::parts::Field;
use crate::ui::shell::Head;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::location::Url;

/// `/login`; `?next=` is where it leads to, which the server checks.
#[component]
pub fn LogInPage() -> impl IntoView {
    let query = use_query_map();
    let next = query
        .with_untracked(|query| query.get("next"))
        .unwrap_or_default();
    let other = use_context::<OtherWay>().map(|OtherWay(name)| {
        let address = link(&format!("login/openid?next={}", Url::escape(&next)));
        view! {
            <a class="button button--large button--block" href=address rel="external">
                {format!("Log in with {name}")}
            </a>
        }
    });
    view! {
        <Head title="Log in"/>
        <div class="page page--card">
            <h1 class="page__title">"Log in"</h1>
            <Refusal/>
            <form class="stack" method="post" action=link("login")>
                <input type="hidden" name="next" value=next/>
                <Field id="name" label="Name">
                    <input
                        class="input"
                        id="name"
                        name="name"
                        required
                        autofocus
                        autocomplete="username"
                        autocapitalize="off"
                        spellcheck="false"
                    />
                </Field>
                <Field id="password" label="Password">
                    <input
                        class="input"
                        type="password"
                        id="password"
                        name="password"
                        required
                        autocomplete="current-password"
                    />
                </Field>
                <button class="button button--primary button--large button--block">"Log in"</button>
            </form>
            {other}
        </div>
    }
    .into_any()
}
