//! What one's scripts log in with.

use super::account::Account;
use super::after;
use crate::api::{EndToken, MakeToken};
use crate::people::{Role, TokenView};
use crate::ui::parts::{Field, Made, Outcome, Time};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// The tokens, and a form for one more.
#[component]
pub(super) fn Tokens(
    tokens: Vec<TokenView>,
    role: Role,
    /// The one that a plain form has made just now, or empty.
    made: String,
    account: Account,
) -> impl IntoView {
    let end = ServerAction::<EndToken>::new();
    after(end, move || account.refetch());
    let none = tokens.is_empty();
    let entries = tokens.into_iter().map(|token| entry(token, end));
    view! {
        <section class="card">
            <h2 class="card__title">"Access tokens"</h2>
            <p class="card__hint">
                "For scripts, in the header "<code>"Authorization: Bearer …"</code>". Each allows at most what its role says."
            </p>
            {none.then(|| view! { <p class="muted">"None."</p> })}
            <ul class="stack">{entries.collect_view()}</ul>
            <Outcome action=end done="It is good for nothing now"/>
            <Make role made/>
        </section>
    }
    .into_any()
}

fn entry(token: TokenView, end: ServerAction<EndToken>) -> impl IntoView {
    let label = format!("Revoke {}", token.name);
    view! {
        <li class="cluster">
            <span class="grow">
                {token.name}
                <br/>
                <span class="muted">
                    {format!("{}, until ", token.role)} <Time at=token.expires_at/>
                    {token.used_at.map(|at| view! { ", last used " <Time at relative=true/> })}
                </span>
            </span>
            <ServerForm action=end>
                <input type="hidden" name="number" value=token.number/>
                <button class="button button--small" aria-label=label>"Revoke"</button>
            </ServerForm>
        </li>
    }
}

/// Makes one. It can be read this once.
#[component]
fn Make(role: Role, made: String) -> impl IntoView {
    let make = ServerAction::<MakeToken>::new();
    let roles = Role::ALL
        .into_iter()
        .filter(move |one| *one <= role && *one != Role::Owner);
    let options = roles.map(|role| view! { <option value=role.word()>{role.word()}</option> });
    view! {
        <ServerForm action=make class="stack">
            <div class="field-row">
                <Field id="token-name" label="What for">
                    <input class="input" id="token-name" name="name" required maxlength="60" autocomplete="off"/>
                </Field>
                <Field id="token-role" label="Role">
                    <select class="select" id="token-role" name="role">
                        {options.collect_view()}
                    </select>
                </Field>
                <Field id="token-days" label="Days">
                    <input
                        class="input number"
                        type="number"
                        id="token-days"
                        name="days"
                        min="1"
                        max="365"
                        value="90"
                        required
                    />
                </Field>
            </div>
            <div class="cluster cluster--end">
                <button class="button">"Make a token"</button>
            </div>
        </ServerForm>
        <Made action=make made=made/>
    }
    .into_any()
}
