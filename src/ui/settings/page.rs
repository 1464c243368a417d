//! The settings of the backend.

use super::{mcp::McpServers, model::ModelForm, secrets::Secrets};
use crate::api::{ApiError, SettingsView, read_settings};
use crate::store::fetched;
use crate::store::link;
use crate::ui::parts::{ErrorNote, Loading};
use crate::ui::shell::Head;
use leptos::html;
use leptos::prelude::*;

/// What the sections of the page share: the settings as they are stored.
#[derive(Clone, Copy)]
pub struct Stored {
    /// As they were last read.
    pub view: RwSignal<SettingsView>,
    read: Action<(), Result<SettingsView, ApiError>>,
}

impl Stored {
    fn new(view: SettingsView) -> Self {
        let stored = Self {
            view: RwSignal::new(view),
            read: Action::new(|()| read_settings()),
        };
        Effect::new(move |_| {
            if let Some(Ok(view)) = stored.read.value().get() {
                stored.view.set(view);
            }
        });
        stored
    }

    /// Reads them again; the forms keep what is typed in them.
    pub fn read_again(self) {
        self.read.dispatch(());
    }
}

/// `/settings`.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let settings = fetched(|| (), |()| read_settings());
    view! {
        <Head title="Settings"/>
        <div class="page">
            <h1 class="page__title">"Settings"</h1>
            <section class="card">
                <h2 class="card__title">"Connection"</h2>
                <p class="card__hint">"Which OpenHands runs the agents, or the rehearsal."</p>
                <a class="button" href=link("settings/connection")>
                    "Connection…"
                </a>
            </section>
            <Transition fallback=|| view! { <Loading text="Asking the backend…"/> }>
                {move || Suspend::new(async move {
                    match settings.await {
                        Ok(view) => {
                            let stored = Stored::new(view);
                            view! {
                                <ModelForm stored/>
                                <McpServers stored/>
                                <Secrets stored/>
                            }
                                .into_any()
                        }
                        Err(error) => view! { <ErrorNote error/> }.into_any(),
                    }
                })}
            </Transition>
        </div>
    }
    .into_any()
}

/// Empties the form that `input` belongs to. In the browser only.
pub fn empty_form(input: NodeRef<html::Input>) {
    if let Some(form) = input.get_untracked().and_then(|input| input.form()) {
        form.reset();
    }
}

/// Counts how often `action` worked, and runs `then` each time. In the browser only.
pub fn on_success<F>(action: ServerAction<F>, then: impl Fn() + 'static) -> Signal<u32>
where
    F: leptos::server_fn::ServerFn<Output = (), Error = ApiError> + Clone + Send + Sync + 'static,
{
    let times = RwSignal::new(0);
    Effect::new(move |_| {
        if matches!(action.value().get(), Some(Ok(()))) {
            times.update(|times| *times += 1);
            then();
        }
    });
    times.into()
}
