//! What is handed out and taken in as files: pictures of events, exports, the workspace, uploads.

use super::Site;
use crate::api::{ApiError, ApiErrorKind, wants_page};
use crate::backend::{FileText, Upload};
use crate::hub::HubError;
use crate::people::Caller;
use axum::body::Body;
use axum::extract::{Multipart, Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Json};

/// At most so many bytes in one upload.
pub const LARGEST_UPLOAD: usize = 25 * 1024 * 1024;

/// What a route of this file answers with.
type Answer = Result<Response, Refused>;

/// A refusal, with the status that fits.
pub struct Refused(ApiError);

impl From<HubError> for Refused {
    fn from(error: HubError) -> Self {
        Self(error.into())
    }
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = match self.0.kind {
            ApiErrorKind::Invalid => StatusCode::BAD_REQUEST,
            ApiErrorKind::SignedOut => StatusCode::UNAUTHORIZED,
            ApiErrorKind::Forbidden => StatusCode::FORBIDDEN,
            ApiErrorKind::NotFound => StatusCode::NOT_FOUND,
            ApiErrorKind::Conflict => StatusCode::CONFLICT,
            ApiErrorKind::BackendAway | ApiErrorKind::BackendRefuses => StatusCode::BAD_GATEWAY,
            ApiErrorKind::Indeterminate | ApiErrorKind::Connection => StatusCode::GATEWAY_TIMEOUT,
            ApiErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(self.0)).into_response()
    }
}

/// A picture that an event carries. Pictures never change, and nothing in them can run here.
pub async fn image(
    State(site): State<Site>,
    Path((id, seq, number)): Path<(String, i64, usize)>,
) -> Answer {
    let picture = site.hub.image(&id, seq, number).await?;
    let (kind, bytes) = picture
        .ok_or_else(|| ApiError::new(ApiErrorKind::NotFound, "There is no such picture."))?;
    let mut response = Body::from(bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, max-age=31536000, immutable"),
    );
    Ok(response)
}

/// The JSON of an event, as it was kept.
pub async fn event(State(site): State<Site>, Path((id, seq)): Path<(String, i64)>) -> Answer {
    let raw = site.hub.raw(&id, seq).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], raw).into_response())
}

/// All events as JSON.
pub async fn trajectory(State(site): State<Site>, Path(id): Path<String>) -> Answer {
    let text = site.hub.trajectory(&id).await?;
    Ok(download(
        "application/json",
        &format!("{id}.json"),
        Body::from(text),
    ))
}

/// The conversation as Markdown.
pub async fn markdown(State(site): State<Site>, Path(id): Path<String>) -> Answer {
    let text = site.hub.export_markdown(&id).await?;
    Ok(download(
        "text/markdown; charset=utf-8",
        &format!("{id}.md"),
        Body::from(text),
    ))
}

/// The path of a file in a query.
#[derive(serde::Deserialize)]
pub struct FilePath {
    path: String,
}

/// One file of the workspace. OpenHands 0.62 hands out text only; the rest is in the archive.
pub async fn file(
    State(site): State<Site>,
    Path(id): Path<String>,
    Query(FilePath { path }): Query<FilePath>,
) -> Answer {
    let kind = |text: &str| ApiError::new(ApiErrorKind::NotFound, text);
    match site.hub.file_text(&id, &path).await? {
        FileText::Text(text) => {
            let name = path.rsplit('/').next().unwrap_or(&path);
            Ok(download(
                "text/plain; charset=utf-8",
                name,
                Body::from(text),
            ))
        }
        FileText::Binary => {
            Err(kind("This file is not text. It is in the archive of the workspace.").into())
        }
        FileText::Missing => Err(kind("This file is not in the workspace (any more).").into()),
    }
}

/// The whole workspace as one file, passed on as it comes. How it is packed is the backend's choice.
pub async fn workspace(State(site): State<Site>, Path(id): Path<String>) -> Answer {
    let (packed, archive) = site.hub.archive(&id).await?;
    Ok(download(
        packed.media_type(),
        &format!("{id}.{}", packed.ending()),
        Body::from_stream(archive.bytes_stream()),
    ))
}

/// Puts files into the workspace. A script gets the names as JSON, a plain form goes back to its page.
pub async fn upload(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
    mut form: Multipart,
) -> Answer {
    let unreadable = |_| {
        ApiError::new(
            ApiErrorKind::Invalid,
            "The upload broke off or is larger than 25 MB. Try again.",
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
    let names = site.hub.upload(&by, &id, files).await?;
    Ok(if wants_page(&headers) {
        Redirect::to(&format!("{}c/{id}?panel=files", site.base)).into_response()
    } else {
        Json(names).into_response()
    })
}

/// Something to keep as a file.
pub fn download(kind: &'static str, name: &str, body: Body) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CONTENT_DISPOSITION, attachment(name));
    response
}

/// Says that something is to be kept under a name, which an agent may have chosen (RFC 6266, RFC 5987).
fn attachment(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|letter| match letter {
            ' '..='~' if !matches!(letter, '"' | '\\' | '%') => letter,
            _ => '_',
        })
        .collect();
    let encoded: String = name
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    let value = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}");
    HeaderValue::try_from(value).expect("only letters, digits and signs of a header are left")
}

#[cfg(test)]
mod tests {
    use super::*;

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
