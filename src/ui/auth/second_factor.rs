//! The second half of a login: a passkey, or a recovery code in its place.

use super::passkey_form::{Does, PasskeyForm, why_no_passkeys};
use super::register::RegisterForm;
use super::{Refusal, StartAgain, text};
use crate::api::read_entrance;
use crate::people::{Entrance, PendingLogin};
use crate::store::{fetched, link, use_query};
use crate::ui::parts::{Answered, TextField};
use crate::ui::shell::Page;
use leptos::prelude::*;

/// `/second-factor`; `?next=` is the page to open after the login, which the server validates.
#[component]
pub fn SecondFactorPage() -> impl IntoView {
    let next = use_query().with_untracked(|query| query.get("next"));
    let next = next.unwrap_or_default();
    let entrance = fetched(|| (), |()| read_entrance());
    any_view! {
        <Page title=text::second_factor() class="page page--card">
            <Refusal/>
            <Answered answers=entrance waiting=text::login_loading() draw=move |entrance| {
                rest_of(entrance, next.clone())
            }/>
        </Page>
    }
}

fn rest_of(entrance: Entrance, next: String) -> AnyView {
    let Some(pending) = entrance.pending else {
        return any_view! { <StartAgain/> };
    };
    if pending.registers {
        return any_view! {
            <p>{text::must_register()}</p>
            <RegisterForm here=entrance.here next/>
            <StartAgain/>
        };
    }
    let passkey = match (why_no_passkeys(entrance.here), pending.is_here) {
        (None, true) => any_view! {
            <p>{text::use_passkey_of(&pending.name)}</p>
            <PasskeyForm
                action="second-factor" does=Does::Get label=text::use_passkey() next=next.clone() second=true
            />
        },
        // Where one of them would work is worth more than why none does here.
        _ => any_view! { <p>{text::passkeys_elsewhere(pending.places.join(", "))}</p> },
    };
    any_view! {
        {passkey}
        {recovery(&pending, next)}
        <StartAgain/>
    }
}

fn recovery(pending: &PendingLogin, next: String) -> AnyView {
    if !pending.has_codes {
        return any_view! { <p class="muted">{text::no_codes()}</p> };
    }
    any_view! {
        <form class="stack" method="post" action=link("second-factor/code")>
            <input type="hidden" name="next" value=next/>
            <TextField
                id="code" name="code" label=text::recovery_code() hint=text::recovery_code_hint() mono=true
                required=true longest="40" autocomplete="one-time-code"
            />
            <button class="button button--large button--block">{text::use_code()}</button>
        </form>
    }
}
