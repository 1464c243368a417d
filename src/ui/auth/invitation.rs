//! Making an account by an invitation.
//!
//! The link's secret is after its `#`, as in a link to a conversation; the server keeps it in a cookie for the second step.

use super::passkey_form::why_no_passkeys;
use super::{Refusal, text};
use crate::api::read_entrance;
use crate::people::{Entrance, InvitedView};
use crate::store::{fetched, link, use_query};
use crate::ui::parts::{Answered, PasswordField, TextField};
use crate::ui::shell::{FromAddress, Page};
use leptos::prelude::*;

/// `/invitation`. After a failed attempt the server adds `name`.
#[component]
pub fn InvitationPage() -> impl IntoView {
    let name = use_query().with_untracked(|query| query.get("name"));
    let name = name.unwrap_or_default();
    let entrance = fetched(|| (), |()| read_entrance());
    any_view! {
        <Page title=text::invitation() class="page page--card">
            <Refusal/>
            <Answered answers=entrance waiting=text::login_loading() draw=move |entrance: Entrance| {
                match &entrance.invitation {
                    Some(invited) => accept(invited, &entrance, name.clone()),
                    None => open(),
                }
            }/>
        </Page>
    }
}

/// The form that the link fills.
fn open() -> AnyView {
    any_view! {
        <form class="stack" method="post" action=link("invitation") data-send="">
            <TextField
                id="code" name="code" label=text::link() hint=text::link_hint() mono=true required=true
                from_address=true
            />
            <button class="button button--primary button--large button--block">{text::open_invitation()}</button>
        </form>
        <FromAddress/>
    }
}

fn accept(invited: &InvitedView, entrance: &Entrance, name: String) -> AnyView {
    let role = text::invited_as(&invited.by, invited.role, invited.role.explained());
    let blocked = why_no_passkeys(entrance.here);
    if invited.needs_passkey
        && let Some(reason) = blocked
    {
        return any_view! {
            <p>{role}</p>
            <p class="notice notice--warning">{reason}</p>
        };
    }
    let given = invited.name.clone();
    let named = move |id: &'static str| match given.is_empty() {
        true => any_view! {
            <TextField
                id name="name" label=text::your_name() value=name.clone() required=true longest="40"
                autocomplete="username"
            />
        },
        false => any_view! { <p>{text::account_named(&given)}</p> },
    };
    let with_passkey = blocked.is_none().then(|| {
        view! {
            <form class="stack" method="post" action=link("invitation/accept")>
                <input type="hidden" name="passkey" value="true"/>
                <h2 class="card__title">{text::with_passkey()}</h2>
                {named("name-with-passkey")}
                <p class="muted">{text::passkeys_need_script()}</p>
                <button class="button button--large button--block">{text::continue_with_passkey()}</button>
            </form>
        }
    });
    any_view! {
        <p>{role}</p>
        <form class="stack" method="post" action=link("invitation/accept")>
            <h2 class="card__title">{text::with_password()}</h2>
            {named("name")}
            <PasswordField id="password" name="password" label=text::password() hint=text::password_hint() new=true/>
            {invited.needs_passkey.then(|| view! { <p class="muted">{text::passkey_follows()}</p> })}
            <button class="button button--primary button--large button--block">{text::create_account()}</button>
        </form>
        {with_passkey}
    }
}
