//! The settings of a backend.

use super::{mcp::McpServers, model::ModelForm, secrets::Secrets};
use crate::api::{ApiError, ConnectionView, SettingsView, read_connections, read_settings};
use crate::store::{fetched, link};
use crate::ui::parts::{Answered, answered};
use crate::ui::shell::Head;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// What the sections of the page share: the settings as they are stored.
#[derive(Clone, Copy)]
pub struct Stored {
    /// As they were last read.
    pub view: RwSignal<SettingsView>,
    /// Label of the backend that they are of.
    pub backend: StoredValue<String>,
    read: Action<(), Result<SettingsView, ApiError>>,
}

impl Stored {
    fn new(view: SettingsView, backend: String) -> Self {
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

    /// Reads them again; the forms keep what is typed in them.
    pub fn read_again(self) {
        self.read.dispatch(());
    }
}

/// `/settings`; `?backend=` says of which backend.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let query = use_query_map();
    let asked = Memo::new(move |_| query.with(|query| query.get("backend")).unwrap_or_default());
    let connections = fetched(|| (), |()| read_connections());
    let settings = fetched(move || asked.get(), read_settings);
    view! {
        <Head title="Settings"/>
        <div class="page">
            <h1 class="page__title">"Settings"</h1>
            <section class="card stack">
                <h2 class="card__title">"Backends"</h2>
                <p class="card__hint">"Which OpenHands run the agents, or the rehearsal."</p>
                <Transition>
                    {answered(connections, move |all| all.ok().map(|all| choice(&all, asked)).into_any())}
                </Transition>
                <p class="cluster">
                    <a class="button" href=link("settings/connection")>
                        "Backends…"
                    </a>
                </p>
            </section>
            <Answered answers=settings waiting="Asking the backend…" draw=move |view| {
                let mcp_test = view.capabilities.mcp_test;
                let stored = Stored::new(view, asked.get_untracked());
                view! {
                    <ModelForm stored/>
                    <McpServers stored mcp_test/>
                    <Secrets stored/>
                }
                    .into_any()
            }/>
        </div>
    }
    .into_any()
}

/// Whose settings these are, where there are several.
fn choice(all: &[ConnectionView], asked: Memo<String>) -> Option<impl IntoView + use<>> {
    let one = |(number, view): (usize, &ConnectionView)| {
        let label = view.label.clone();
        let address = link(&format!("settings?backend={}", escaped(&label)));
        let current = {
            let label = label.clone();
            move || {
                let chosen =
                    asked.with(|asked| *asked == label || (asked.is_empty() && number == 0));
                chosen.then_some("page")
            }
        };
        view! {
            <a class="button button--small" href=address aria-current=current>
                {label}
            </a>
        }
    };
    (all.len() > 1).then(|| {
        let links = all.iter().enumerate().map(one).collect_view();
        view! { <nav class="cluster" aria-label="Settings of">{links}</nav> }
    })
}

/// A label as a part of an address.
fn escaped(label: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric();
    let piece = |byte: u8| {
        if plain(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    label.bytes().map(piece).collect()
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
