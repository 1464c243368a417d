//! One account in the table of all accounts: its role, whether it is disabled, a password reset.

use super::text;
use crate::people::{PersonView, Role};
use crate::store::Call;
use crate::ui::parts::{self, Time};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

/// The actions on accounts. They live outside the refetched view, so that their results stay visible.
#[derive(Clone, Copy)]
pub(super) struct PersonActions {
    /// Changes a role.
    pub role: Call,
    /// Sets a password.
    pub reset: Call,
    /// Disables or enables an account.
    pub disable: Call,
    /// Removes all passkeys.
    pub passkeys: Call,
}

/// The row of an account.
pub(super) fn person_row(person: PersonView, actions: PersonActions) -> AnyView {
    let role = role_form(&person, actions);
    let password = password_form(person.name.clone(), actions);
    let disable = disable_form(person.name.clone(), person.disabled, actions);
    let passkeys = (person.passkeys > 0).then(|| {
        let fields = vec![("name", person.name.clone())];
        let label = text::reset_passkeys();
        view! { <CallButton action=actions.passkeys fields label class="button"/> }
    });
    let manage = text::manage(&person.name);
    any_view! {
        <tr role="row">
            <td role="cell" data-label=parts::text::name()>
                <strong>{person.name}</strong>
                {person.disabled.then(|| view! { " " <span class="chip">{text::disabled()}</span> })}
            </td>
            <td role="cell" data-label=text::role()>
                {role}
            </td>
            <td role="cell" data-label=text::last_seen()>
                {match person.seen_at {
                    Some(at) => any_view! { <Time at relative=true/> },
                    None => text::never().into_any(),
                }}
            </td>
            <td role="cell" class="number" data-label=text::devices()>
                {person.devices}
            </td>
            <td role="cell" data-label=parts::text::actions()>
                <details class="knowledge">
                    <summary>{manage}</summary>
                    <div class="stack">{password} {passkeys} {disable}</div>
                </details>
            </td>
        </tr>
    }
}

// The contents of a form are a closure, which owns its copies of the name.
fn role_form(person: &PersonView, actions: PersonActions) -> AnyView {
    let (name, chosen) = (person.name.clone(), person.role);
    let id = format!("role-of-{name}");
    let (label, button) = (text::role_of(&name), text::change_role_of(&name));
    any_view! {
        <ServerForm action=actions.role class="cluster">
            <input type="hidden" name="name" value=name/>
            <label class="visually-hidden" for=id.clone()>
                {label}
            </label>
            <div class="grow">
                <RoleChoice id chosen is_short=true/>
            </div>
            <button class="button" aria-label=button>
                {text::save()}
            </button>
        </ServerForm>
    }
}

/// A choice of roles, each with its description.
#[component]
pub(super) fn RoleChoice(
    id: String,
    chosen: Role,
    /// Without the descriptions.
    #[prop(optional)]
    is_short: bool,
) -> impl IntoView {
    let options = Role::ALL.map(|role| {
        let label = if is_short {
            role.word().to_owned()
        } else {
            text::role_option(role, role.explained())
        };
        view! {
            <option value=role.word() selected=role == chosen>
                {label}
            </option>
        }
    });
    view! {
        <select class="select" id=id name="role">
            {options.collect_view()}
        </select>
    }
}

fn password_form(name: String, actions: PersonActions) -> AnyView {
    let id = format!("password-of-{name}");
    let label = text::new_password_of(&name);
    any_view! {
        <ServerForm action=actions.reset class="cluster">
            <input type="hidden" name="name" value=name/>
            <label class="visually-hidden" for=id.clone()>
                {label}
            </label>
            <input
                class="input grow"
                type="password"
                id=id
                name="password"
                required
                minlength="8"
                placeholder=text::new_password()
                autocomplete="new-password"
            />
            <button class="button">{text::set_password()}</button>
        </ServerForm>
    }
}

fn disable_form(name: String, disabled: bool, actions: PersonActions) -> AnyView {
    let (label, class) = if disabled {
        (text::enable(), "button")
    } else {
        (text::disable(), "button button--danger")
    };
    let disables = (!disabled).then(|| ("disabled", "true".to_owned()));
    let fields = [("name", name)].into_iter().chain(disables).collect();
    any_view! { <CallButton action=actions.disable fields label class/> }
}
