//! What was typed and not sent: on this device at once, on the server a moment later.
//!
//! The copy on the device exists only until the server has it, so whatever is found there is newer
//! than what the server knows.

use super::browser::{remember, remembered};
use super::me;
use crate::api::keep_draft;
use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*, task::spawn_local};
use std::time::Duration;

/// Pause in typing after which the server is told.
const PAUSE: Duration = Duration::from_millis(800);

/// The draft of one conversation.
#[derive(Clone, Copy)]
pub struct Draft {
    id: StoredValue<String>,
    /// What is kept on the device belongs to who typed it, whoever logs in there next.
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

    /// What was typed on this device and never reached the server.
    pub fn unsaved(self) -> Option<String> {
        remembered(&self.key())
    }

    /// Keeps `text`; empty text removes the draft.
    pub fn keep(self, text: String) {
        let (id, key) = (self.id.get_value(), self.key());
        remember(&key, Some(&text));
        let save = move || {
            spawn_local(async move {
                let saved = keep_draft(id, text.clone()).await.is_ok();
                // Something newer may have been typed while the server was told.
                if saved && remembered(&key).as_ref() == Some(&text) {
                    remember(&key, None);
                }
            });
        };
        self.cancel();
        self.timer
            .set_value(set_timeout_with_handle(save, PAUSE).ok());
    }

    /// Forgets the draft: it was sent.
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
