//! The service worker, the web app manifest, and the address that other apps share to.
//!
//! The worker is put together from `src/worker/` and a first line with what it must know: the base path, the files of this
//! build, and the build's id. A new build is a new first line, by which browsers notice it.

use super::{Site, assets};
use crate::api::SendMessageWith;
use crate::ui::pwa;
use axum::extract::{Multipart, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use leptos::server_fn::ServerFn as _;
use serde_json::json;

/// Most characters of a shared text. It is part of an address, in which a character takes up to twelve, and a proxy may
/// limit the headers of a request to 8 KiB.
const LONGEST_SHARED: usize = 600;

/// Serves the worker. Browsers compare it with the one they have, so they must not cache it.
pub async fn script(State(site): State<Site>) -> Response {
    let base = &site.base;
    let shell = ["offline".to_owned(), "icon.svg".to_owned()];
    let shell = assets::hashed_names().into_iter().chain(shell);
    let constants = json!({
        "base": base,
        "build": site.build,
        "shell": shell.map(|name| format!("{base}{name}")).collect::<Vec<_>>(),
        "send": format!("{base}{}", SendMessageWith::url().trim_start_matches('/')),
        "full": pwa::queue_full(),
    });
    let script = format!(
        "const HANDRAIL = {constants};\n{}",
        assets::WORKER.join("\n")
    );
    let headers = [
        (header::CONTENT_TYPE, "text/javascript"),
        (header::CACHE_CONTROL, "no-cache"),
        // It may talk to this server, show our icon in notifications, and load nothing else.
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; connect-src 'self'; img-src 'self'; frame-ancestors 'none'",
        ),
    ];
    (headers, script).into_response()
}

/// Serves the web app manifest. Its id is relative to the origin, so it contains the base path.
pub async fn manifest(State(site): State<Site>) -> Response {
    let base = &site.base;
    let icon = |name: &str, sizes: &str, kind: &str, purpose: &str| json!({ "src": format!("{base}{name}"), "sizes": sizes, "type": kind, "purpose": purpose });
    let shortcut = |name: &str, page: &str| {
        let icons = [icon("icon-192.png", "192x192", "image/png", "any")];
        json!({ "name": name, "url": format!("{base}{page}"), "icons": icons })
    };
    let screenshot = |name: &str, sizes: &str, form: &str, label: &str| json!({ "src": format!("{base}{name}"), "sizes": sizes, "type": "image/png", "form_factor": form, "label": label });
    let manifest = json!({
        "id": base,
        "start_url": base,
        "scope": base,
        "name": "Handrail",
        "short_name": "Handrail",
        "description": "A dashboard for OpenHands coding agents",
        "lang": "en",
        "categories": ["developer", "productivity"],
        "display": "standalone",
        "background_color": "#f6f7f8",
        "theme_color": "#ffffff",
        "icons": [
            icon("icon.svg", "any", "image/svg+xml", "any"),
            icon("icon-192.png", "192x192", "image/png", "any"),
            icon("icon-512.png", "512x512", "image/png", "any"),
            icon("icon-maskable-512.png", "512x512", "image/png", "maskable"),
        ],
        "shortcuts": [shortcut("Inbox", "inbox"), shortcut("New", "new")],
        "screenshots": [
            screenshot("screenshot-phone.png", "540x960", "narrow", "An approval on a phone"),
            screenshot("screenshot-desktop.png", "1280x800", "wide", "A conversation on a computer"),
        ],
        "share_target": {
            "action": format!("{base}share"),
            "method": "POST",
            "enctype": "multipart/form-data",
            "params": {
                "title": "title",
                "text": "text",
                "url": "url",
                "files": [{ "name": "images", "accept": ["image/png", "image/jpeg", "image/gif", "image/webp"] }],
            },
        },
    });
    let headers = [
        (header::CONTENT_TYPE, "application/manifest+json"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, manifest.to_string()).into_response()
}

/// Takes what another app shares when no worker does: the texts. Images are lost, and the page says so.
pub async fn share(State(site): State<Site>, mut form: Multipart) -> Response {
    let mut query = Vec::new();
    let (mut left, mut lost) = (LONGEST_SHARED, false);
    loop {
        let field = match form.next_field().await {
            Ok(Some(field)) => field,
            Ok(None) => break,
            Err(_) => return StatusCode::BAD_REQUEST.into_response(),
        };
        let name = field.name().unwrap_or_default().to_owned();
        if field.file_name().is_some() {
            lost = true;
        } else if ["title", "text", "url"].contains(&&*name) {
            let Ok(text) = field.text().await else {
                return StatusCode::BAD_REQUEST.into_response();
            };
            let part: String = text.chars().take(left).collect();
            left -= part.chars().count();
            if part.len() < text.len() {
                query.push(("cut".to_owned(), "1".to_owned()));
            }
            query.push((name, part));
        }
    }
    if lost {
        query.push(("images".to_owned(), "lost".to_owned()));
    }
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(query)
        .finish();
    Redirect::to(&format!("{}share?{query}", site.base)).into_response()
}
