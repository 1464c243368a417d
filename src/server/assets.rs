//! Static assets: script, WebAssembly, styles and images. They are embedded in the program (`main.rs`), precompressed, and
//! the files in `pkg/` have content hashes in their names. Those of other builds come from the journal.

use crate::app::Assets;
use crate::journal::Journal;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use data_encoding::HEXLOWER;
use flate2::read::GzDecoder;
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest as _, Sha256};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Read as _;
use std::sync::{Arc, OnceLock};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Files of other builds that are read and unpacked at once.
const AT_ONCE: usize = 2;
/// Longest file of another build that is unpacked for a client without gzip, in bytes.
const LONGEST: u64 = 32 << 20;

/// The built site, which the program embeds: so this library compiles while the pages do.
struct Embedded {
    get: fn(&str) -> Option<EmbeddedFile>,
    names: fn() -> Vec<String>,
}

static SITE: OnceLock<Embedded> = OnceLock::new();

/// Makes these files the site. Without it there are none, and the pages work as plain HTML.
pub fn embed<Files: RustEmbed>() {
    SITE.get_or_init(|| Embedded {
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

/// How long browsers may keep what has a content hash in its name.
const FOREVER: &str = "public, max-age=31536000, immutable";

/// Serves `pkg/*`: files of this build, and of others that used the same journal.
pub async fn hashed(
    State(kept): State<Arc<Kept>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let found = serve(&format!("pkg/{name}"), &headers, FOREVER);
    if found.status() != StatusCode::NOT_FOUND || !kept.names.contains(&name) {
        return found;
    }
    // Anybody may ask: a few at a time read and unpack.
    let _turn = kept.turns.acquire().await;
    match kept.journal.site_file(&name).await {
        Ok(None) => found,
        Ok(Some(packed)) => of_other_build(&name, packed, &headers).await,
        Err(error) => {
            tracing::warn!("a file of another build cannot be read: {error}");
            StatusCode::SERVICE_UNAVAILABLE.into_response()
        }
    }
}

/// The files of this build and of others that the journal keeps.
pub struct Kept {
    journal: Journal,
    /// No other build adds one while this one serves.
    names: HashSet<String>,
    turns: Semaphore,
}

async fn of_other_build(name: &str, packed: Vec<u8>, headers: &HeaderMap) -> Response {
    let is_welcome = accepts(headers, "gzip");
    let body = if is_welcome {
        packed
    } else {
        let unpacked = spawn_blocking(move || {
            let mut unpacked = Vec::new();
            let mut bytes = GzDecoder::new(&*packed).take(LONGEST);
            bytes.read_to_end(&mut unpacked).map(|_| unpacked)
        });
        match unpacked.await {
            Ok(Ok(unpacked)) => unpacked,
            _ => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    };
    let mut response = body.into_response();
    describe(
        response.headers_mut(),
        name,
        FOREVER,
        is_welcome.then_some("gzip"),
    );
    response
}

/// Keeps the files of this build in the journal, for pages of this build that ask a server of another one.
pub async fn keep(journal: Journal) -> Kept {
    let files = hashed_names().into_iter().filter_map(|path| {
        let packed = file(&format!("{path}.gz"))?.data.into_owned();
        Some((path.trim_start_matches("pkg/").to_owned(), packed))
    });
    let names = journal.keep_site_files(files.collect()).await;
    // A full disk is no reason not to serve.
    let names = names.unwrap_or_else(|error| {
        tracing::warn!("pages of this build are not kept for the time after an upgrade: {error}");
        HashSet::new()
    });
    Kept {
        journal,
        names,
        turns: Semaphore::new(AT_ONCE),
    }
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
    let packed = [("br", "br"), ("gzip", "gz")]
        .into_iter()
        .find_map(|(encoding, ending)| {
            accepts(headers, encoding)
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
    let data = match file.data {
        Cow::Borrowed(data) => Bytes::from_static(data),
        Cow::Owned(data) => data.into(),
    };
    let mut response = data.into_response();
    let out = response.headers_mut();
    describe(out, name, keep, encoding);
    out.insert(header::ETAG, etag);
    response
}

/// Whether the client accepts this content encoding.
fn accepts(headers: &HeaderMap, encoding: &str) -> bool {
    let accepted = headers.get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    let mut words = accepted.unwrap_or_default().split(',');
    words.any(|word| word.split(';').next().map(str::trim) == Some(encoding))
}

fn describe(
    headers: &mut HeaderMap,
    name: &str,
    keep: &'static str,
    encoding: Option<&'static str>,
) {
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    headers.insert(header::CONTENT_TYPE, header_value(kind.essence_str()));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(encoding) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
}

fn etag(file: &EmbeddedFile) -> HeaderValue {
    let hash = HEXLOWER.encode(&file.metadata.sha256_hash()[..12]);
    header_value(&format!("\"{hash}\""))
}

fn header_value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("MIME types and hexadecimal digits are printable ASCII")
}
