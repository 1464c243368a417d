//! Passkeys, recovery codes and invitations. What needs the browser's own dialog is a plain route (`server/passkey_routes.rs`).

use super::ApiError;
use super::answer::Answer;
use crate::people::{Entrance, Role};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::{
    people::{ACCOUNT, PEOPLE},
    serve::{
        address_here, allowed_people, not_set_up, own_account, passkeys_here, place_here,
        secret_of, show_once,
    },
};
#[cfg(feature = "ssr")]
use crate::people::{PasskeysHere, People, PeopleError, Right};

/// What the pages before a login show to this browser: half a login, or an invitation.
#[server(output = Answer)]
pub async fn read_entrance() -> Result<Entrance, ApiError> {
    let people = use_context::<People>().ok_or_else(not_set_up)?;
    let place = place_here().ok();
    let half = secret_of(|cookies| &cookies.half).and_then(|sealed| people.half(&sealed));
    let invitation = secret_of(|cookies| &cookies.invitation);
    // One that is no longer good is as if it was not there.
    let pending = match half {
        Some(half) => people.pending_login(&half, place.as_ref()).await.ok(),
        None => None,
    };
    let invitation = match invitation {
        Some(secret) => people.invited(&secret).await.ok(),
        None => None,
    };
    Ok(Entrance {
        here: passkeys_here(),
        pending,
        invitation,
    })
}

/// Removes one of the user's passkeys.
#[server]
pub async fn end_passkey(number: i64) -> Result<(), ApiError> {
    let (people, by) = own_account()?;
    Ok(people.end_passkey(&by, number).await?)
}

/// Replaces the user's recovery codes; only this response contains the new ones, one on each line.
#[server]
pub async fn renew_codes() -> Result<String, ApiError> {
    let (people, by) = own_account()?;
    let codes = people.renew_codes(&by).await?;
    show_once(ACCOUNT, &codes.join("."));
    Ok(codes.join("\n"))
}

/// Creates an invitation that is valid for `days`; only this response contains its link.
#[server]
pub async fn make_invitation(
    #[server(default)] name: String,
    role: Role,
    days: u16,
) -> Result<String, ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    let secret = people.make_invitation(&by, &name, role, days).await?;
    let link = address_here(&format!("invitation#{secret}"));
    show_once(PEOPLE, &link);
    Ok(link)
}

/// Revokes an invitation.
#[server]
pub async fn end_invitation(number: i64) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.end_invitation(&by, number).await?)
}

/// Has these roles log in with a passkey only.
///
/// Errors: `Invalid` where passkeys do not work.
#[server]
pub async fn require_passkeys(
    #[server(default)] viewer: bool,
    #[server(default)] approver: bool,
    #[server(default)] operator: bool,
    #[server(default)] owner: bool,
) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    let wanted = [viewer, approver, operator, owner];
    let roles = Role::ALL.into_iter().zip(wanted);
    let roles: Vec<Role> = roles
        .filter(|(_, wanted)| *wanted)
        .map(|(role, _)| role)
        .collect();
    if !roles.is_empty() && passkeys_here() != PasskeysHere::Work {
        let text = "Passkeys do not work at this address, so nobody could log in here. Nothing was changed.";
        return Err(PeopleError::Invalid(text.to_owned()).into());
    }
    Ok(people.require_passkeys(&by, &roles).await?)
}

/// Removes all passkeys of a user, whose sessions and access tokens end.
#[server]
pub async fn reset_passkeys(name: String) -> Result<(), ApiError> {
    let (people, by) = allowed_people(Right::Own)?;
    Ok(people.reset_passkeys(&by, &name).await?)
}
