//! The login page.

use super::{OtherWay, Refusal, text};
use crate::store::{link, use_query};
use crate::ui::parts::{self, PasswordField, TextField};
use crate::ui::shell::Page;
use leptos::prelude::*;
use leptos_router::location::Url;

/// `/login`; `?next=` is the page to open after the login, which the server validates. After a failed attempt the server
/// adds `name`.
#[component]
pub fn LogInPage() -> impl IntoView {
    let query = use_query();
    let say = |key: &str| {
        query
            .with_untracked(|query| query.get(key))
            .unwrap_or_default()
    };
    let (next, name) = (say("next"), say("name"));
    let is_again = !name.is_empty();
    let other = use_context::<OtherWay>().map(|OtherWay(name)| {
        let address = link(&format!("login/openid?next={}", Url::escape(&next)));
        view! {
            <a class="button button--large button--block" href=address rel="external">
                {text::log_in_with(name)}
            </a>
        }
    });
    view! {
        <Page title=text::log_in() class="page page--card">
            <Refusal/>
            <form class="stack" method="post" action=link("login")>
                <input type="hidden" name="next" value=next/>
                <TextField
                    id="name" name="name" label=parts::text::name() value=name required=true focus=!is_again
                    autocomplete="username"
                />
                <PasswordField id="password" name="password" label=text::password() focus=is_again/>
                <button class="button button--primary button--large button--block">{text::log_in()}</button>
            </form>
            {other}
        </Page>
    }
    .into_any()
}
