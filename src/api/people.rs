//! Users: their own account, and for owners all accounts.

use super::ApiError;
use super::answer::Answer;
use crate::people::{AccountView, AuditChoices, AuditView, Me, PeopleView, Role};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{
    SignOn, allowed_people, one_time_secret_for, own_account, passkeys_here, renew_login, show_once,
};
#[cfg(feature = "ssr")]
use crate::people::{Right, Scope, Scopes, TOKEN_MARK};

/// Path of the account page.
#[cfg(feature = "ssr")]
pub(super) const ACCOUNT: &str = "account";
/// Path of the page of all people.
#[cfg(feature = "ssr")]
pub(super) const PEOPLE: &str = "people";

/// The logged-in user, or an error.
#[server(output = Answer)]
pub async fn read_me() -> Result<Me, ApiError> {
    let (_, by) = allowed_people(Right::Read)?;
    Ok(by.me())
}

/// The user's own account with its tokens, and its sessions from a number on. Not available to callers with an access token.
#[server(output = Answer)]
pub async fn read_account(#[server(default)] from: usize) -> Result<AccountView, ApiError> {
    let (people, by) = match allowed_people(Right::Read)? {
        machine if machine.1.credential == crate::people::Credential::Machine => machine,
        _ => own_account()?,
    };
    let account = people.account(&by, from).await?;
    // Tokens have a mark; the other secrets of this page are recovery codes.
    let secret = one_time_secret_for(ACCOUNT).unwrap_or_default();
    let (token, codes) = match secret.starts_with(TOKEN_MARK) || secret.is_empty() {
        true => (secret, String::new()),
        false => (String::new(), secret.replace('.', "\n")),
    };
    Ok(AccountView {
        one_time_secret: token,
        one_time_codes: codes,
        here: passkeys_here(),
        openid: use_context::<SignOn>().map(|on| (on.name, on.proof)),
        ..account
    })
}

/// Changes the user's own password; all other logins and all access tokens end.
#[server]
pub async fn change_password(old: String, new: String) -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    let secret = people.change_password(&by, &old, &new).await?;
    renew_login(&secret);
    Ok(())
}

/// Allows the user to log in with only their password again.
#[server]
pub async fn unlink_identity() -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.forget_identities(&by).await?)
}

/// Ends one of the user's logins.
#[server]
pub async fn end_device(number: i64) -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.end_device(&by, number).await?)
}

/// Ends all of the user's logins except this one.
#[server]
pub async fn end_other_devices() -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.end_other_devices(&by).await?)
}

/// Creates an access token that is valid for `days`; only this response contains it. With scopes it is good for the API
/// alone, whatever the `role`.
#[server]
pub async fn make_token(
    name: String,
    role: Role,
    days: u16,
    #[server(default)] read: bool,
    #[server(default)] send: bool,
    #[server(default)] approve: bool,
    #[server(default)] admin: bool,
) -> Result<String, ApiError> {
    let (people, by) = own_account()?;
    let chosen = [read, send, approve, admin].into_iter().zip(Scope::ALL);
    let scopes = chosen.filter(|(is_chosen, _)| *is_chosen);
    let scopes = scopes.fold(Scopes::NONE, |scopes, (_, scope)| scopes.with(scope));
    let token = match scopes.is_empty() {
        true => people.make_token(&by, &name, role, days).await?,
        false => people.make_api_token(&by, &name, scopes, days).await?,
    };
    show_once(ACCOUNT, &token);
    Ok(token)
}

/// Revokes one of the user's access tokens.
#[server]
pub async fn end_token(number: i64) -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.end_token(&by, number).await?)
}

/// A page of the users with `q` in their names, those after a name; and the locked logins.
#[server(output = Answer)]
pub async fn read_people(
    #[server(default)] q: String,
    #[server(default)] after: String,
) -> Result<PeopleView, ApiError> {
    let (people, _) = allowed_people(Right::Own)?;
    Ok(PeopleView {
        here: passkeys_here(),
        one_time_secret: one_time_secret_for(PEOPLE).unwrap_or_default(),
        ..people.everybody(q.trim(), &after).await?
    })
}

/// Creates an account.
#[server]
pub async fn add_person(name: String, role: Role, password: String) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.add(&by, &name, role, &password).await?)
}

/// Changes the role of a user, who must log in again.
#[server]
pub async fn change_role(name: String, role: Role) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.set_role(&by, &name, role).await?)
}

/// Disables or enables an account.
#[server]
pub async fn disable_person(
    name: String,
    #[server(default)] disabled: bool,
) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.set_disabled(&by, &name, disabled).await?)
}

/// Sets the password of a user, who must log in again; their access tokens end.
#[server]
pub async fn reset_password(name: String, password: String) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.reset_password(&by, &name, &password).await?)
}

/// Unlocks password attempts for an account or address.
#[server]
pub async fn clear_lock(subject: String) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.clear_lock(&by, &subject).await?)
}

/// A page of the audit log, newest first; empty arguments do not filter.
#[server(output = Answer)]
pub async fn read_audit(
    #[server(default)] name: String,
    #[server(default)] action: String,
    #[server(default)] conversation: String,
    #[server(default)] outcome: String,
    before: Option<i64>,
) -> Result<AuditView, ApiError> {
    let (people, _) = allowed_people(Right::Own)?;
    let filter = crate::journal::AuditFilter {
        name: name.trim().to_owned(),
        action,
        conversation: conversation.trim().to_owned(),
        outcome: crate::journal::AuditOutcome::named(&outcome),
        before,
    };
    Ok(people.audit().page(filter).await?)
}

/// The users and conversations by which the audit log can be filtered.
#[server(output = Answer)]
pub async fn read_audit_choices() -> Result<AuditChoices, ApiError> {
    let (people, _) = allowed_people(Right::Own)?;
    Ok(people.audit().choices().await?)
}
