//! The login page.

use super::passkey_form::{Does, PasskeyForm};
use super::{OtherWay, Refusal, text};
use crate::api::read_entrance;
use crate::people::PasskeysHere;
use crate::store::{fetched, link, use_query};
use crate::ui::parts::{self, PasswordField, TextField, answered};
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
    let (is_again, passkey_next) = (!name.is_empty(), next.clone());
    let entrance = fetched(|| (), |()| read_entrance());
    let other = use_context::<OtherWay>().map(|OtherWay(name)| {
        let address = link(&format!("login/openid?next={}", Url::escape(&next)));
        view! {
            <a class="button button--large button--block" href=address rel="external">
                {text::log_in_with(name)}
            </a>
        }
    });
    any_view! {
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
            <Transition>
                {answered(entrance, move |entrance| match entrance {
                    Ok(entrance) if entrance.here == PasskeysHere::Work => any_view! {
                        <PasskeyForm
                            action="login/passkey" does=Does::Get label=text::log_in_with_passkey()
                            next=passkey_next.clone() is_first=false
                        />
                    },
                    _ => ().into_any(),
                })}
            </Transition>
        </Page>
    }
}
