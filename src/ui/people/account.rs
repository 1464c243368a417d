//! The user's own account: password, passkeys, devices, tokens.

use super::{Account, devices::Devices, passkeys::Passkeys, text, tokens::Tokens};
use crate::api::{ChangePassword, MakeToken, RenewCodes, UnlinkIdentity, read_account};
use crate::people::{AccountView, Linked};
use crate::store::{Call, fetched, link, use_query};
use crate::ui::parts::{Answered, Outcome, PasswordField, empty_form};
use crate::ui::shell::{Page, ServerForm};
use leptos::html;
use leptos::prelude::*;

/// `/account`.
#[component]
pub fn AccountPage() -> impl IntoView {
    let query = use_query();
    let from: Memo<usize> = Memo::new(move |_| {
        let from = query.with(|query| query.get("from"));
        from.and_then(|from| from.parse().ok()).unwrap_or_default()
    });
    let account = fetched(move || from.get(), read_account);
    let make = Call::of::<MakeToken>();
    let renew = Call::of::<RenewCodes>();
    make.on_success(move || account.refetch());
    renew.on_success(move || account.refetch());
    any_view! {
        <Page title=text::account()>
            <Answered answers=account waiting=text::account_loading() draw=move |view| {
                any_view! { <Mine view make renew account/> }
            }/>
        </Page>
    }
}

#[component]
fn Mine(
    view: AccountView,
    make: Call<String>,
    renew: Call<String>,
    account: Account,
) -> impl IntoView {
    if view.name.is_empty() {
        return any_view! {
            <p>{text::no_account()}</p>
        };
    }
    let role = text::own_role(view.role, view.role.explained());
    any_view! {
        <p>
            <strong>{view.name.clone()}</strong>
            <br/>
            {role}
        </p>
        <Password/>
        {view.openid.clone().map(|(name, proof)| view! { <OtherWay name proof linked=view.linked account/> })}
        <Passkeys view=view.clone() renew account/>
        <Devices devices=view.devices more=view.more_devices account/>
        <Tokens tokens=view.tokens role=view.role secret=view.one_time_secret make account/>
    }
}

/// Logging in with an external identity provider.
#[component]
fn OtherWay(name: String, proof: String, linked: Linked, account: Account) -> impl IntoView {
    let unlink = Call::of::<UnlinkIdentity>();
    unlink.on_success(move || account.refetch());
    let hint = match linked {
        Linked::No => text::link_hint(&name),
        Linked::ByOneself => text::linked_hint(&name),
        Linked::FromTheStart => text::created_hint(&name),
    };
    let change = match linked {
        Linked::No => {
            let label = text::link(&name);
            any_view! {
                <div class="cluster cluster--end">
                    <a class="button" href=link(&format!("login/openid?link={proof}")) rel="external">
                        {label}
                    </a>
                </div>
            }
        }
        Linked::ByOneself => any_view! {
            <ServerForm action=unlink>
                <Outcome action=unlink done=text::unlinked()/>
                <button class="button">{text::unlink()}</button>
            </ServerForm>
        },
        Linked::FromTheStart => ().into_any(),
    };
    any_view! {
        <section class="card">
            <h2 class="card__title">{name}</h2>
            <p class="card__hint">{hint}</p>
            {change}
        </section>
    }
}

#[component]
fn Password() -> impl IntoView {
    let change = Call::of::<ChangePassword>();
    let old = NodeRef::<html::Input>::new();
    change.on_success(move || empty_form(old));
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::password()}</h2>
            <p class="card__hint">{text::password_change_hint()}</p>
            <ServerForm action=change class="stack">
                <PasswordField id="old-password" name="old" label=text::current_password() node_ref=old/>
                <PasswordField
                    id="new-password"
                    name="new"
                    label=text::new_password()
                    hint=text::password_hint()
                    new=true
                />
                <Outcome action=change done=text::password_changed()/>
                <button class="button button--primary">{text::change_password()}</button>
            </ServerForm>
        </section>
    }
}
