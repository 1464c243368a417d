//! Forms of the pages outside a session.

use super::Site;
use crate::ui::auth::Said;
use axum::Form;
use axum::extract::{FromRequest, Request};
use axum::response::Response;
use serde::de::DeserializeOwned;

const UNREADABLE: &str =
    "Nothing was done: the form was incomplete or damaged. Fill it in again, then send it.";

/// A form that is sent to its page's own address. If it cannot be read, the response is that page with an error.
pub struct PageForm<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Site> for PageForm<T> {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Site) -> Result<Self, Response> {
        let page = request.uri().path().trim_start_matches('/').to_owned();
        let rejection = match Form::<T>::from_request(request, site).await {
            Ok(Form(form)) => return Ok(Self(form)),
            Err(rejection) => rejection,
        };
        tracing::info!(%rejection, page, "a form could not be read");
        let status = rejection.status();
        let said = Said(UNREADABLE.to_owned());
        Err(site.page(&page, status, (None, said)).await)
    }
}
