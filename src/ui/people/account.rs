//! One's own account: password, devices, tokens.

use super::{after, devices::Devices, tokens::Tokens};
use crate::api::{ApiError, ChangePassword, UnlinkIdentity, read_account};
use crate::people::{AccountView, Linked};
use crate::store::{Fetched, fetched, link};
use crate::ui::parts::{Answered, Field, Outcome};
use crate::ui::shell::{Head, ServerForm};
use leptos::html;
use leptos::prelude::*;

/// How the page is read again after a change.
pub(super) type Account = Fetched<Result<AccountView, ApiError>>;

/// `/account`.
#[component]
pub fn AccountPage() -> impl IntoView {
    let account = fetched(|| (), |()| read_account());
    view! {
        <Head title="Account"/>
        <div class="page page--narrow">
            <h1 class="page__title">"Account"</h1>
            <Answered answers=account waiting="Reading your account…" draw=move |view| {
                view! { <Mine view account/> }.into_any()
            }/>
        </div>
    }
    .into_any()
}

#[component]
fn Mine(view: AccountView, account: Account) -> impl IntoView {
    if view.name.is_empty() {
        return view! {
            <p>"Handrail was started for whoever sits at this machine, so there is no account and no login."</p>
        }
        .into_any();
    }
    let role = format!("Role: {}, {}.", view.role, view.role.explained());
    view! {
        <p>
            <strong>{view.name}</strong>
            <br/>
            {role}
        </p>
        <Password/>
        {view.openid.map(|name| view! { <OtherWay name linked=view.linked account/> })}
        <Devices devices=view.devices account/>
        <Tokens tokens=view.tokens role=view.role made=view.made account/>
    }
    .into_any()
}

/// Logging in with the word of another party.
#[component]
fn OtherWay(name: String, linked: Linked, account: Account) -> impl IntoView {
    let unlink = ServerAction::<UnlinkIdentity>::new();
    after(unlink, move || account.refetch());
    let hint = match linked {
        Linked::No => {
            format!("Link your account there, and you can log in with {name} from then on.")
        }
        Linked::ByOneself => format!("You can log in with {name}, too."),
        Linked::FromTheStart => format!("Your account was made when you logged in with {name}."),
    };
    let change = match linked {
        Linked::No => {
            let label = format!("Link {name}");
            view! {
                <div class="cluster cluster--end">
                    <a class="button" href=link("login/openid?link=") rel="external">
                        {label}
                    </a>
                </div>
            }
            .into_any()
        }
        Linked::ByOneself => view! {
            <ServerForm action=unlink>
                <Outcome action=unlink done="Unlinked"/>
                <div class="cluster cluster--end">
                    <button class="button">"Unlink"</button>
                </div>
            </ServerForm>
        }
        .into_any(),
        Linked::FromTheStart => ().into_any(),
    };
    view! {
        <section class="card">
            <h2 class="card__title">{name}</h2>
            <p class="card__hint">{hint}</p>
            {change}
        </section>
    }
    .into_any()
}

#[component]
fn Password() -> impl IntoView {
    let change = ServerAction::<ChangePassword>::new();
    let old = NodeRef::<html::Input>::new();
    after(change, move || {
        if let Some(form) = old.get_untracked().and_then(|input| input.form()) {
            form.reset();
        }
    });
    view! {
        <section class="card">
            <h2 class="card__title">"Password"</h2>
            <p class="card__hint">"Everywhere else you have to log in again."</p>
            <ServerForm action=change class="stack">
                <Field id="old-password" label="Present password">
                    <input
                        class="input"
                        type="password"
                        id="old-password"
                        name="old"
                        node_ref=old
                        required
                        autocomplete="current-password"
                    />
                </Field>
                <Field id="new-password" label="New password" hint="At least 8 characters.">
                    <input
                        class="input"
                        type="password"
                        id="new-password"
                        name="new"
                        required
                        minlength="8"
                        autocomplete="new-password"
                        aria-describedby="new-password-hint"
                    />
                </Field>
                <Outcome action=change done="Changed"/>
                <div class="cluster cluster--end">
                    <button class="button button--primary">"Change password"</button>
                </div>
            </ServerForm>
        </section>
    }
    .into_any()
}
