//! What the sections of the page share: the stored settings.

use crate::api::{ApiError, SettingsView, read_settings};
use leptos::prelude::*;

/// The stored settings, shared by the sections of the page.
#[derive(Clone, Copy)]
pub struct Stored {
    /// The settings as last read.
    pub view: RwSignal<SettingsView>,
    /// The label of their backend.
    pub backend: StoredValue<String>,
    read: Action<(), Result<SettingsView, ApiError>>,
}

impl Stored {
    /// The settings as they were read, and the label of their backend.
    pub fn new(view: SettingsView, backend: String) -> Self {
        let stored = Self {
            view: RwSignal::new(view),
            backend: StoredValue::new(backend.clone()),
            read: Action::new(move |()| read_settings(backend.clone())),
        };
        Effect::new(move |_| {
            if let Some(Ok(view)) = stored.read.value().get() {
                stored.view.set(view);
            }
        });
        stored
    }

    /// Reads the settings again; the forms keep unsaved input.
    pub fn read_again(self) {
        self.read.dispatch(());
    }
}
