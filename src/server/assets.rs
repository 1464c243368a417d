//! Static assets: script, WebAssembly, styles and images. They are embedded in the program (`main.rs`), precompressed, and
//! the files in `pkg/` have content hashes in their names.

use crate::app::Assets;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest as _, Sha256};
use std::sync::OnceLock;

/// The built site, which the program embeds: so this library compiles while the pages do.
struct Site {
    get: fn(&str) -> Option<EmbeddedFile>,
    names: fn() -> Vec<String>,
}

static SITE: OnceLock<Site> = OnceLock::new();

/// Makes these files the site. Without it there are none, and the pages work as plain HTML.
pub fn embed<Files: RustEmbed>() {
    SITE.get_or_init(|| Site {
        get: Files::get,
        names: || Files::iter().map(|name| name.into_owned()).collect(),
    });
}

/// A file of the site.
fn file(name: &str) -> Option<EmbeddedFile> {
    (SITE.get()?.get)(name)
}

/// Names of all files of the site, without their compressed forms.
fn names() -> impl Iterator<Item = String> {
    let names = SITE.get().map(|site| (site.names)()).unwrap_or_default();
    let is_compressed = |name: &String| name.ends_with(".br") || name.ends_with(".gz");
    names.into_iter().filter(move |name| !is_compressed(name))
}

/// Asset names that the build wrote to `manifest.json`.
#[derive(serde::Deserialize, Default)]
struct Manifest {
    js: String,
    wasm: String,
    css: String,
}

/// The parts of the service worker, in order.
pub const WORKER: [&str; 3] = [
    include_str!("../worker/offline.js"),
    include_str!("../worker/pages.js"),
    include_str!("../worker/push.js"),
];

/// Asset addresses below `base`.
///
/// Empty when the site was not built; the pages then work as plain HTML.
pub fn addresses(base: &str) -> Assets {
    let manifest: Manifest = file("manifest.json")
        .and_then(|file| serde_json::from_slice(&file.data).ok())
        .unwrap_or_default();
    let address = |name: &str| {
        if name.is_empty() {
            String::new()
        } else {
            format!("{base}{}", name.trim_start_matches('/'))
        }
    };
    Assets {
        base: base.to_owned(),
        css: address(&manifest.css),
        js: address(&manifest.js),
        wasm: address(&manifest.wasm),
    }
}

/// Serves `pkg/*`. The names contain content hashes, so browsers may cache the files forever.
pub async fn hashed(Path(name): Path<String>, headers: HeaderMap) -> Response {
    serve(
        &format!("pkg/{name}"),
        &headers,
        "public, max-age=31536000, immutable",
    )
}

/// Serves a file of `public/` (icons, web manifest), cacheable for one hour.
pub async fn plain(name: &'static str, headers: HeaderMap) -> Response {
    serve(name, &headers, "public, max-age=3600")
}

/// Names of the files at the root of the site, which come from `public/`.
pub fn plain_names() -> Vec<String> {
    names()
        .filter(|name| !name.starts_with("pkg/") && name != "manifest.json")
        .collect()
}

/// Names of the files in `pkg/`: all that the pages of this build load, also later.
pub fn hashed_names() -> Vec<String> {
    names().filter(|name| name.starts_with("pkg/")).collect()
}

/// The id of this build: it changes with each file that a page or the worker consists of.
pub fn build() -> String {
    let mut hash = Sha256::new();
    for part in WORKER {
        hash.update(part);
    }
    for name in hashed_names() {
        hash.update(name);
    }
    HEXLOWER.encode(&hash.finalize()[..6])
}

fn serve(name: &str, headers: &HeaderMap, keep: &'static str) -> Response {
    let accepted = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let packed = [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .find_map(|(encoding, ending)| {
            let welcome = accepted
                .split(',')
                .any(|word| word.split(';').next().map(str::trim) == Some(encoding));
            welcome
                .then(|| self::file(&format!("{name}.{ending}")))
                .flatten()
                .map(|file| (Some(encoding), file))
        });
    let Some((encoding, file)) = packed.or_else(|| self::file(name).map(|file| (None, file)))
    else {
        return (StatusCode::NOT_FOUND, "File not found. Reload the page.").into_response();
    };
    let etag = etag(&file);
    if headers
        .get(header::IF_NONE_MATCH)
        .is_some_and(|known| known == etag)
    {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    let mut response = file.data.into_owned().into_response();
    let out = response.headers_mut();
    out.insert(header::CONTENT_TYPE, header_value(kind.essence_str()));
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    out.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    out.insert(header::ETAG, etag);
    if let Some(encoding) = encoding {
        out.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

fn etag(file: &EmbeddedFile) -> HeaderValue {
    let hash = HEXLOWER.encode(&file.metadata.sha256_hash()[..12]);
    header_value(&format!("\"{hash}\""))
}

fn header_value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("MIME types and hexadecimal digits are printable ASCII")
}
