//! People: one's own account, and for owners everybody's.

use super::ApiError;
use crate::people::{AccountView, AuditChoices, AuditView, Me, PeopleView, Role};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{SignOn, allowed_people, made_for, own_account, renew_login, show_once};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// The page of one's own account.
#[cfg(feature = "ssr")]
const ACCOUNT: &str = "account";

/// Who asks; an error when nobody is logged in.
#[server]
pub async fn read_me() -> Result<Me, ApiError> {
    let (_, by) = allowed_people(Right::Read)?;
    Ok(by.me())
}

/// One's own account: devices and tokens. It is not shown to who comes with a token.
#[server]
pub async fn read_account() -> Result<AccountView, ApiError> {
    let (people, by) = match allowed_people(Right::Read)? {
        machine if machine.1.credential == crate::people::Credential::Machine => machine,
        _ => own_account()?,
    };
    let account = people.account(&by).await?;
    Ok(AccountView {
        made: made_for(ACCOUNT).unwrap_or_default(),
        openid: use_context::<SignOn>().map(|on| (on.name, on.proof)),
        ..account
    })
}

/// Changes one's own password; all other logins and all access tokens end.
#[server]
pub async fn change_password(old: String, new: String) -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    let secret = people.change_password(&by, &old, &new).await?;
    renew_login(&secret);
    Ok(())
}

/// Lets one log in with one's password alone again.
#[server]
pub async fn unlink_identity() -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.forget_identities(&by).await?)
}

/// Ends one of one's logins.
#[server]
pub async fn end_device(number: i64) -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.end_device(&by, number).await?)
}

/// Ends all of one's logins but this one.
#[server]
pub async fn end_other_devices() -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.end_other_devices(&by).await?)
}

/// Makes an access token, good for `days`; it is answered this once.
#[server]
pub async fn make_token(name: String, role: Role, days: u16) -> Result<String, ApiError> {
    let (people, by) = own_account()?;
    let token = people.make_token(&by, &name, role, days).await?;
    show_once(ACCOUNT, &token);
    Ok(token)
}

/// Ends one of one's access tokens.
#[server]
pub async fn end_token(number: i64) -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.end_token(&by, number).await?)
}

/// Everybody, with what is locked.
#[server]
pub async fn read_people() -> Result<PeopleView, ApiError> {
    let (people, _) = allowed_people(Right::Own)?;
    Ok(people.everybody().await?)
}

/// Makes an account.
#[server]
pub async fn add_person(name: String, role: Role, password: String) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.add(&by, &name, role, &password).await?)
}

/// Gives somebody another role; they have to log in again.
#[server]
pub async fn change_role(name: String, role: Role) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.set_role(&by, &name, role).await?)
}

/// Shuts somebody out, or lets them in again.
#[server]
pub async fn disable_person(
    name: String,
    #[server(default)] disabled: bool,
) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.set_disabled(&by, &name, disabled).await?)
}

/// Gives somebody another password; they have to log in again, and their access tokens end.
#[server]
pub async fn reset_password(name: String, password: String) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.reset_password(&by, &name, &password).await?)
}

/// Lets an account or address try passwords again.
#[server]
pub async fn clear_lock(subject: String) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.clear_lock(&by, &subject).await?)
}

/// A page of the actions in the audit, the newest first; empty texts are no condition.
#[server]
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

/// The people and conversations by which the audit can be filtered.
#[server]
pub async fn read_audit_choices() -> Result<AuditChoices, ApiError> {
    let (people, _) = allowed_people(Right::Own)?;
    Ok(people.audit().choices().await?)
}
