//! Adding a passkey: of one's own account, or before a login that requires one.

use super::passkey_form::{Does, PasskeyForm, why_no_passkeys};
use super::{Refusal, StartAgain, text};
use crate::api::read_entrance;
use crate::people::{Entrance, PasskeysHere};
use crate::store::{fetched, link, me, use_query};
use crate::ui::parts::{Answered, TextField};
use crate::ui::shell::Page;
use leptos::prelude::*;

/// `/passkey`.
#[component]
pub fn RegisterPage() -> impl IntoView {
    let next = use_query().with_untracked(|query| query.get("next"));
    let next = next.unwrap_or_default();
    let entrance = fetched(|| (), |()| read_entrance());
    any_view! {
        <Page title=text::add_passkey() class="page page--card">
            <Refusal/>
            <Answered answers=entrance waiting=text::login_loading() draw=move |entrance| {
                form_of(entrance, next.clone())
            }/>
        </Page>
    }
}

fn form_of(entrance: Entrance, next: String) -> AnyView {
    let is_in = me().role.is_some();
    match entrance.pending {
        Some(pending) if pending.registers => any_view! {
            <p>{text::passkey_for(&pending.name)}</p>
            <RegisterForm here=entrance.here next/>
            <StartAgain/>
        },
        None if is_in => any_view! {
            <RegisterForm here=entrance.here next/>
            <p>
                <a class="button button--quiet" href=link("account")>{text::back_to_account()}</a>
            </p>
        },
        // Whoever has a passkey logs in with it first.
        _ => any_view! { <StartAgain/> },
    }
}

/// The form for a new passkey, or why there can be none here.
#[component]
pub(super) fn RegisterForm(here: PasskeysHere, next: String) -> impl IntoView {
    if let Some(reason) = why_no_passkeys(here) {
        return any_view! { <p class="notice notice--warning">{reason}</p> };
    }
    any_view! {
        <p class="muted">{text::passkey_explained()}</p>
        <PasskeyForm action="passkey" does=Does::Create label=text::create_passkey() next>
            <TextField
                id="passkey-name" name="name" label=text::passkey_name() hint=text::passkey_name_hint() prose=true
                longest="60"
            />
        </PasskeyForm>
    }
}
