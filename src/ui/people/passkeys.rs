//! The passkeys of the current user, and the recovery codes that stand in for them.

use super::{Account, text};
use crate::api::EndPasskey;
use crate::people::{AccountView, PasskeyView};
use crate::store::{Call, link};
use crate::ui::auth::why_no_passkeys;
use crate::ui::parts::{OneTimeSecret, Outcome, Time};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

/// The passkeys, each with a button to remove it, and the way to add one where they work.
#[component]
pub(super) fn Passkeys(
    view: AccountView,
    /// Replaces the recovery codes. The action lives outside the refetched view, so that the new codes stay visible.
    renew: Call<String>,
    account: Account,
) -> impl IntoView {
    let end = Call::of::<EndPasskey>();
    end.on_success(move || account.refetch());
    let none = view.passkeys.is_empty();
    let entries = view.passkeys.into_iter().map(|passkey| entry(passkey, end));
    let add = match why_no_passkeys(view.here) {
        Some(reason) => any_view! { <p class="muted">{reason}</p> },
        None => any_view! {
            <div class="cluster cluster--end">
                <a class="button" href=link("passkey") rel="external">
                    {text::add_passkey()}
                </a>
            </div>
        },
    };
    let left = view.codes;
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::passkeys()}</h2>
            <p class="card__hint">{text::passkeys_hint()}</p>
            {none.then(|| view! { <p class="muted">{text::no_passkeys()}</p> })}
            <ul class="stack">{entries.collect_view()}</ul>
            <Outcome action=end done=text::passkey_removed()/>
            {add}
            {(!none)
                .then(|| {
                    view! {
                        <p>{text::codes_left(left)}</p>
                        <ServerForm action=renew>
                            <button class="button">{text::renew_codes()}</button>
                        </ServerForm>
                    }
                })}
            <OneTimeSecret action=renew secret=view.one_time_codes/>
        </section>
    }
}

fn entry(passkey: PasskeyView, end: Call) -> impl IntoView {
    let label = text::remove_passkey(&passkey.name);
    view! {
        <li class="cluster">
            <span class="grow">
                {passkey.name}
                <br/>
                <span class="muted">
                    {text::passkey_added(&passkey.place)} <Time at=passkey.created_at relative=true/>
                    {passkey.used_at.map(|at| view! { {text::last_used()} <Time at relative=true/> })}
                </span>
            </span>
            <CallButton action=end fields=vec![("number", passkey.number.to_string())] label=text::remove() name=label/>
        </li>
    }
}
