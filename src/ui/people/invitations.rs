//! Invitations, and which roles need a passkey, for owners.

use super::person::RoleChoice;
use super::{People, text};
use crate::api::{EndInvitation, RequirePasskeys};
use crate::people::{InvitationView, PasskeysHere, PeopleView, Role};
use crate::store::Call;
use crate::ui::auth::why_no_passkeys;
use crate::ui::parts::{Field, OneTimeSecret, Outcome, TextField, Time, Toggle, answered};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

/// The invitations, and a form to create one.
#[component]
pub(super) fn Invitations(
    people: People,
    /// Creates an invitation. The action lives outside the refetched view, so that the new link stays visible.
    make: Call<String>,
) -> impl IntoView {
    let end = Call::of::<EndInvitation>();
    end.on_success(move || people.refetch());
    let drawn = move |view: PeopleView| {
        let entries = view.invitations.into_iter();
        let entries = entries.map(|invitation| entry(invitation, end));
        any_view! {
            <ul class="stack">{entries.collect_view()}</ul>
            <OneTimeSecret action=make secret=view.one_time_secret/>
        }
    };
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::invite()}</h2>
            <p class="card__hint">{text::invite_hint()}</p>
            <ServerForm action=make class="stack">
                <div class="field-row">
                    <TextField id="invited-name" name="name" label=text::name_if_fixed() longest="40"/>
                    <Field id="invited-role" label=text::role()>
                        <RoleChoice id="invited-role".to_owned() chosen=Role::Viewer/>
                    </Field>
                    <TextField
                        id="invited-days" name="days" label=text::days() kind="number" value="7" required=true least="1"
                        most="30"
                    />
                </div>
                <button class="button button--primary">{text::create_invitation()}</button>
            </ServerForm>
            <Transition>
                {answered(people, move |view| match view {
                    Ok(view) => drawn(view),
                    Err(_) => ().into_any(),
                })}
            </Transition>
            <Outcome action=end done=text::invitation_revoked()/>
        </section>
    }
}

fn entry(invitation: InvitationView, end: Call) -> impl IntoView {
    let whom = match invitation.name.as_str() {
        "" => text::somebody().to_owned(),
        name => name.to_owned(),
    };
    let label = text::revoke_invitation(&whom);
    view! {
        <li class="cluster">
            <span class="grow">
                {whom}
                <br/>
                <span class="muted">
                    {text::invitation_of(invitation.role, &invitation.by)} <Time at=invitation.expires_at/>
                </span>
            </span>
            <CallButton
                action=end
                fields=vec![("number", invitation.number.to_string())]
                label=text::revoke()
                name=label
            />
        </li>
    }
}

/// The roles that log in with a passkey only.
#[component]
pub(super) fn RequiredPasskeys(people: People) -> impl IntoView {
    let require = Call::of::<RequirePasskeys>();
    require.on_success(move || people.refetch());
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::required_passkeys()}</h2>
            <p class="card__hint">{text::required_passkeys_hint()}</p>
            <Transition>
                {answered(people, move |view| match view {
                    Ok(view) => roles_form(&view, require),
                    Err(_) => ().into_any(),
                })}
            </Transition>
            <Outcome action=require/>
        </section>
    }
}

fn roles_form(view: &PeopleView, require: Call) -> AnyView {
    // Where passkeys do not work, a requirement can only be ended.
    if view.here != PasskeysHere::Work && view.passkey_roles.is_empty() {
        let reason = why_no_passkeys(view.here);
        return any_view! { <p class="muted">{reason}</p> };
    }
    let required = view.passkey_roles.clone();
    any_view! {
        <ServerForm action=require class="stack">
            {Role::ALL
                .map(|role| {
                    view! { <Toggle name=role.word() label=role.word() checked=required.contains(&role)/> }
                })
                .collect_view()}
            <button class="button">{text::save()}</button>
        </ServerForm>
    }
}
