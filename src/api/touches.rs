//! Touches of passkeys: which approvals need one, and what a browser is asked.

use super::ApiError;
use super::answer::Answer;
use crate::people::{CanTouch, TouchesView};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{
    Allowed, allowed, allowed_in, allowed_people, go_to, not_set_up, passkeys_here, place_here,
};
#[cfg(feature = "ssr")]
use crate::hub::{Hub, HubError};
#[cfg(feature = "ssr")]
use crate::journal::NewTouch;
#[cfg(feature = "ssr")]
use crate::people::{Caller, People, PeopleError, Reach, Right, ToTouch};

/// Which approvals need a touch, and whether anybody could.
#[server(output = Answer)]
pub async fn read_touches() -> Result<TouchesView, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    let authority = hub.policies.authority.read();
    let needed = if authority.two { 2 } else { 1 };
    Ok(TouchesView {
        here: passkeys_here(),
        ..hub.policies.touches.read(authority.least, needed).await?
    })
}

/// Has approvals need a touch, in all conversations or in those about a `repository`: of what is rated `high`, of what is
/// `unrated`, too, of `all`, or of `nothing`. A plain form is redirected to its page.
#[server]
pub async fn save_touches(
    #[server(default)] repository: String,
    reach: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    // An unknown word asks for the most.
    let reach = Reach::from_word(&reach).unwrap_or(Reach::All);
    hub.policies.touches.save(&by, &repository, reach).await?;
    go_to("settings/approvers");
    Ok(())
}

/// Whether the user can touch in this browser.
#[server(output = Answer)]
pub async fn read_can_touch() -> Result<CanTouch, ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
    let place = place_here();
    Ok(people
        .can_touch(place.as_ref().map_err(|why| *why), &by)
        .await?)
}

/// What a browser is asked to touch for the approval that `token` identifies, or for another `text` (command or code) instead
/// of it, as JSON in a text.
#[server(output = Answer)]
pub async fn begin_touch(
    id: String,
    token: String,
    #[server(default)] text: String,
) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Answer, &id)?;
    let (people, place) = here()?;
    let shown = hub.policies.touches.shown(&id, &token).await?;
    let what = ToTouch {
        token: &token,
        shown: &shown,
        amended: &text,
    };
    Ok(people.begin_touch(&place, &by, what).await?)
}

/// Verifies the touch that came with an answer; none if there is none, or nothing that waits for one any more.
#[cfg(feature = "ssr")]
pub(super) async fn touched(
    hub: &Hub,
    by: &Caller,
    (id, token): (&str, &str),
    amended: &str,
    given: &str,
) -> Result<Option<NewTouch>, ApiError> {
    if given.is_empty() {
        return Ok(None);
    }
    let (people, place) = here()?;
    let shown = match hub.policies.touches.shown(id, token).await {
        Ok(shown) => shown,
        // Somebody has answered meanwhile, or something else is pending: the answer says which.
        Err(HubError::Superseded) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let what = ToTouch {
        token,
        shown: &shown,
        amended,
    };
    match people.finish_touch(&place, by, what, given).await {
        Ok(touch) => Ok(Some(touch)),
        Err(why @ PeopleError::Passkey(_)) => {
            let (touches, amends) = (&hub.policies.touches, !amended.is_empty());
            Err(touches.refused(by, (id, token), amends, &why).await.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The accounts, and where passkeys belong to.
///
/// Errors: passkeys do not work here.
#[cfg(feature = "ssr")]
fn here() -> Result<(People, crate::people::Place), ApiError> {
    let people = use_context::<People>().ok_or_else(not_set_up)?;
    let place = place_here().map_err(|_| {
        let text = "Nothing was sent: passkeys do not work at this address. They need HTTPS and a host name.";
        PeopleError::Invalid(text.to_owned())
    })?;
    Ok((people, place))
}
