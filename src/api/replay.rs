//! Replaying a conversation. Nothing here changes or answers anything.

use super::answer::Answer;
use super::{ApiError, ReplayView, TrackView};
use crate::conversation::Kind;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed_to_see, with_status};

/// A conversation as it was after the event `at`, or after its first mark. With the newest rows of `kind`, and the row
/// `whole` in full.
#[server(input = Json, output = Answer)]
pub async fn replay_at(
    id: String,
    at: Option<i64>,
    kind: Option<Kind>,
    whole: Option<i64>,
) -> Result<ReplayView, ApiError> {
    let Allowed { hub, by } = allowed_to_see(&id).await?;
    let view = hub.reader.replay(&by, &id, at, kind, whole).await;
    view.map_err(with_status)
}

/// The marks of a conversation along the slider.
#[server(output = Answer)]
pub async fn replay_track(id: String) -> Result<TrackView, ApiError> {
    let Allowed { hub, .. } = allowed_to_see(&id).await?;
    hub.reader.replay_track(&id).await.map_err(with_status)
}
