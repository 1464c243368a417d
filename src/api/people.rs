//! People: one's own account, and for owners everybody's.

use super::ApiError;
use crate::people::{AccountView, AuditView, Me, PeopleView, Role};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{SignOn, allowed_people, made_for, renew_login, show_once};
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

/// One's own account: devices and tokens.
#[server]
pub async fn read_account() -> Result<AccountView, ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
    let account = people.account(&by).await?;
    Ok(AccountView {
        made: made_for(ACCOUNT).unwrap_or_default(),
        openid: use_context::<SignOn>().map(|SignOn(name)| name),
        ..account
    })
}

/// Changes one's own password; all other logins end.
#[server]
pub async fn change_password(old: String, new: String) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
    let secret = people.change_password(&by, &old, &new).await?;
    renew_login(&secret);
    Ok(())
}

/// Lets one log in with one's password alone again.
#[server]
pub async fn unlink_identity() -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
    Ok(people.forget_identities(&by).await?)
}

/// Ends one of one's logins.
#[server]
pub async fn end_device(number: i64) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
    Ok(people.end_device(&by, number).await?)
}

/// Ends all of one's logins but this one.
#[server]
pub async fn end_other_devices() -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
    Ok(people.end_other_devices(&by).await?)
}

/// Makes an access token, good for `days`; it is answered this once.
#[server]
pub async fn make_token(name: String, role: Role, days: u16) -> Result<String, ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
    let token = people.make_token(&by, &name, role, days).await?;
    show_once(ACCOUNT, &token);
    Ok(token)
}

/// Ends one of one's access tokens.
#[server]
pub async fn end_token(number: i64) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
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

/// Gives somebody another password; they have to log in again.
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

/// A page of the audit, the newest first; empty texts are no condition.
#[server]
pub async fn read_audit(
    #[server(default)] name: String,
    #[server(default)] action: String,
    #[server(default)] conversation: String,
    before: Option<i64>,
) -> Result<AuditView, ApiError> {
    let (people, _) = allowed_people(Right::Own)?;
    let filter = crate::journal::AuditFilter {
        name: name.trim().to_owned(),
        action,
        conversation: conversation.trim().to_owned(),
        before,
    };
    Ok(people.audit().page(filter).await?)
}
