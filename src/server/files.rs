//! Downloads and uploads: images of events, the workspace.

use super::Site;
use super::answer::Answer;
use super::conversation_path::ConversationPath;
use super::load::holding;
use crate::api::{ApiError, ApiErrorKind, wants_page};
use crate::backend::{FileText, Upload};
use crate::conversation::messages::Shape;
use crate::hub::Asked;
use crate::live::Secrets;
use crate::people::Caller;
use crate::render::Picture;
use axum::body::Body;
use axum::extract::{Multipart, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Largest upload, in bytes.
pub const LARGEST_UPLOAD: usize = 25 * 1024 * 1024;
/// What is encoded in the name of a download.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// An image of an event. Images are immutable, and their types cannot execute code. A browser may keep one, but shows it
/// only after a request that is checked like the first: a person may have lost the right, or logged out.
///
/// Errors: 404 if the event or image does not exist.
pub async fn image(State(site): State<Site>, headers: HeaderMap, path: ConversationPath) -> Answer {
    let (seq, number) = (path.number("seq")?, path.number("number")?);
    let picture = site.hub.reader.image(&path.id, seq, number).await?;
    let (kind, bytes) =
        picture.ok_or_else(|| ApiError::new(ApiErrorKind::NotFound, "Image not found."))?;
    let tag = format!("\"{seq}-{number}\"");
    let body = ([(header::CONTENT_TYPE, kind)], bytes);
    Ok(kept(&tag, &headers, body))
}

/// What a browser may keep and shows only after another request; if it has it, that is all that it is told.
fn kept(tag: &str, headers: &HeaderMap, body: impl IntoResponse) -> Response {
    let kept = [
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::ETAG, tag),
        (header::VARY, "cookie"),
    ];
    match headers.get(header::IF_NONE_MATCH) {
        Some(known) if known == tag => (StatusCode::NOT_MODIFIED, kept).into_response(),
        _ => (kept, body).into_response(),
    }
}

/// The JSON of an event, as stored. Errors: 404 if the event does not exist.
pub async fn event(State(site): State<Site>, path: ConversationPath) -> Answer {
    let raw = site.hub.reader.raw(&path.id, path.number("seq")?).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], raw).into_response())
}

/// The query of the model's view.
#[derive(serde::Deserialize)]
pub struct AskedMessages {
    #[serde(default)]
    plain: bool,
    #[serde(default)]
    string: bool,
    #[serde(default)]
    vision: bool,
    max: Option<String>,
    step: Option<String>,
}

/// The request that the model received at a step: model, messages, tools.
pub async fn messages(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Query(asked): Query<AskedMessages>,
) -> Answer {
    let permit = site.load.export(&by)?;
    let shape = Shape {
        plain: asked.plain,
        string: asked.string,
        vision: asked.vision,
        max_chars: Shape::limit(number_of(asked.max.as_deref())),
    };
    let asked = Asked {
        shape,
        step: number_of(asked.step.as_deref()),
    };
    let text = site.hub.exports.model_request_json(&id, asked).await?;
    let name = format!(
        "{} messages.json",
        site.hub.exports.file_name(&id, Secrets::Keep).await?
    );
    let body = holding(Body::from(text), permit);
    Ok(download("application/json", &name, body))
}

/// A number of a form; an empty field is none.
fn number_of(text: Option<&str>) -> Option<i64> {
    text?.trim().parse().ok()
}

/// The query with a file's path.
#[derive(serde::Deserialize)]
pub struct FilePath {
    path: String,
}

/// One file of the workspace. OpenHands 0.62 serves only text files; binary files are in the archive.
///
/// Every file is an attachment. A page can embed a picture all the same, and only as a picture: its type is detected by
/// its bytes and cannot contain scripts.
pub async fn file(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Query(FilePath { path }): Query<FilePath>,
) -> Answer {
    let missing = |text: &str| ApiError::new(ApiErrorKind::NotFound, text);
    let name = path.rsplit('/').next().unwrap_or(&path);
    let reading = site.hub.workspace.file_text(&id, &path);
    match site.hub.catalogue.look_up(&by, reading).await? {
        FileText::Text(text) => Ok(download(
            "text/plain; charset=utf-8",
            name,
            Body::from(text),
        )),
        FileText::Binary(Some(bytes)) => {
            let kind = Picture::kind_of(&bytes).unwrap_or("application/octet-stream");
            Ok(download(kind, name, Body::from(bytes)))
        }
        FileText::Binary(None) => {
            Err(missing("This file is not text. Download the workspace to get it.").into())
        }
        FileText::Missing => {
            Err(missing("File not found in the workspace. It may have been deleted.").into())
        }
    }
}

/// Streams the workspace as an archive. The backend chooses the archive format.
pub async fn workspace(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
) -> Answer {
    let (packed, archive) = site
        .hub
        .catalogue
        .look_up(&by, site.hub.workspace.archive(&id))
        .await?;
    let name = site.hub.exports.file_name(&id, Secrets::Mask).await?;
    Ok(download(
        packed.media_type(),
        &format!("{name}.{}", packed.ending()),
        Body::from_stream(archive.bytes_stream()),
    ))
}

/// Uploads files into the workspace. A script gets the names as JSON; a plain form is redirected to its page.
pub async fn upload(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    headers: HeaderMap,
    mut form: Multipart,
) -> Answer {
    let unreadable = |_| {
        ApiError::new(
            ApiErrorKind::Invalid,
            "The upload was interrupted or is larger than 25 MB. Try again.",
        )
    };
    let mut files = Vec::new();
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        let Some(name) = field
            .file_name()
            .map(str::to_owned)
            .filter(|name| !name.is_empty())
        else {
            continue;
        };
        files.push(Upload {
            name,
            bytes: field.bytes().await.map_err(unreadable)?,
        });
    }
    if files.is_empty() {
        return Err(ApiError::new(ApiErrorKind::Invalid, "Choose a file first.").into());
    }
    let names = site.hub.workspace.upload(&by, &id, files).await?;
    Ok(if wants_page(&headers) {
        Redirect::to(&format!("{}c/{id}?panel=files", site.base)).into_response()
    } else {
        Json(names).into_response()
    })
}

/// A response that the browser saves as a file.
pub fn download(kind: &'static str, name: &str, body: Body) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_DISPOSITION, attachment(name));
    response
}

/// The Content-Disposition header for a file name that may come from an agent (RFC 6266, RFC 5987).
fn attachment(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|letter| match letter {
            ' '..='~' if !matches!(letter, '"' | '\\' | '%') => letter,
            _ => '_',
        })
        .collect();
    let encoded = utf8_percent_encode(name, ENCODED);
    let value = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}");
    HeaderValue::try_from(value).expect("only letters, digits and signs of a header are left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_asks_before_it_shows_an_image_that_it_keeps() {
        for (known, status) in [
            (None, StatusCode::OK),
            (Some("\"1-0\""), StatusCode::NOT_MODIFIED),
            (Some("\"1-1\""), StatusCode::OK),
        ] {
            let known = known.map(|tag| (header::IF_NONE_MATCH, HeaderValue::from_static(tag)));
            let response = kept("\"1-0\"", &known.into_iter().collect(), "a picture");
            assert_eq!(response.status(), status);
            for (name, value) in [
                (header::CACHE_CONTROL, "private, no-cache"),
                (header::ETAG, "\"1-0\""),
                (header::VARY, "cookie"),
            ] {
                assert_eq!(response.headers()[&name], value, "{name}");
            }
        }
    }

    #[test]
    fn a_name_that_an_agent_chose_cannot_leave_its_header() {
        assert_eq!(
            attachment("a.py"),
            "attachment; filename=\"a.py\"; filename*=UTF-8''a.py"
        );
        assert_eq!(
            attachment("ä\"\r\nSet-Cookie: x"),
            "attachment; filename=\"____Set-Cookie: x\"; filename*=UTF-8''%C3%A4%22%0D%0ASet-Cookie%3A%20x"
        );
    }
}
