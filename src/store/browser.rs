//! The few things of the browser that stores and pages need in one line.
//!
//! All of it is called from effects and handlers only, which never run on the server.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, closure::Closure};

/// Milliseconds since the Unix epoch by the browser's clock.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// An id that nobody else makes.
///
/// `crypto.randomUUID` is missing on plain http, so it is made of the clock and chance: it only has
/// to differ from the other messages of one conversation.
pub fn random_id() -> String {
    let chance = js_sys::Math::random().to_bits();
    format!("{:x}-{:x}", now() as u64, chance & 0xffff_ffff_ffff)
}

/// Keeps a choice for a year, where the server sees it with every request.
pub fn set_cookie(name: &str, value: &str) {
    let path = link_root();
    let cookie = format!("{name}={value}; Path={path}; Max-Age=31536000; SameSite=Lax");
    // `cookie` is a property of HTML documents only, which `web_sys::Document` does not say.
    let _ = js_sys::Reflect::set(&document(), &"cookie".into(), &cookie.into());
}

fn link_root() -> String {
    document()
        .document_element()
        .and_then(|html| html.get_attribute("data-base"))
        .unwrap_or_else(|| "/".to_owned())
}

/// Runs `then` when the changes made so far are in the page, before they are painted.
pub fn after_layout(then: impl FnOnce() + 'static) {
    request_animation_frame(then);
}

/// Something out of `localStorage`; `None` where there is none or it is forbidden.
pub fn remembered(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Puts something into `localStorage`, or removes it; silently does nothing where that is forbidden.
pub fn remember(key: &str, value: Option<&str>) {
    if let Ok(Some(storage)) = window().local_storage() {
        // A full or forbidden storage costs the copy on this device only.
        let _ = match value {
            Some(value) => storage.set_item(key, value),
            None => storage.remove_item(key),
        };
    }
}

/// A closure for the browser that lives as long as the page.
pub(super) fn for_good<E: wasm_bindgen::convert::FromWasmAbi + 'static>(
    run: impl FnMut(E) + 'static,
) -> js_sys::Function {
    Closure::<dyn FnMut(E)>::new(run)
        .into_js_value()
        .unchecked_into()
}
