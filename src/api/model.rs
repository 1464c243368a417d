//! What the model received.

use super::ApiError;
use super::answer::Answer;
use crate::render::ModelView;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed_in};
#[cfg(feature = "ssr")]
use crate::conversation::messages::Shape;
#[cfg(feature = "ssr")]
use crate::hub::Asked;
#[cfg(feature = "ssr")]
use crate::people::Right;

/// The request that the model received at the step `step` (the newest if it is empty), for a kind of model, compared
/// with that at the step `since`.
#[server(output = Answer)]
pub async fn read_model(
    id: String,
    #[server(default)] plain: bool,
    #[server(default)] string: bool,
    #[server(default)] vision: bool,
    #[server(default)] max: Option<i64>,
    #[server(default)] step: Option<i64>,
    #[server(default)] since: Option<i64>,
) -> Result<ModelView, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    let shape = Shape {
        plain,
        string,
        vision,
        max_chars: Shape::limit(max),
    };
    let asked = Asked { shape, step };
    Ok(hub.exports.model_view(&id, asked, since).await?)
}
