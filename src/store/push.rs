//! This browser's subscription to push messages.

use js_sys::{Function, JSON, Object, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// Why a browser cannot be subscribed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// The page was not loaded over HTTPS.
    NeedsHttps,
    /// The browser has no push messages; on an iPhone only an installed app has.
    Missing,
    /// The person or the browser does not allow notifications.
    Blocked,
    /// The browser could not subscribe.
    Failed,
}

/// Asks the person, subscribes this browser with the server's public key, and returns the arguments of
/// [`crate::api::subscribe_push`] as JSON.
///
/// # Errors
/// The reason, if the browser cannot be subscribed.
pub async fn subscribe(key: &str) -> Result<String, Trouble> {
    if !window().is_secure_context() {
        return Err(Trouble::NeedsHttps);
    }
    let window: JsValue = window().into();
    if property(&window, "PushManager").is_undefined()
        || property(&window, "Notification").is_undefined()
    {
        return Err(Trouble::Missing);
    }
    let notification = property(&window, "Notification");
    let allowed = call(&notification, "requestPermission", &[]).await;
    if allowed
        .ok()
        .and_then(|allowed| allowed.as_string())
        .as_deref()
        != Some("granted")
    {
        return Err(Trouble::Blocked);
    }
    let manager = manager().await.ok_or(Trouble::Missing)?;
    let options = Object::new();
    let set = |name: &str, value: JsValue| Reflect::set(&options, &name.into(), &value);
    // Setting a property of a new object cannot fail.
    let _ = set("userVisibleOnly", true.into());
    let _ = set("applicationServerKey", key.into());
    let subscribed = match call(&manager, "subscribe", &[&options]).await {
        Ok(subscribed) => subscribed,
        // It may be subscribed with the key of an earlier installation.
        Err(_) => {
            unsubscribe().await;
            let again = call(&manager, "subscribe", &[&options]).await;
            again.map_err(|_| Trouble::Failed)?
        }
    };
    // As JSON it has the keys in the form that the server takes.
    let text = JSON::stringify(&subscribed).map_err(|_| Trouble::Failed)?;
    let plain = JSON::parse(&String::from(text)).map_err(|_| Trouble::Failed)?;
    let keys = property(&plain, "keys");
    let arguments = Object::new();
    let _ = Reflect::set(
        &arguments,
        &"endpoint".into(),
        &property(&plain, "endpoint"),
    );
    let _ = Reflect::set(&arguments, &"p256dh".into(), &property(&keys, "p256dh"));
    let _ = Reflect::set(&arguments, &"auth".into(), &property(&keys, "auth"));
    let text = JSON::stringify(&arguments).map_err(|_| Trouble::Failed)?;
    Ok(text.into())
}

/// Ends this browser's subscription, if there is one.
pub async fn unsubscribe() {
    let Some(manager) = manager().await else {
        return;
    };
    if let Ok(subscribed) = call(&manager, "getSubscription", &[]).await
        && subscribed.is_object()
    {
        // The push service then answers 410 to the server, which forgets it, too.
        let _ = call(&subscribed, "unsubscribe", &[]).await;
    }
}

/// The browser's time zone, by its IANA name, or empty.
pub fn time_zone() -> String {
    let format = js_sys::Intl::DateTimeFormat::new(&js_sys::Array::new(), &Object::new());
    let zone = property(&format.resolved_options(), "timeZone");
    zone.as_string().unwrap_or_default()
}

/// A property of a JavaScript value; undefined if there is none.
fn property(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or_default()
}

/// The push manager of our worker, once it runs.
async fn manager() -> Option<JsValue> {
    let navigator: JsValue = window().navigator().into();
    let workers = property(&navigator, "serviceWorker");
    let ready: Promise = property(&workers, "ready").dyn_into().ok()?;
    let registration = JsFuture::from(ready).await.ok()?;
    let manager = property(&registration, "pushManager");
    manager.is_object().then_some(manager)
}

/// Calls an asynchronous method.
async fn call(object: &JsValue, method: &str, arguments: &[&JsValue]) -> Result<JsValue, JsValue> {
    let method: Function = property(object, method).dyn_into()?;
    let arguments = arguments.iter().copied().collect::<js_sys::Array>();
    let promise: Promise = method.apply(object, &arguments)?.dyn_into()?;
    JsFuture::from(promise).await
}
