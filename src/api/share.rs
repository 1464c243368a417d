//! What other apps share with Handrail.

use super::ApiError;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed, allowed_in, go_to};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// Longest text that the address of the page for new conversations can carry, in bytes. A proxy may limit the headers of
/// a request to 8 KiB, and a byte takes up to three.
#[cfg(feature = "ssr")]
const LONGEST: usize = 2000;

/// Keeps a choice of the appearance menu, `name=value`, in a cookie of this browser; a plain form returns to its page `back`.
#[server]
pub async fn choose_appearance(
    choice: String,
    #[server(default)] back: String,
) -> Result<(), ApiError> {
    allowed(Right::See)?;
    super::serve::keep_choice(&choice);
    super::serve::go_back(&back, &[]);
    Ok(())
}

/// Adds a shared text to the draft of the conversation `id` and leads there; without an `id`, to a new conversation.
#[server]
pub async fn share_draft(
    #[server(default)] id: String,
    #[server(default)] text: String,
) -> Result<(), ApiError> {
    let text = text.trim();
    if id.is_empty() {
        allowed(Right::Operate)?;
        if text.len() > LONGEST {
            let why = format!(
                "Nothing was shared: for a new conversation the text may have {LONGEST} bytes. Shorten it."
            );
            return Err(ApiError::new(super::ApiErrorKind::Invalid, why));
        }
        let text: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
        go_to(&format!("new?message={text}"));
        return Ok(());
    }
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let draft = hub.commands.draft(&by, &id).await?;
    let draft = [draft.trim_end(), text]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    hub.commands
        .keep_draft(&by, &id, &draft)
        .await
        .map_err(ApiError::from)?;
    go_to(&format!("c/{id}"));
    Ok(())
}
