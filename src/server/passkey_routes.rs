//! The routes of passkeys and recovery codes: plain forms, and what their script asks for before it sends them.
//!
//! They are open: each finds out by itself who asks. Half a login gives no access anywhere else.

use super::entering::Entering;
use super::form::PageForm;
use super::next::escaped;
use crate::api::{ApiError, SecretCookies, refusal, status_of};
use crate::people::{Caller, Half, PeopleError, Registered, Registrant};
use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use serde::Deserialize;

/// A form that a passkey answers.
#[derive(Deserialize)]
pub struct Answered {
    /// The browser's answer, as JSON; empty without a script.
    #[serde(default)]
    answer: String,
    /// Name of a new passkey.
    #[serde(default)]
    name: String,
    #[serde(default)]
    next: String,
}

/// What a script asks a browser for: JSON, and the challenge in a cookie.
fn asks(cookies: &SecretCookies, begun: Result<(String, String), PeopleError>) -> Response {
    match begun {
        Ok((asked, challenge)) => {
            let set = AppendHeaders([(header::SET_COOKIE, cookies.challenge.given(&challenge))]);
            let kind = [(header::CONTENT_TYPE, "application/json")];
            (set, kind, asked).into_response()
        }
        Err(error) => {
            let error = ApiError::from(error);
            (status_of(error.kind), Json(error)).into_response()
        }
    }
}

/// What a browser is asked to log in with a passkey.
pub async fn login_options(entering: Entering, PageForm(form): PageForm<Second>) -> Response {
    let Ok(place) = entering.place() else {
        return asks(&entering.cookies, Err(PeopleError::Expired));
    };
    let half = entering.half();
    let begun = match form.second {
        true if half.is_none() => Err(PeopleError::Expired),
        true => {
            entering
                .site
                .people
                .begin_passkey_login(&place, half.as_ref())
                .await
        }
        false => entering.site.people.begin_passkey_login(&place, None).await,
    };
    asks(&entering.cookies, begun)
}

/// Whether a form belongs to the page of the second factor.
#[derive(Deserialize)]
pub struct Second {
    #[serde(default)]
    second: bool,
}

/// Logs in with a passkey alone.
pub async fn log_in(entering: Entering, PageForm(form): PageForm<Answered>) -> Response {
    finish_login(&entering, None, &form, "login").await
}

/// Completes a login with a passkey.
pub async fn log_in_second(entering: Entering, PageForm(form): PageForm<Answered>) -> Response {
    let Some(half) = entering.half() else {
        return entering.refuse("login", PeopleError::Expired).await;
    };
    finish_login(&entering, Some(&half), &form, "second-factor").await
}

async fn finish_login(
    entering: &Entering,
    half: Option<&Half>,
    form: &Answered,
    page: &str,
) -> Response {
    let people = &entering.site.people;
    let outcome = match entering.place() {
        _ if form.answer.is_empty() => Err(no_script()),
        Err(_) => Err(PeopleError::Expired),
        Ok(place) => {
            let answer = (entering.challenge(), form.answer.as_str());
            let new = entering.new_login("", "");
            people.log_in_with_passkey(&place, half, answer, new).await
        }
    };
    match outcome {
        Ok(secrets) => entering.enter(&secrets, &form.next).await,
        Err(error) => again(entering, page, &form.next, error).await,
    }
}

/// Shows a page again, with the error.
async fn again(entering: &Entering, page: &str, next: &str, error: PeopleError) -> Response {
    let page = format!("{page}?next={}", escaped(next));
    entering.refuse(&page, error).await
}

fn no_script() -> PeopleError {
    PeopleError::Invalid("Nothing was sent: passkeys need JavaScript.".to_owned())
}

/// The form of a recovery code.
#[derive(Deserialize)]
pub struct Code {
    code: String,
    #[serde(default)]
    next: String,
}

/// Completes a login with a recovery code.
pub async fn recover(entering: Entering, PageForm(form): PageForm<Code>) -> Response {
    let Some(half) = entering.half() else {
        return entering.refuse("login", PeopleError::Expired).await;
    };
    let new = entering.new_login("", "");
    match entering
        .site
        .people
        .log_in_with_code(&half, &form.code, new)
        .await
    {
        Ok(secrets) => entering.enter(&secrets, &form.next).await,
        Err(error) => again(&entering, "second-factor", &form.next, error).await,
    }
}

/// What a browser is asked to register a passkey.
pub async fn register_options(entering: Entering) -> Response {
    let Ok(place) = entering.place() else {
        return asks(&entering.cookies, Err(PeopleError::Expired));
    };
    let (by, half) = (entering.login(), entering.half());
    match registrant(by, half.as_ref()) {
        Some(registrant) => asks(
            &entering.cookies,
            entering.site.people.begin_passkey(&place, registrant).await,
        ),
        None => (StatusCode::UNAUTHORIZED, Json(refusal(None))).into_response(),
    }
}

/// Registers a passkey; the browser is logged in afterwards, and sees new recovery codes once.
pub async fn register(entering: Entering, PageForm(form): PageForm<Answered>) -> Response {
    let (by, half) = (entering.login(), entering.half());
    let Some(registrant) = registrant(by, half.as_ref()) else {
        return entering.refuse("login", PeopleError::Expired).await;
    };
    let outcome = match entering.place() {
        _ if form.answer.is_empty() => Err(no_script()),
        Err(_) => Err(PeopleError::Expired),
        Ok(place) => {
            let answer = (entering.challenge(), form.answer.as_str());
            let new = entering.new_login("", "");
            let registered = entering
                .site
                .people
                .finish_passkey(&place, registrant, answer, &form.name, new);
            registered.await
        }
    };
    match outcome {
        Ok(registered) => show(&entering, registered).await,
        Err(error) => again(&entering, "passkey", &form.next, error).await,
    }
}

/// Leads to the account page, which shows the recovery codes.
async fn show(entering: &Entering, registered: Registered) -> Response {
    let page = format!("{}account", entering.site.base);
    let response = match &registered.login {
        Some(secrets) => entering.enter(secrets, &page).await,
        None => (entering.forget(), Redirect::to(&page)).into_response(),
    };
    if registered.codes.is_empty() {
        return response;
    }
    let codes = entering.cookies.one_time_secret("account");
    let codes = codes.given(&registered.codes.join("."));
    (AppendHeaders([(header::SET_COOKIE, codes)]), response).into_response()
}

/// Whoever has begun to log in does so for that account, and not for the one that this browser was logged in to.
fn registrant<'a>(by: Option<&'a Caller>, half: Option<&'a Half>) -> Option<Registrant<'a>> {
    let half = half.map(Registrant::Half);
    half.or_else(|| by.map(Registrant::Caller))
}
