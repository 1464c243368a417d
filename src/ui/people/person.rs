//! One account on the page of all: its role, whether it is shut out, another password.

use super::after;
use super::everybody::{People, RoleChoice};
use crate::api::{ChangeRole, DisablePerson, ResetPassword};
use crate::people::PersonView;
use crate::ui::parts::{Outcome, Time};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// One account.
#[component]
pub(super) fn Person(person: PersonView, people: People) -> impl IntoView {
    let (role, disable, reset) = (
        ServerAction::<ChangeRole>::new(),
        ServerAction::<DisablePerson>::new(),
        ServerAction::<ResetPassword>::new(),
    );
    after(role, move || people.refetch());
    after(disable, move || people.refetch());
    let PersonView {
        name,
        role: now,
        disabled,
        seen_at,
        ..
    } = person;
    let [role_id, password_id] = ["role", "password"].map(|what| format!("{what}-of-{name}"));
    let (role_label, password_label) =
        (format!("Role of {name}"), format!("New password of {name}"));
    // Each form is a closure of its own.
    let [name_in_role, name_in_reset, name_in_disable] = [(); 3].map(|()| name.clone());
    let state = if disabled { "disabled" } else { now.word() };
    let word = if disabled { "Let in again" } else { "Disable" };
    view! {
        <li>
            <details class="knowledge">
                <summary class="cluster">
                    <strong class="grow">{name}</strong>
                    <span class="chip">{state}</span>
                    {seen_at.map(|at| view! { <Time at relative=true class="muted"/> })}
                </summary>
                <div class="stack">
                    <ServerForm action=role class="cluster">
                        <input type="hidden" name="name" value=name_in_role/>
                        <label class="visually-hidden" for=role_id.clone()>
                            {role_label}
                        </label>
                        <RoleChoice id=role_id chosen=now/>
                        <button class="button">"Change role"</button>
                    </ServerForm>
                    <Outcome action=role done="Changed"/>
                    <ServerForm action=reset class="cluster">
                        <input type="hidden" name="name" value=name_in_reset/>
                        <label class="visually-hidden" for=password_id.clone()>
                            {password_label}
                        </label>
                        <input
                            class="input"
                            type="password"
                            id=password_id
                            name="password"
                            required
                            minlength="8"
                            placeholder="New password"
                            autocomplete="new-password"
                        />
                        <button class="button">"Set password"</button>
                    </ServerForm>
                    <Outcome action=reset done="They have to log in again"/>
                    <ServerForm action=disable>
                        <input type="hidden" name="name" value=name_in_disable/>
                        {(!disabled).then(|| view! { <input type="hidden" name="disabled" value="true"/> })}
                        <button class="button button--danger">{word}</button>
                    </ServerForm>
                    <Outcome action=disable done="Done"/>
                </div>
            </details>
        </li>
    }
    .into_any()
}
