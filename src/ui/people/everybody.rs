//! Everybody with an account, for owners.

use super::{after, person::Person};
use crate::api::{AddPerson, ApiError, ClearLock, read_people};
use crate::people::{LockView, PeopleView, Role};
use crate::store::{Fetched, fetched, link};
use crate::ui::parts::{Answered, Field, Icon, Outcome, Time};
use crate::ui::shell::{Head, ServerForm};
use leptos::html;
use leptos::prelude::*;

/// `/people`.
#[component]
pub fn PeoplePage() -> impl IntoView {
    let people = fetched(|| (), |()| read_people());
    view! {
        <Head title="People"/>
        <div class="page">
            <h1 class="page__title">"People"</h1>
            <Answered answers=people waiting="Reading who there is…" draw=move |view| {
                view! { <Everybody view people/> }.into_any()
            }/>
            <p>
                <a class="button" href=link("audit")>
                    "Audit: what was done by whom"
                </a>
            </p>
        </div>
    }
    .into_any()
}

/// How the page is read again after a change.
pub(super) type People = Fetched<Result<PeopleView, ApiError>>;

#[component]
fn Everybody(view: PeopleView, people: People) -> impl IntoView {
    let nobody = view.people.is_empty();
    let persons = view
        .people
        .into_iter()
        .map(|person| view! { <Person person people/> });
    view! {
        <section class="card">
            <h2 class="card__title">"Accounts"</h2>
            {nobody.then(|| view! { <p class="muted">"None: whoever sits at this machine may do everything."</p> })}
            <ul class="stack">{persons.collect_view()}</ul>
        </section>
        <Add people/>
        <Locks locks=view.locks people/>
    }
    .into_any()
}

#[component]
fn Add(people: People) -> impl IntoView {
    let add = ServerAction::<AddPerson>::new();
    let name = NodeRef::<html::Input>::new();
    after(add, move || {
        if let Some(form) = name.get_untracked().and_then(|input| input.form()) {
            form.reset();
        }
        people.refetch();
    });
    view! {
        <section class="card">
            <h2 class="card__title">"Let somebody in"</h2>
            <ServerForm action=add class="stack">
                <div class="field-row">
                    <Field id="new-name" label="Name">
                        <input
                            class="input"
                            id="new-name"
                            name="name"
                            node_ref=name
                            required
                            maxlength="40"
                            autocomplete="off"
                            autocapitalize="off"
                            spellcheck="false"
                        />
                    </Field>
                    <Field id="new-role" label="Role">
                        <RoleChoice id="new-role".to_owned() chosen=Role::Viewer/>
                    </Field>
                </div>
                <Field id="new-password" label="First password" hint="At least 8 characters. They can change it.">
                    <input
                        class="input"
                        type="password"
                        id="new-password"
                        name="password"
                        required
                        minlength="8"
                        autocomplete="new-password"
                        aria-describedby="new-password-hint"
                    />
                </Field>
                <Outcome action=add done="Added"/>
                <div class="cluster cluster--end">
                    <button class="button button--primary">
                        <Icon name="plus"/>
                        " Add"
                    </button>
                </div>
            </ServerForm>
        </section>
    }
    .into_any()
}

/// A choice of roles, each with what it means.
#[component]
pub(super) fn RoleChoice(id: String, chosen: Role) -> impl IntoView {
    let options = Role::ALL.map(|role| {
        let text = format!("{role}: {}", role.explained());
        view! {
            <option value=role.word() selected=role == chosen>
                {text}
            </option>
        }
    });
    view! {
        <select class="select" id=id name="role">
            {options.collect_view()}
        </select>
    }
}

#[component]
fn Locks(locks: Vec<LockView>, people: People) -> impl IntoView {
    let clear = ServerAction::<ClearLock>::new();
    after(clear, move || {
        people.refetch();
    });
    (!locks.is_empty()).then(|| {
        let entries = locks.into_iter().map(|lock| {
            let label = format!("Let {} try again", lock.subject);
            view! {
                <li class="cluster">
                    <span class="grow">
                        <span class="mono">{lock.subject.clone()}</span>
                        {format!(": {} wrong passwords, locked until ", lock.failures)}
                        <Time at=lock.until/>
                    </span>
                    <ServerForm action=clear>
                        <input type="hidden" name="subject" value=lock.subject/>
                        <button class="button button--small" aria-label=label>"Let try again"</button>
                    </ServerForm>
                </li>
            }
        });
        view! {
            <section class="card">
                <h2 class="card__title">"Locked"</h2>
                <p class="card__hint">"Too many wrong passwords. It ends by itself."</p>
                <ul class="stack">{entries.collect_view()}</ul>
                <Outcome action=clear done="Cleared"/>
            </section>
        }
        .into_any()
    })
}
