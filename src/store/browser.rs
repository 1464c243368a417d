//! Short wrappers for browser APIs that stores and pages use.
//!
//! They are called only from effects and event handlers, which never run on the server.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{HtmlElement, NodeList};

/// Milliseconds since the Unix epoch by the browser's clock.
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// A unique id.
///
/// `crypto.randomUUID` is missing on plain http, so it is made of the clock and a random number: it only has
/// to differ from the other messages of one conversation.
pub fn random_id() -> String {
    let chance = js_sys::Math::random().to_bits();
    format!("{:x}-{:x}", now() as u64, chance & 0xffff_ffff_ffff)
}

/// Stores a choice in a cookie for a year, so that the server receives it with every request.
pub fn set_cookie(name: &str, value: &str) {
    let path = link_root();
    let cookie = format!("{name}={value}; Path={path}; Max-Age=31536000; SameSite=Lax");
    // `cookie` is a property of HTML documents only, and missing in `web_sys::Document`.
    let _ = js_sys::Reflect::set(&document(), &"cookie".into(), &cookie.into());
}

fn link_root() -> String {
    document()
        .document_element()
        .and_then(|html| html.get_attribute("data-base"))
        .unwrap_or_else(|| "/".to_owned())
}

/// Runs `then` once pending changes are in the page, before they are painted.
pub fn after_layout(then: impl FnOnce() + 'static) {
    request_animation_frame(then);
}

/// Runs `run` whenever a part of the page was scrolled, until the owner is disposed.
pub fn on_scroll(run: impl FnMut() + 'static) {
    let listener = Closure::<dyn FnMut()>::new(run);
    // Only a listener that captures hears of a part: scrolling does not bubble.
    let _ = window().add_event_listener_with_callback_and_bool(
        "scroll",
        listener.as_ref().unchecked_ref(),
        true,
    );
    let held = StoredValue::new_local(listener);
    on_cleanup(move || {
        held.with_value(|listener| {
            let _ = window().remove_event_listener_with_callback_and_bool(
                "scroll",
                listener.as_ref().unchecked_ref(),
                true,
            );
        });
    });
}

/// The elements that a selector finds.
pub fn elements(found: Result<NodeList, JsValue>) -> impl Iterator<Item = HtmlElement> {
    let found = found.ok();
    let count = found.as_ref().map_or(0, NodeList::length);
    (0..count).filter_map(move |at| found.as_ref()?.item(at)?.dyn_into().ok())
}

/// Those of them that are drawn.
pub fn drawn(found: Result<NodeList, JsValue>) -> impl Iterator<Item = HtmlElement> {
    elements(found).filter(|element| element.get_bounding_client_rect().width() > 0.0)
}

/// Whether the focus is nowhere: what had it is gone.
pub fn is_focus_lost() -> bool {
    let focused = document().active_element();
    focused.is_none_or(|element| element.tag_name() == "BODY")
}

/// A value from `localStorage`; `None` if it is missing or storage is blocked.
pub fn remembered(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Stores a value in `localStorage`, or removes it; has no effect if storage is blocked.
pub fn remember(key: &str, value: Option<&str>) {
    if let Ok(Some(storage)) = window().local_storage() {
        // A full or blocked storage costs only the copy on this device.
        let _ = match value {
            Some(value) => storage.set_item(key, value),
            None => storage.remove_item(key),
        };
    }
}

/// A closure for JavaScript that lives as long as the page.
pub(super) fn for_good<E: wasm_bindgen::convert::FromWasmAbi + 'static>(
    run: impl FnMut(E) + 'static,
) -> js_sys::Function {
    Closure::<dyn FnMut(E)>::new(run)
        .into_js_value()
        .unchecked_into()
}
