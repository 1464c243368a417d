//! The routes of invitations: plain forms. They are open, and what they do needs the secret of an invitation.

use super::auth::{Follow, half_logged_in, kept, secret_in};
use super::entering::Entering;
use super::form::PageForm;
use crate::people::PeopleError;
use axum::http::header;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use serde::Deserialize;

/// Opens an invitation: its secret, which no address contains, is kept in a cookie for the form that makes the account.
pub async fn open_invitation(entering: Entering, PageForm(form): PageForm<Follow>) -> Response {
    let (people, secret) = (&entering.site.people, secret_in(&form.code));
    match people.open_invitation(secret, &entering.address).await {
        Ok(()) => {
            let opened = entering.cookies.invitation.given(secret);
            let page = format!("{}invitation", entering.site.base);
            let set = AppendHeaders([(header::SET_COOKIE, opened)]);
            (set, Redirect::to(&page)).into_response()
        }
        Err(error) => entering.refuse("invitation", error).await,
    }
}

/// The form of an invited person.
#[derive(Deserialize)]
pub struct Accept {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    /// Set to log in with a passkey instead of a password.
    #[serde(default)]
    passkey: bool,
}

/// Makes the account of an invited person.
pub async fn accept_invitation(entering: Entering, PageForm(form): PageForm<Accept>) -> Response {
    let secret = entering
        .cookies
        .invitation
        .read(&entering.headers)
        .unwrap_or_default();
    let base = entering.site.base.clone();
    let end = AppendHeaders([(header::SET_COOKIE, entering.cookies.invitation.taken())]);
    if form.passkey {
        return match entering
            .site
            .people
            .begin_invitation(secret, &form.name, &entering.address)
            .await
        {
            Ok(half) => {
                let set = AppendHeaders([(header::SET_COOKIE, entering.cookies.half.given(&half))]);
                (set, Redirect::to(&format!("{base}passkey"))).into_response()
            }
            Err(error) => invited_again(&entering, &form.name, error).await,
        };
    }
    let new = entering.new_login(&form.name, &form.password);
    match entering.site.people.accept_invitation(secret, new).await {
        Ok(secrets) => (end, entering.enter(&secrets, &base).await).into_response(),
        Err(PeopleError::SecondFactor(half)) => (
            end,
            half_logged_in(&entering.site, &entering.cookies, &half, &base),
        )
            .into_response(),
        Err(error) => invited_again(&entering, &form.name, error).await,
    }
}

async fn invited_again(entering: &Entering, name: &str, error: PeopleError) -> Response {
    let page = format!("invitation?name={}", kept(name));
    entering.refuse(&page, error).await
}
