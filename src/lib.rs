#![doc = include_str!("../docs/ARCHITECTURE.md")]
// The layers, in reading order: each imports only from those before it (tests/it/layering/mod.rs).

mod clock;
#[cfg(feature = "ssr")]
mod metrics;
#[cfg(feature = "ssr")]
mod request_id;
#[cfg(feature = "ssr")]
mod sync;

// The pure layers are a crate of their own (src/pure.rs).
pub use handrail_pure::{conversation, render, rules, wire};
use handrail_pure::{text, words};

#[cfg(feature = "ssr")]
pub mod journal;

pub mod people;

pub mod backend;

pub mod live;

#[cfg(feature = "ssr")]
pub mod hub;

#[cfg(feature = "ssr")]
pub mod notify;

#[expect(
    missing_docs,
    reason = "`#[server]` makes a struct of the arguments and cannot document its fields"
)]
pub mod api;

pub mod store;

pub mod ui;

pub mod app;

#[cfg(feature = "ssr")]
pub mod v1;

#[cfg(feature = "ssr")]
pub mod client;

#[cfg(feature = "ssr")]
pub mod server;

/// Loads what the page needs to be hydrated. Returns `false` if that failed: then it stays plain HTML.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub async fn ready() -> bool {
    console_error_panic_hook::set_once();
    ui::lazy::ready().await
}

/// Hydrates the page that the server has rendered.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_body(app::App);
}
