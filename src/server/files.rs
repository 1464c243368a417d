//! What is handed out and taken in as files: pictures of events, exports, the workspace, uploads.

use super::Site;
use crate::api::{ApiError, ApiErrorKind, wants_page};
use crate::backend::Upload;
use crate::hub::HubError;
use crate::people::Caller;
use axum::body::Body;
use axum::extract::{Multipart, Path, State};
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

/// The whole workspace as a zip archive, passed on as it comes.
pub async fn workspace(State(site): State<Site>, Path(id): Path<String>) -> Answer {
    let archive = site.hub.archive(&id).await?;
    Ok(download(
        "application/zip",
        &format!("{id}.zip"),
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

/// Something to keep as a file; `name` is ours or an id.
pub fn download(kind: &str, name: &str, body: Body) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    let value = |text: &str| {
        HeaderValue::from_str(text).expect("ids of conversations are letters, digits and dashes")
    };
    headers.insert(header::CONTENT_TYPE, value(kind));
    headers.insert(
        header::CONTENT_DISPOSITION,
        value(&format!("attachment; filename=\"{name}\"")),
    );
    response
}
