//! Unsent messages: stored on this device at once, on the server a moment later.
//!
//! The copy on the device exists only until the server has it, so a copy on the device is always newer
//! than the one on the server.

use super::browser::{remember, remembered};
use super::me;
use crate::api::keep_draft;
use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*, task::spawn_local};
use std::{cell::Cell, time::Duration};
use wasm_bindgen::JsCast;
use web_sys::StorageEvent;

/// Pause in typing after which the draft is sent to the server.
const PAUSE: Duration = Duration::from_millis(800);
/// How long a page that is left may still be there, in milliseconds.
const LEAVING: f64 = 5_000.0;

thread_local! {
    /// When the page was left last, or a download looked like it.
    static LEFT_AT: Cell<f64> = const { Cell::new(f64::MIN) };
}

/// The draft of one conversation.
#[derive(Clone, Copy)]
pub struct Draft {
    id: StoredValue<String>,
    /// Contains the user's name, so that other users of the same device do not see the draft.
    key: StoredValue<String>,
    timer: StoredValue<Option<TimeoutHandle>>,
}

impl Draft {
    /// The draft of the conversation `id`.
    pub fn new(id: String) -> Self {
        Self {
            key: StoredValue::new(format!("draft/{}/{id}", me().name)),
            id: StoredValue::new(id),
            timer: StoredValue::new(None),
        }
    }

    /// Text typed on this device that has not reached the server.
    pub fn unsaved(self) -> Option<String> {
        remembered(&self.key())
    }

    /// Saves `text`; empty text deletes the draft.
    pub fn keep(self, text: String) {
        let (id, key) = (self.id.get_value(), self.key());
        remember(&key, Some(&text));
        let save = move || {
            spawn_local(async move {
                let saved = keep_draft(id, text.clone()).await.is_ok();
                // The next page may have been drawn before the server had it.
                let is_leaving = js_sys::Date::now() - LEFT_AT.get() < LEAVING;
                // Newer text may have been typed during the request.
                if saved && !is_leaving && remembered(&key).as_ref() == Some(&text) {
                    remember(&key, None);
                }
            });
        };
        self.cancel();
        self.timer
            .set_value(set_timeout_with_handle(save, PAUSE).ok());
    }

    /// Passes on what is typed in other tabs of this device, and notes when the page is left, until the owner is disposed.
    pub fn follow(self, on_text: impl Fn(String) + 'static) {
        let key = self.key();
        let typed = window_event_listener_untyped("storage", move |event| {
            let event: StorageEvent = event.unchecked_into();
            if event.key().as_ref() == Some(&key)
                && let Some(text) = event.new_value()
            {
                on_text(text);
            }
        });
        let left =
            window_event_listener_untyped("beforeunload", |_| LEFT_AT.set(js_sys::Date::now()));
        on_cleanup(move || {
            typed.remove();
            left.remove();
        });
    }

    /// Deletes the draft of a sent message.
    pub fn clear(self) {
        self.keep(String::new());
    }

    fn cancel(self) {
        if let Some(timer) = self.timer.get_value() {
            timer.clear();
        }
    }

    fn key(self) -> String {
        self.key.get_value()
    }
}
