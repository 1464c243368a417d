//! State shared by all routes, and rendering of pages under addresses other than their own.

use super::api_limits::Limits;
use super::completion::Completion;
use super::config::Config;
use super::load::Load;
use super::metrics_readers::Readers;
use super::openid::OpenId;
use super::proxies::Proxies;
use super::{assets, guards};
use crate::api::{BasePath, SecretCookies, SignOn};
use crate::app::{Assets, shell};
use crate::hub::Hub;
use crate::notify::Notifier;
use crate::people::{Caller, Me, People, PeopleError};
use crate::store::PendingCount;
use crate::ui::auth::{OtherWay, Said};
use crate::ui::shell::Cookies;
use axum::body::Body;
use axum::extract::{FromRef, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use leptos::config::LeptosOptions;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::ResponseOptions;
use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// After how long a request has waited. An honest one takes as long on a slow network.
const WAITED: Duration = Duration::from_millis(500);

/// State shared by all routes.
#[derive(Clone)]
pub struct Site {
    /// The hub.
    pub hub: Hub,
    /// The accounts.
    pub people: People,
    /// The notifier.
    pub notifier: Notifier,
    /// The files of other builds.
    pub(super) kept: Arc<assets::Kept>,
    /// No login: callers on this machine may do everything, and no others are accepted.
    pub trust_local: bool,
    /// The OpenID Connect provider, if one is configured.
    pub openid: Option<Arc<OpenId>>,
    /// Who may read the metrics.
    pub metrics_readers: Readers,
    /// The trusted proxies.
    pub proxies: Proxies,
    /// The data folder.
    pub data_dir: Arc<Path>,
    /// Whether this server terminates TLS.
    tls: bool,
    cookies: [SecretCookies; 2],
    /// Limits on each user's other work.
    pub load: Load,
    /// Limits of each credential in the API.
    pub api: Limits,
    /// Tracks all live connections, so that a shutdown waits until each has announced it.
    pub open_connections: TaskTracker,
    /// The changes and pages in progress.
    pub completion: Completion,
    /// Base path of the pages; ends with `/`.
    pub base: String,
    /// The id of this build.
    pub build: Arc<str>,
    /// Cancelled when the server stops.
    pub stopping: CancellationToken,
    pub(super) options: LeptosOptions,
    assets: Assets,
    files: Arc<HashSet<String>>,
    owned: Arc<AtomicBool>,
}

/// The client's address, as it is logged.
#[derive(Debug, Clone)]
pub struct Peer(pub String);

impl FromRef<Site> for LeptosOptions {
    fn from_ref(site: &Site) -> Self {
        site.options.clone()
    }
}

impl FromRef<Site> for Arc<assets::Kept> {
    fn from_ref(site: &Site) -> Self {
        Arc::clone(&site.kept)
    }
}

impl Site {
    /// Whether this server terminates TLS.
    pub fn serves_tls(&self) -> bool {
        self.tls
    }

    /// A site below `base`, served at `address`.
    pub fn new(
        (hub, people, notifier): (Hub, People, Notifier),
        kept: assets::Kept,
        base: String,
        config: &Config,
        address: SocketAddr,
        stopping: CancellationToken,
    ) -> Self {
        let files = assets::plain_names()
            .into_iter()
            .map(|name| format!("/{name}"));
        Self {
            hub,
            people,
            notifier,
            kept: Arc::new(kept),
            trust_local: config.trust_local,
            openid: None,
            metrics_readers: Readers::default(),
            proxies: Proxies::new(&config.trusted_proxy),
            data_dir: config.data_dir.as_path().into(),
            tls: config.certificate().is_some(),
            load: Load::default(),
            api: Limits::default(),
            open_connections: TaskTracker::new(),
            completion: Completion::default(),
            cookies: [false, true].map(|secure| SecretCookies::new(&base, secure)),
            assets: assets::addresses(&base),
            base,
            build: assets::build().into(),
            stopping,
            options: LeptosOptions::builder()
                .output_name("handrail")
                .site_addr(address)
                .build(),
            files: Arc::new(files.collect()),
            owned: Arc::default(),
        }
    }

    /// Our cookies for this request: `Secure` if it came over TLS, to a trusted proxy (`secure`) or to this server.
    pub fn cookies(&self, secure: bool) -> &SecretCookies {
        &self.cookies[usize::from(secure || self.tls)]
    }

    /// Whether this route is a public file.
    pub fn is_file(&self, route: &str) -> bool {
        self.files.contains(route)
    }

    /// Whether an owner exists (or none is needed). Once true, it stays true. Errors: the journal cannot be read.
    pub async fn has_owner(&self) -> Result<bool, PeopleError> {
        if self.trust_local || self.owned.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let owned = self.people.has_owner().await?;
        self.owned.store(owned, Ordering::Relaxed);
        Ok(owned)
    }

    /// Whether the caller still has the rights of a request that waited for so long; no, if they cannot be looked up again.
    pub async fn is_still_good(&self, by: Option<&Caller>, waited: Duration) -> bool {
        match by.filter(|_| waited > WAITED) {
            Some(by) => self.people.still(by).await.unwrap_or_default(),
            None => true,
        }
    }

    /// The Leptos context of pages and server functions.
    pub fn context(&self) -> impl Fn() + Clone + Send + Sync + 'static {
        let site = self.clone();
        move || {
            provide_context(site.hub.clone());
            provide_context(site.people.clone());
            provide_context(site.notifier.clone());
            provide_context(site.assets.clone());
            provide_context(BasePath(site.base.clone()));
            if let Some(openid) = &site.openid {
                provide_context(OtherWay(openid.name().to_owned()));
            }
            provide_request(&site.hub);
            if let (Some(openid), Some(by)) = (&site.openid, use_context::<Caller>()) {
                provide_context(SignOn {
                    name: openid.name().to_owned(),
                    proof: openid.proof(&by),
                });
            }
            guard_page(&site.build);
        }
    }

    /// Renders the "page not found" page.
    pub async fn no_such_page(&self, request: Request) -> Response {
        let mut response = self.draw(request).await;
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    }

    /// Renders the page at `path` (below the base path) whatever the request's own address was, for this caller and with
    /// this error message.
    pub async fn page(
        &self,
        path: &str,
        status: StatusCode,
        (caller, said): (Option<Caller>, Said),
    ) -> Response {
        let mut request = Request::new(Body::empty());
        request.extensions_mut().insert(said);
        if let Some(caller) = caller {
            request.extensions_mut().insert(caller);
        }
        self.draw_at(path, status, request).await
    }

    /// The same for a page that reads what the browser sent: its cookies, and the host.
    pub async fn page_of(
        &self,
        path: &str,
        status: StatusCode,
        said: Said,
        (headers, cookies): (&HeaderMap, &SecretCookies),
    ) -> Response {
        let mut request = Request::new(Body::empty());
        request.extensions_mut().insert(said);
        request.extensions_mut().insert(cookies.clone());
        for name in [header::COOKIE, header::HOST] {
            if let Some(value) = headers.get(&name) {
                request.headers_mut().insert(name, value.clone());
            }
        }
        self.draw_at(path, status, request).await
    }

    async fn draw_at(&self, path: &str, status: StatusCode, mut request: Request) -> Response {
        let Ok(uri) = Uri::try_from(format!("/{path}")) else {
            return status.into_response();
        };
        *request.uri_mut() = uri;
        let mut response = self.draw(request).await;
        *response.status_mut() = status;
        response
    }

    async fn draw(&self, request: Request) -> Response {
        let (context, options) = (self.context(), self.options.clone());
        let draw =
            leptos_axum::render_app_async_with_context(context, move || shell(options.clone()));
        draw(request).await
    }
}

/// Provides what rendering needs from the request: the caller, the error message, and the cookies with display settings.
fn provide_request(hub: &Hub) {
    let Some(parts) = use_context::<Parts>() else {
        return;
    };
    let cookies = parts.headers.get(header::COOKIE);
    let cookies = cookies.and_then(|value| value.to_str().ok());
    provide_context(Cookies(cookies.unwrap_or_default().to_owned()));
    let caller = parts.extensions.get::<Caller>();
    provide_context(caller.map_or_else(Me::default, Caller::me));
    if let Some(caller) = caller {
        provide_context(PendingCount(hub.list.waiting(caller)));
        provide_context(caller.clone());
    }
    if let Some(cookies) = parts.extensions.get::<SecretCookies>() {
        provide_context(cookies.clone());
    }
    if let Some(said) = parts.extensions.get::<Said>() {
        provide_context(said.clone());
    }
}

/// Sets the content security policy of the page being rendered, with the nonce of its scripts, and tells the service
/// worker whose page it is, and of which build. It keeps no page of visitors.
fn guard_page(build: &str) {
    let (Some(nonce), Some(response)) =
        (leptos::nonce::use_nonce(), use_context::<ResponseOptions>())
    else {
        return;
    };
    if let Ok(policy) = HeaderValue::from_str(&guards::page_policy(&nonce)) {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
    let caller = use_context::<Caller>().filter(|caller| caller.visit().is_none());
    let person = caller.map(|caller| caller.person.to_string());
    for (name, value) in [
        ("handrail-person", person.as_deref()),
        ("handrail-build", Some(build)),
    ] {
        if let Some(Ok(value)) = value.map(HeaderValue::from_str) {
            response.insert_header(HeaderName::from_static(name), value);
        }
    }
}
