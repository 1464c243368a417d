//! All accounts, for owners.

use super::invitations::{Invitations, RequiredPasskeys};
use super::person::{PersonActions, RoleChoice, person_row};
use super::{People, text};
use crate::api::{
    AddPerson, ChangeRole, ClearLock, DisablePerson, MakeInvitation, ResetPasskeys, ResetPassword,
    query_of, read_people,
};
use crate::people::{LockView, PeopleView, Role};
use crate::store::{Call, fetched, link, use_query};
use crate::ui::parts::{
    self, Answered, Field, Outcome, PasswordField, SearchForm, TextField, Time, answered,
    empty_form, named_icon,
};
use crate::ui::shell::{CallButton, Page, ServerForm};
use leptos::html;
use leptos::prelude::*;

/// `/people`.
#[component]
pub fn PeoplePage() -> impl IntoView {
    let query = use_query();
    let say = move |name: &str| query.with(|query| query.get(name)).unwrap_or_default();
    let wanted = Memo::new(move |_| (say("q"), say("after")));
    let people = fetched(move || wanted.get(), |(q, after)| read_people(q, after));
    let actions = PersonActions {
        role: Call::of::<ChangeRole>(),
        reset: Call::of::<ResetPassword>(),
        disable: Call::of::<DisablePerson>(),
        passkeys: Call::of::<ResetPasskeys>(),
    };
    let invite = Call::of::<MakeInvitation>();
    invite.on_success(move || people.refetch());
    for action in [
        actions.role,
        actions.reset,
        actions.disable,
        actions.passkeys,
    ] {
        action.on_success(move || people.refetch());
    }
    any_view! {
        <Page title=text::people()>
            <section class="card">
                <h2 class="card__title">{text::accounts()}</h2>
                <SearchForm
                    address=link("people")
                    place=text::search_accounts()
                    label=parts::text::name()
                    placeholder=text::search_accounts()
                    text=Signal::derive(move || wanted.read().0.clone())
                >
                    <button class="button">{parts::text::search()}</button>
                </SearchForm>
                <Answered answers=people waiting=text::people_loading() draw=move |view| {
                    table(view, actions, &wanted.get_untracked().0)
                }/>
                <div class="stack">
                    <Outcome action=actions.role done=text::role_changed()/>
                    <Outcome action=actions.reset done=text::password_set()/>
                    <Outcome action=actions.disable done=text::done()/>
                    <Outcome action=actions.passkeys done=text::passkeys_reset()/>
                </div>
            </section>
            <Invitations people make=invite/>
            <Add people/>
            <RequiredPasskeys people/>
            <Locks people/>
            <p>
                <a class="button" href=link("audit")>
                    {text::view_audit()}
                </a>
            </p>
        </Page>
    }
}

/// All accounts, one per row.
fn table(view: PeopleView, actions: PersonActions, q: &str) -> AnyView {
    if view.people.is_empty() {
        let none = if q.is_empty() {
            text::no_accounts()
        } else {
            text::no_such_accounts()
        };
        return any_view! { <p class="muted">{none}</p> };
    }
    let more = (!view.more.is_empty()).then(|| {
        let query = query_of([("q", q), ("after", view.more.as_str())]);
        view! {
            <a class="button" href=format!("{}{query}", link("people"))>
                {parts::text::more()}
            </a>
        }
    });
    let rows: Vec<AnyView> = view
        .people
        .into_iter()
        .map(|person| person_row(person, actions))
        .collect();
    any_view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=text::accounts()>
            <table class="table table--stack" role="table">
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader">{parts::text::name()}</th>
                        <th role="columnheader">{text::role()}</th>
                        <th role="columnheader">{text::last_seen()}</th>
                        <th role="columnheader">{text::devices()}</th>
                        <th role="columnheader">{parts::text::actions()}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
        {more}
    }
}

#[component]
fn Add(people: People) -> impl IntoView {
    let add = Call::of::<AddPerson>();
    let name = NodeRef::<html::Input>::new();
    add.on_success(move || {
        empty_form(name);
        people.refetch();
    });
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::add_person()}</h2>
            <ServerForm action=add class="stack">
                <div class="field-row">
                    <TextField id="new-name" name="name" label=parts::text::name() required=true longest="40" node_ref=name/>
                    <Field id="new-role" label=text::role()>
                        <RoleChoice id="new-role".to_owned() chosen=Role::Viewer/>
                    </Field>
                </div>
                <PasswordField
                    id="new-password"
                    name="password"
                    label=text::initial_password()
                    hint=text::initial_password_hint()
                    new=true
                />
                <Outcome action=add done=text::added()/>
                <button class="button button--primary">
                    {named_icon("plus", text::add())}
                </button>
            </ServerForm>
        </section>
    }
}

/// What is locked after failed attempts; nothing if nothing is.
#[component]
fn Locks(people: People) -> impl IntoView {
    let clear = Call::of::<ClearLock>();
    clear.on_success(move || people.refetch());
    any_view! {
        <Transition>
            {answered(people, move |view| match view {
                Ok(view) if !view.locks.is_empty() => locked(view.locks, clear),
                _ => ().into_any(),
            })}
        </Transition>
        <Outcome action=clear done=text::unlocked()/>
    }
}

fn locked(locks: Vec<LockView>, clear: Call) -> AnyView {
    let entries = locks.into_iter().map(|lock| {
        let label = text::unlock_named(&lock.subject);
        view! {
            <li class="cluster">
                <span class="grow">
                    <span class="mono">{lock.subject.clone()}</span>
                    {text::locked_until(usize::try_from(lock.failures).unwrap_or_default())}
                    <Time at=lock.until/>
                </span>
                <CallButton action=clear fields=vec![("subject", lock.subject)] label=text::unlock() name=label/>
            </li>
        }
    });
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::locked()}</h2>
            <p class="card__hint">{text::locked_hint()}</p>
            <ul class="stack">{entries.collect_view()}</ul>
        </section>
    }
}
