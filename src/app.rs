//! The HTML document of the app, and the routes of its pages.
//!
//! Every page is complete in the server's HTML (`SsrMode::Async`): it can be read, and its plain forms
//! work, before or without any script.

use crate::{
    store::{
        draw_now, me, provide_base, provide_fetched, provide_live, provide_me, waiting_at_first,
    },
    ui::{
        conversation::ConversationPage,
        lazy::{Lazy, later},
        list::ConversationList,
        parts::provide_toasts,
        shell::{Appearance, Frame, Home, NotFound, provide_appearance, text},
    },
};
use leptos::{config::LeptosOptions, nonce::use_nonce, prelude::*};
use leptos_meta::{MetaTags, provide_meta_context};
use leptos_router::{
    SsrMode,
    components::{Route, Router, Routes},
    path,
};

/// URLs of the app and its assets. The server provides them as a context.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    /// Base path of the app, beginning and ending in `/`.
    pub base: String,
    /// URL of the style sheet.
    pub css: String,
    /// URL of the script that loads the WASM program.
    pub js: String,
    /// URL of the WASM program; empty if there is none, then pages work as plain HTML.
    pub wasm: String,
}

/// Collects what others change on the page from the end of its HTML on (`worker/foreign.js`).
const WATCHING: &str = "watching={changes:[]};watching.observer=new MutationObserver(\
    all=>watching.changes.push(...all));watching.observer.observe(document.body,\
    {subtree:true,childList:true,characterData:true,characterDataOldValue:true})";

/// The HTML document that the server sends.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let assets = expect_context::<Assets>();
    let appearance = Appearance::of_request();
    let bar = appearance.theme.map(|theme| {
        let color = if theme == "dark" {
            "#15191d"
        } else {
            "#ffffff"
        };
        view! { <meta name="theme-color" content=color /> }
    });
    let file = |name: &str| format!("{}{name}", assets.base);
    // Visitors without a login get no program.
    let starts = !assets.wasm.is_empty() && !is_auth_page();
    let start = starts.then(|| start_script(&assets));
    let watching =
        starts.then(|| view! { <script nonce=use_nonce() inner_html=WATCHING></script> });
    let me = me();
    let role = me.role.map(|role| role.word());
    let drawn_at = draw_now();
    let waiting = Some(waiting_at_first()).filter(|waiting| *waiting > 0);
    view! {
        <!DOCTYPE html>
        <html lang="en" data-base=assets.base.clone() data-person=me.name data-role=role data-waiting=waiting data-drawn-at=drawn_at data-theme=appearance.theme data-text=appearance.text data-lines=appearance.lines data-diffs=appearance.diffs>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
                <meta name="color-scheme" content="light dark" />
                // The first one that applies counts: what the user has chosen, then the system's. `--surface` in each.
                {bar}
                <meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff" />
                <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#15191d" />
                <meta name="description" content=text::description() />
                <link rel="stylesheet" href=assets.css.clone() />
                <link rel="icon" href=file("icon.svg") type="image/svg+xml" />
                <link rel="apple-touch-icon" href=file("icon-180.png") />
                <link rel="manifest" href=file("manifest.webmanifest") />
                // The texts of `worker/page.js` and `worker/dead.js`.
                <template
                    id="kept-texts"
                    data-waits=text::message_waits()
                    data-refused=text::message_refused()
                    data-copy=text::copy_message()
                    data-remove=text::remove_message()
                    data-open=text::open_conversation()
                    data-leave=text::leave_messages()
                    data-dead=text::page_is_dead()
                    data-reload=text::reload_page()
                ></template>
                {start}
                <AutoReload options=options />
                <MetaTags />
            </head>
            <body>
                <App />
                {watching}
            </body>
        </html>
    }
}

/// Loads the program, which hydrates the page. The script starts by itself.
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
    provide_fetched();
    provide_me();
    provide_appearance();
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
                    <Route path=path!("/import") view=|| later(Lazy::Import) ssr=SsrMode::Async />
                    <Route path=path!("/c/:id") view=ConversationPage ssr=SsrMode::Async />
                    <Route path=path!("/c/:id/sharing") view=|| later(Lazy::Sharing) ssr=SsrMode::Async />
                    <Route path=path!("/c/:id/insight") view=|| later(Lazy::Insight) ssr=SsrMode::Async />
                    <Route path=path!("/insight") view=|| later(Lazy::Overall) ssr=SsrMode::Async />
                    <Route path=path!("/c/:id/replay") view=|| later(Lazy::Replay) ssr=SsrMode::Async />
                    <Route path=path!("/c/:id/export") view=|| later(Lazy::Export) ssr=SsrMode::Async />
                    <Route path=path!("/settings") view=|| later(Lazy::Settings) ssr=SsrMode::Async />
                    <Route path=path!("/settings/connection") view=|| later(Lazy::Connection) ssr=SsrMode::Async />
                    <Route path=path!("/c/:id/rule") view=|| later(Lazy::Rule) ssr=SsrMode::Async />
                    <Route path=path!("/rules") view=|| later(Lazy::Rules) ssr=SsrMode::Async />
                    <Route path=path!("/settings/approvers") view=|| later(Lazy::Approvers) ssr=SsrMode::Async />
                    <Route path=path!("/settings/budgets") view=|| later(Lazy::Budgets) ssr=SsrMode::Async />
                    <Route path=path!("/settings/nodes") view=|| later(Lazy::Nodes) ssr=SsrMode::Async />
                    <Route path=path!("/settings/retention") view=|| later(Lazy::Retention) ssr=SsrMode::Async />
                    <Route path=path!("/inbox") view=|| later(Lazy::Inbox) ssr=SsrMode::Async />
                    <Route path=path!("/search") view=|| later(Lazy::Search) ssr=SsrMode::Async />
                    <Route path=path!("/account") view=|| later(Lazy::Account) ssr=SsrMode::Async />
                    <Route path=path!("/notifications") view=|| later(Lazy::Notifications) ssr=SsrMode::Async />
                    <Route path=path!("/people") view=|| later(Lazy::People) ssr=SsrMode::Async />
                    <Route path=path!("/audit") view=|| later(Lazy::Audit) ssr=SsrMode::Async />
                    <Route path=path!("/login") view=|| later(Lazy::LogIn) ssr=SsrMode::Async />
                    <Route path=path!("/second-factor") view=|| later(Lazy::SecondFactor) ssr=SsrMode::Async />
                    <Route path=path!("/passkey") view=|| later(Lazy::Register) ssr=SsrMode::Async />
                    <Route path=path!("/invitation") view=|| later(Lazy::Invitation) ssr=SsrMode::Async />
                    <Route path=path!("/set-up") view=|| later(Lazy::SetUp) ssr=SsrMode::Async />
                    <Route path=path!("/link") view=|| later(Lazy::Link) ssr=SsrMode::Async />
                    <Route path=path!("/not-allowed") view=|| later(Lazy::NotAllowed) ssr=SsrMode::Async />
                    <Route path=path!("/install") view=|| later(Lazy::Install) ssr=SsrMode::Async />
                    <Route path=path!("/share") view=|| later(Lazy::Share) ssr=SsrMode::Async />
                    <Route path=path!("/offline") view=|| later(Lazy::Offline) ssr=SsrMode::Async />
                </Routes>
            </Frame>
        </Router>
    }
}

/// Base path of the app: from the server's context, or from the page that it sent.
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

/// Sets the base path for the browser's calls of server functions.
fn name_server_functions(base: &str) {
    if is_browser() {
        let prefix = base.trim_end_matches('/').to_owned();
        // Fails if it is set already: then the page was hydrated before, with the same base.
        let _ = leptos::server_fn::client::try_set_server_url(prefix.leak());
    }
}

/// Gives the router the full path: the server nests the app under its base, and strips that.
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

/// Whether the current page is one that needs no login.
#[cfg(feature = "ssr")]
fn is_auth_page() -> bool {
    use leptos_router::location::RequestUrl;
    let url = use_context::<RequestUrl>()
        .map(|url| url.as_ref().to_owned())
        .unwrap_or_default();
    let path = url.split(['?', '#']).next().unwrap_or_default();
    crate::ui::shell::is_auth_page(path.rsplit('/').next().unwrap_or_default())
}

#[cfg(not(feature = "ssr"))]
fn is_auth_page() -> bool {
    false
}
