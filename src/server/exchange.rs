//! Exports and imports of conversations as files.

use super::Site;
use super::answer::{Answer, Refused};
use super::conversation_path::ConversationPath;
use super::files::download;
use super::load::holding;
use crate::api::{ApiError, ApiErrorKind, status_of, wants_page};
use crate::hub::{self, Evidence, HubError, HubResult};
use crate::live::Secrets;
use crate::people::Caller;
use crate::ui::auth::Said;
use axum::body::Body;
use axum::extract::{Multipart, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use bytes::Bytes;
use futures_util::{Stream, TryStreamExt};

/// Largest file of an import, in bytes.
pub const LARGEST_IMPORT: usize = 64 * 1024 * 1024;

/// The query of an export. Secrets are masked unless it says `secrets=keep`.
#[derive(serde::Deserialize)]
pub struct Choice {
    #[serde(default)]
    secrets: Secrets,
}

impl Choice {
    /// This choice.
    pub fn of(secrets: Secrets) -> Self {
        Self { secrets }
    }
}

/// All events of a conversation as JSON.
pub async fn trajectory(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Query(Choice { secrets }): Query<Choice>,
) -> Answer {
    let pages = site.hub.exports.trajectory(&id, secrets);
    let form = ("application/json", "json");
    saved(&site, &by, (&id, secrets), form, pages).await
}

/// A conversation as Markdown.
pub async fn markdown(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Query(Choice { secrets }): Query<Choice>,
) -> Answer {
    let pages = site.hub.exports.markdown(&id, secrets);
    let form = ("text/markdown; charset=utf-8", "md");
    saved(&site, &by, (&id, secrets), form, pages).await
}

/// A conversation as an HTML file that replays it.
pub async fn html(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Query(Choice { secrets }): Query<Choice>,
) -> Answer {
    let pages = site.hub.exports.html(&id, secrets);
    let form = ("text/html; charset=utf-8", "html");
    saved(&site, &by, (&id, secrets), form, pages).await
}

/// Evidence of what was approved in a conversation, to check.
pub async fn evidence_json(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Query(Choice { secrets }): Query<Choice>,
) -> Answer {
    let form = ("application/json", "evidence.json");
    evidence(&site, &by, (&id, secrets), form, hub::evidence_json).await
}

/// Evidence of what was approved in a conversation, to read.
pub async fn evidence_page(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Query(Choice { secrets }): Query<Choice>,
) -> Answer {
    let form = ("text/html; charset=utf-8", "evidence.html");
    evidence(&site, &by, (&id, secrets), form, hub::evidence_page).await
}

async fn evidence(
    site: &Site,
    by: &Caller,
    (id, secrets): (&str, Secrets),
    (kind, ending): (&'static str, &str),
    written: fn(&Evidence) -> String,
) -> Answer {
    let permit = site.load.export(by)?;
    let exports = &site.hub.exports;
    let evidence = exports.evidence(by, id, secrets, written).await?;
    let name = exports.file_name(id, secrets).await?;
    let body = holding(Body::from(evidence), permit);
    Ok(download(kind, &format!("{name}.{ending}"), body))
}

/// A conversation as a file of a content type, with the ending of its name.
async fn saved<S>(
    site: &Site,
    by: &Caller,
    (id, secrets): (&str, Secrets),
    (kind, ending): (&'static str, &str),
    pages: impl Future<Output = HubResult<S>>,
) -> Answer
where
    S: Stream<Item = Result<Bytes, HubError>> + Send + 'static,
{
    let permit = site.load.export(by)?;
    let body = body_of(pages.await?);
    let name = site.hub.exports.file_name(id, secrets).await?;
    Ok(download(
        kind,
        &format!("{name}.{ending}"),
        holding(body, permit),
    ))
}

/// Streams an export. An error aborts the stream, so the browser reports an incomplete download.
fn body_of(pages: impl Stream<Item = Result<Bytes, HubError>> + Send + 'static) -> Body {
    Body::from_stream(pages.inspect_err(|error| tracing::error!(%error, "an export failed")))
}

/// Imports a file. A plain form is redirected to the new conversation, or to the list if there are several, or shows its
/// page again with the error; a script gets the id as JSON, or a list of them.
pub async fn import(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    headers: HeaderMap,
    form: Multipart,
) -> Response {
    let is_page = wants_page(&headers);
    match imported(&site, &by, form).await {
        Ok(ids) => match (&*ids, is_page) {
            ([id], true) => Redirect::to(&format!("{}c/{id}", site.base)).into_response(),
            ([id], false) => Json(id).into_response(),
            (_, true) => Redirect::to(&site.base).into_response(),
            (_, false) => Json(ids).into_response(),
        },
        Err(error) if is_page => {
            let (status, said) = (status_of(error.kind), Said(error.text));
            site.page("import", status, (Some(by), said)).await
        }
        Err(error) => Refused::from(error).into_response(),
    }
}

async fn imported(site: &Site, by: &Caller, mut form: Multipart) -> Result<Vec<String>, ApiError> {
    let invalid = |text: &str| ApiError::new(ApiErrorKind::Invalid, text);
    let unreadable = |_| {
        invalid(
            "Nothing was imported: the upload was interrupted or is larger than 64 MB. Try again.",
        )
    };
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        let name = field.file_name().unwrap_or_default().to_owned();
        if name.is_empty() {
            continue;
        }
        let file = field.bytes().await.map_err(unreadable)?;
        let _permit = site.load.import().await;
        return Ok(site.hub.catalogue.import(by, &name, file).await?);
    }
    Err(invalid("Choose a file first."))
}
