//! The conversation that an address names: its id is decoded and validated in one place.
//!
//! `access` calls this before a route runs. The routes take [`ConversationPath`], which authorizes the decoded id again, right
//! where it is used.

use super::answer::Refused;
use super::{Site, needs};
use crate::api::{check_right_in, refusal};
use crate::conversation::is_id;
use crate::hub::HubError;
use crate::people::Caller;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use std::str::FromStr;

/// What a request's address names.
#[derive(Debug, PartialEq, Eq)]
pub enum Named {
    /// No conversation.
    None,
    /// The conversation with this id, if there is one.
    Conversation(String),
    /// An id that is invalid.
    Nonsense,
}

/// What the address names, by the parameters of the matched route.
pub async fn named(parts: &mut Parts) -> Named {
    match RawPathParams::from_request_parts(parts, &()).await {
        Ok(params) => match find(&params, "id") {
            None => Named::None,
            Some(id) if is_id(id) => Named::Conversation(id.to_owned()),
            Some(_) => Named::Nonsense,
        },
        Err(RawPathParamsRejection::InvalidUtf8InPathParam(_)) => Named::Nonsense,
        // The route has no parameters.
        Err(_) => Named::None,
    }
}

fn find<'a>(params: &'a RawPathParams, name: &str) -> Option<&'a str> {
    let mut params = params.iter();
    params.find_map(|(known, value)| (known == name).then_some(value))
}

/// A conversation in which the caller has the right that the route requires.
pub struct ConversationPath {
    /// Its id.
    pub id: String,
    params: RawPathParams,
}

impl ConversationPath {
    /// A numeric path parameter. Errors: `NotFound` if it is missing or not a number.
    pub fn number<T: FromStr>(&self, name: &'static str) -> Result<T, Refused> {
        let number = find(&self.params, name).and_then(|text| text.parse().ok());
        number.ok_or_else(|| HubError::NotFound("page").into())
    }
}

impl FromRequestParts<Site> for ConversationPath {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Refused> {
        let Named::Conversation(id) = named(parts).await else {
            return Err(HubError::NotFound("conversation").into());
        };
        let params = RawPathParams::from_request_parts(parts, site).await;
        let params = params.map_err(|_| HubError::NotFound("conversation"))?;
        let by = parts.extensions.get::<Caller>();
        let by = by.ok_or_else(|| refusal(None))?;
        check_right_in(&site.hub, by, needs::right_of(parts), &id)?;
        Ok(Self { id, params })
    }
}
