//! The document around the app, and which page stands at which address.
//!
//! Every page is complete in the server's HTML (`SsrMode::Async`): it can be read, and acted on by plain
//! forms, before or without any script.

use crate::{
    store::{draw_now, me, provide_base, provide_live, provide_me, waiting_at_first},
    ui::{
        conversation::ConversationPage,
        lazy::{Lazy, later},
        list::ConversationList,
        parts::provide_toasts,
        shell::{Frame, Home, Look, NotFound, provide_look, text},
    },
};
use leptos::{config::LeptosOptions, nonce::use_nonce, prelude::*};
use leptos_meta::{MetaTags, provide_meta_context};
use leptos_router::{
    SsrMode,
    components::{Route, Router, Routes},
    path,
};

/// Where the parts of the page lie, and where the app lives. The server provides it as a context.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    /// Path that the app lives at, beginning and ending in `/`.
    pub base: String,
    /// Address of the style sheet.
    pub css: String,
    /// Address of the script that loads the program.
    pub js: String,
    /// Address of the program; empty if there is none, then pages work as plain HTML.
    pub wasm: String,
}

/// The HTML document that the server sends.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let assets = expect_context::<Assets>();
    let look = Look::of_request();
    let file = |name: &str| format!("{}{name}", assets.base);
    // Who is not let in gets nothing of the program.
    let start = (!assets.wasm.is_empty() && !is_door()).then(|| start_script(&assets));
    let me = me();
    let role = me.role.map(|role| role.word());
    let drawn_at = draw_now();
    let waiting = Some(waiting_at_first()).filter(|waiting| *waiting > 0);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-base=assets.base.clone() data-person=me.name data-role=role data-waiting=waiting data-drawn-at=drawn_at data-theme=look.theme data-text=look.text data-lines=look.lines>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
                <meta name="color-scheme" content="light dark" />
                <meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff" />
                <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#14161a" />
                <meta name="description" content=text::description() />
                <link rel="stylesheet" href=assets.css.clone() />
                <link rel="icon" href=file("icon.svg") type="image/svg+xml" />
                <link rel="apple-touch-icon" href=file("icon-180.png") />
                <link rel="manifest" href=file("manifest.webmanifest") />
                {start}
                <AutoReload options=options />
                <MetaTags />
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}

/// Loads the program, which takes over the page. The script starts by itself.
fn start_script(assets: &Assets) -> impl IntoView + use<> {
    let nonce = use_nonce();
    let (js, wasm) = (assets.js.clone(), assets.wasm.clone());
    view! {
        <link rel="preload" href=wasm r#as="fetch" r#type="application/wasm" crossorigin="anonymous" />
        <script type="module" src=js nonce=nonce></script>
    }
}

/// The app: the same on the server and in the browser.
#[component]
pub fn App() -> impl IntoView {
    let base = base();
    provide_meta_context();
    provide_base(base.clone());
    provide_me();
    provide_look();
    provide_toasts();
    provide_live(base.clone());
    name_server_functions(&base);
    let base = base.trim_end_matches('/').to_owned();
    ask_under(&base);
    view! {
        <Router base>
            <Frame list=ConversationList>
                <Routes fallback=NotFound>
                    <Route path=path!("/") view=Home ssr=SsrMode::Async />
                    <Route path=path!("/new") view=|| later(Lazy::New) ssr=SsrMode::Async />
                    <Route path=path!("/c/:id") view=ConversationPage ssr=SsrMode::Async />
                    <Route path=path!("/c/:id/sharing") view=|| later(Lazy::Sharing) ssr=SsrMode::Async />
                    <Route path=path!("/settings") view=|| later(Lazy::Settings) ssr=SsrMode::Async />
                    <Route path=path!("/settings/connection") view=|| later(Lazy::Connection) ssr=SsrMode::Async />
                    <Route path=path!("/inbox") view=|| later(Lazy::Inbox) ssr=SsrMode::Async />
                    <Route path=path!("/account") view=|| later(Lazy::Account) ssr=SsrMode::Async />
                    <Route path=path!("/people") view=|| later(Lazy::People) ssr=SsrMode::Async />
                    <Route path=path!("/audit") view=|| later(Lazy::Audit) ssr=SsrMode::Async />
                    <Route path=path!("/login") view=|| later(Lazy::LogIn) ssr=SsrMode::Async />
                    <Route path=path!("/set-up") view=|| later(Lazy::SetUp) ssr=SsrMode::Async />
                    <Route path=path!("/link") view=|| later(Lazy::Link) ssr=SsrMode::Async />
                    <Route path=path!("/not-allowed") view=|| later(Lazy::NotAllowed) ssr=SsrMode::Async />
                </Routes>
            </Frame>
        </Router>
    }
}

/// The path that the app lives at: told by the server, or written in the page that it sent.
fn base() -> String {
    if let Some(assets) = use_context::<Assets>() {
        return assets.base;
    }
    // At start-up the server runs `App` once for its list of routes, without contexts.
    let page = is_browser()
        .then(|| document().document_element())
        .flatten();
    page.and_then(|html| html.get_attribute("data-base"))
        .unwrap_or_else(|| "/".to_owned())
}

/// Tells the browser's side of server functions where the app lives.
fn name_server_functions(base: &str) {
    if is_browser() {
        let prefix = base.trim_end_matches('/').to_owned();
        // Set before: the page was taken over twice, by the same base.
        let _ = leptos::server_fn::client::try_set_server_url(prefix.leak());
    }
}

/// Lets the router see the whole path: the server nests the app under its base, which it takes off.
#[cfg(feature = "ssr")]
fn ask_under(base: &str) {
    use leptos_router::location::RequestUrl;
    let Some(url) = use_context::<RequestUrl>().filter(|_| !base.is_empty()) else {
        return;
    };
    // `leptos_axum` puts an origin of its own before the path.
    let url = url.as_ref();
    let origin = url.find("://").map_or(0, |at| at + 3);
    let path = url[origin..].find('/').map_or(url.len(), |at| origin + at);
    let (origin, path) = url.split_at(path);
    provide_context(RequestUrl::new(&format!("{origin}{base}{path}")));
}

#[cfg(not(feature = "ssr"))]
fn ask_under(_base: &str) {}

/// Whether the page that is drawn is one of those before the others.
#[cfg(feature = "ssr")]
fn is_door() -> bool {
    use leptos_router::location::RequestUrl;
    let url = use_context::<RequestUrl>()
        .map(|url| url.as_ref().to_owned())
        .unwrap_or_default();
    let path = url.split(['?', '#']).next().unwrap_or_default();
    crate::ui::shell::is_door(path.rsplit('/').next().unwrap_or_default())
}

#[cfg(not(feature = "ssr"))]
fn is_door() -> bool {
    false
}
