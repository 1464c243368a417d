//! What every route can reach, and how a page is drawn that no address asked for.

use super::config::Config;
use super::openid::OpenId;
use super::places::Places;
use super::proxies::Proxies;
use super::{assets, guards};
use crate::api::{BasePath, SecretCookies, SignOn};
use crate::app::{Assets, shell};
use crate::hub::Hub;
use crate::people::{Caller, Me, People, PeopleError};
use crate::store::Waiting;
use crate::ui::doors::{OtherWay, Said};
use crate::ui::shell::Cookies;
use axum::body::Body;
use axum::extract::{FromRef, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use leptos::config::LeptosOptions;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::ResponseOptions;
use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Live lines of one person: more tabs than anybody looks at.
const MOST_LINES: u32 = 64;

/// What every route can reach.
#[derive(Clone)]
pub struct Site {
    /// The hub.
    pub hub: Hub,
    /// Everybody who may log in.
    pub people: People,
    /// Whoever sits at the machine may do everything, and nobody else anything.
    pub trust_local: bool,
    /// With whom people can log in beside passwords.
    pub openid: Option<Arc<OpenId>>,
    /// Proxies that are believed.
    pub proxies: Proxies,
    /// It is served over TLS.
    tls: bool,
    cookies: [SecretCookies; 2],
    /// The live lines that each person has open.
    pub lines: Places<i64>,
    /// All of them, so that a stop waits until each was told.
    pub open_lines: TaskTracker,
    /// Path under which the pages live, ending in `/`.
    pub base: String,
    /// Cancelled when the server stops.
    pub stopping: CancellationToken,
    pub(super) options: LeptosOptions,
    assets: Assets,
    files: Arc<HashSet<String>>,
    owned: Arc<AtomicBool>,
}

/// From where a request comes, as it is written down.
#[derive(Debug, Clone)]
pub struct Peer(pub String);

impl FromRef<Site> for LeptosOptions {
    fn from_ref(site: &Site) -> Self {
        site.options.clone()
    }
}

impl Site {
    /// A site below `base`, served at `address`.
    pub fn new(
        hub: Hub,
        people: People,
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
            trust_local: config.trust_local,
            openid: None,
            proxies: Proxies::new(&config.trusted_proxy),
            tls: config.certificate().is_some(),
            lines: Places::new(MOST_LINES),
            open_lines: TaskTracker::new(),
            cookies: [false, true].map(|secure| SecretCookies::new(&base, secure)),
            assets: assets::addresses(&base),
            base,
            stopping,
            options: LeptosOptions::builder()
                .output_name("handrail")
                .site_addr(address)
                .build(),
            files: Arc::new(files.collect()),
            owned: Arc::default(),
        }
    }

    /// Our cookies, for a request that came over TLS to the proxy before us, or did not.
    pub fn cookies(&self, secure: bool) -> &SecretCookies {
        &self.cookies[usize::from(secure || self.tls)]
    }

    /// Whether this route is a file that everybody may have.
    pub fn is_file(&self, route: &str) -> bool {
        self.files.contains(route)
    }

    /// Whether there is somebody to be let in. Once there is, there always is.
    pub async fn has_owner(&self) -> Result<bool, PeopleError> {
        if self.trust_local || self.owned.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let owned = self.people.has_owner().await?;
        self.owned.store(owned, Ordering::Relaxed);
        Ok(owned)
    }

    /// What pages and server functions find around them.
    pub fn context(&self) -> impl Fn() + Clone + Send + Sync + 'static {
        let site = self.clone();
        move || {
            provide_context(site.hub.clone());
            provide_context(site.people.clone());
            provide_context(site.assets.clone());
            provide_context(BasePath(site.base.clone()));
            if let Some(openid) = &site.openid {
                provide_context(SignOn(openid.name().to_owned()));
                provide_context(OtherWay(openid.name().to_owned()));
            }
            provide_request(&site.hub);
            guard_page();
        }
    }

    /// The page that says that there is no such page.
    pub async fn no_such_page(&self, request: Request) -> Response {
        let mut response = self.draw(request).await;
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    }

    /// The page at `path` (below the base), whatever was asked for; it finds `with` in its request: who asks, and
    /// what they are told.
    pub async fn page(
        &self,
        path: &str,
        status: StatusCode,
        (caller, said): (Option<Caller>, Said),
    ) -> Response {
        let Ok(uri) = Uri::try_from(format!("/{path}")) else {
            return status.into_response();
        };
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = uri;
        request.extensions_mut().insert(said);
        if let Some(caller) = caller {
            request.extensions_mut().insert(caller);
        }
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

/// Gives what is being drawn or done what it needs of its request: who asks, what they are told, and the
/// cookies that say how it shall look.
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
        provide_context(Waiting(hub.waiting(caller)));
        provide_context(caller.clone());
    }
    if let Some(cookies) = parts.extensions.get::<SecretCookies>() {
        provide_context(cookies.clone());
    }
    if let Some(said) = parts.extensions.get::<Said>() {
        provide_context(said.clone());
    }
}

/// Gives the page that is being drawn its content security policy, with the nonce of its scripts.
fn guard_page() {
    let (Some(nonce), Some(response)) =
        (leptos::nonce::use_nonce(), use_context::<ResponseOptions>())
    else {
        return;
    };
    if let Ok(policy) = HeaderValue::from_str(&guards::page_policy(&nonce)) {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}
