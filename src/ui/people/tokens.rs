//! API tokens of the current user.

use super::{Account, text};
use crate::api::EndToken;
use crate::people::{Role, Scope, TokenView};
use crate::store::Call;
use crate::ui::parts::{self, Field, OneTimeSecret, Outcome, TextField, Time, Toggle};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

/// The tokens, and a form to create one.
#[component]
pub(super) fn Tokens(
    tokens: Vec<TokenView>,
    role: Role,
    /// The token that a submit without JavaScript has created, or empty.
    secret: String,
    /// Creates a token. The action lives outside the refetched view, so that the new token stays visible.
    make: Call<String>,
    account: Account,
) -> impl IntoView {
    let end = Call::of::<EndToken>();
    end.on_success(move || account.refetch());
    let none = tokens.is_empty();
    let entries = tokens.into_iter().map(|token| entry(token, end));
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::tokens()}</h2>
            <p class="card__hint">
                {text::tokens_hint_start()} <code>"Authorization: Bearer …"</code> {text::tokens_hint_end()}
            </p>
            {none.then(|| view! { <p class="muted">{text::no_tokens()}</p> })}
            <ul class="stack">{entries.collect_view()}</ul>
            <Outcome action=end done=text::token_revoked()/>
            <Make role secret make/>
        </section>
    }
}

fn entry(token: TokenView, end: Call) -> impl IntoView {
    let label = text::revoke_named(&token.name);
    let allows = match token.scopes.is_empty() {
        true => text::token_expires(token.role),
        false => text::api_token_expires(token.scopes),
    };
    view! {
        <li class="cluster">
            <span class="grow">
                {token.name}
                <br/>
                <span class="muted">
                    {allows} <Time at=token.expires_at/>
                    {token.used_at.map(|at| view! { {text::last_used()} <Time at relative=true/> })}
                </span>
            </span>
            <CallButton action=end fields=vec![("number", token.number.to_string())] label=text::revoke() name=label/>
        </li>
    }
}

/// Creates a token, which is shown only once.
#[component]
fn Make(role: Role, secret: String, make: Call<String>) -> impl IntoView {
    let roles = Role::ALL
        .into_iter()
        .filter(move |one| *one <= role && *one != Role::Owner);
    let options = roles.map(|role| view! { <option value=role.word()>{role.word()}</option> });
    let scopes = Scope::ALL
        .into_iter()
        .filter(move |scope| role.may(scope.right()));
    let scopes = scopes.map(|scope| {
        view! { <Toggle name=scope.word() label=scope_in_words(scope) checked=false/> }
    });
    any_view! {
        <ServerForm action=make class="stack">
            <div class="field-row">
                <TextField id="token-name" name="name" label=parts::text::name() prose=true required=true longest="60"/>
                <Field id="token-role" label=text::role()>
                    <select class="select" id="token-role" name="role">
                        {options.collect_view()}
                    </select>
                </Field>
                <TextField
                    id="token-days" name="days" label=text::days() kind="number" value="90" required=true least="1"
                    most="365"
                />
            </div>
            <div role="group" aria-labelledby="token-scopes" aria-describedby="token-scopes-hint">
                <p class="field__label" id="token-scopes">{text::scopes()}</p>
                {scopes.collect_view()}
                <p class="field__hint" id="token-scopes-hint">{text::scopes_hint()}</p>
            </div>
            <button class="button">{text::create_token()}</button>
        </ServerForm>
        <OneTimeSecret action=make secret=secret/>
    }
}

fn scope_in_words(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => text::scope_read(),
        Scope::Send => text::scope_send(),
        Scope::Approve => text::scope_approve(),
        Scope::Admin => text::scope_admin(),
    }
}
