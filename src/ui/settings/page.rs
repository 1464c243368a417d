//! The settings of a backend.

use super::{mcp::McpServers, model::ModelForm, secrets::Secrets, stored::Stored, text};
use crate::api::{
    ApiError, ConnectionView, SettingsView, query_of, read_connections, read_settings,
};
use crate::store::{fetched, link, use_query};
use crate::ui::parts::{self, ErrorNote, Loading, answered};
use crate::ui::shell::Page;
use leptos::prelude::*;

/// `/settings`; `?backend=` selects the backend.
#[component]
pub fn SettingsPage() -> impl IntoView {
    let query = use_query();
    let asked = Memo::new(move |_| query.with(|query| query.get("backend")).unwrap_or_default());
    let connections = fetched(|| (), |()| read_connections());
    let settings = fetched(move || asked.get(), read_settings);
    any_view! {
        <Page title=parts::text::settings()>
            <div class="settings">
                <nav class="settings__nav" aria-label=text::sections()>
                    {section_link("backends", parts::text::backends())}
                    <Transition>
                        {answered(settings, |view| view.ok().map(|view| section_links(&view)).into_any())}
                    </Transition>
                </nav>
                <div class="settings__body">
                    <section class="card stack" id="section-backends">
                        <h2 class="card__title">{parts::text::backends()}</h2>
                        <p class="card__hint">{text::backends_hint()}</p>
                        <Transition>
                            {answered(connections, move |all| all.ok().map(|all| choice(&all, asked)).into_any())}
                        </Transition>
                        <p class="cluster">
                            <a class="button" href=link("settings/connection")>
                                {text::manage_backends()}
                            </a>
                            <a class="button" href=link("settings/approvers")>
                                {text::approvers()}
                            </a>
                            <a class="button" href=link("settings/budgets")>
                                {text::budgets()}
                            </a>
                            <a class="button" href=link("settings/retention")>
                                {text::retention()}
                            </a>
                            <a class="button" href=link("settings/nodes")>
                                {text::nodes()}
                            </a>
                        </p>
                    </section>
                    <Transition fallback=move || {
                        view! { <Loading text=text::loading()/> }
                    }>
                        {answered(settings, move |view| match view {
                            Ok(view) => sections(view, asked.get_untracked()),
                            Err(error) => any_view! { <Unread error backend=asked.get_untracked()/> },
                        })}
                    </Transition>
                </div>
            </div>
        </Page>
    }
}

/// The settings of a backend, by section.
fn sections(view: SettingsView, backend: String) -> AnyView {
    let mcp_test = view.capabilities.mcp_test;
    let stored = Stored::new(view, backend);
    any_view! {
        <ModelForm stored/>
        <McpServers stored mcp_test/>
        <Secrets stored/>
    }
}

/// Links to the sections that the settings of this backend have.
fn section_links(view: &SettingsView) -> impl IntoView + use<> {
    let commits = view
        .capabilities
        .commit_settings
        .then(|| section_link("commits", text::commits_and_search()));
    view! {
        {section_link("model", text::model())}
        {section_link("approvals", text::approvals())}
        {section_link("limits", text::limits())}
        {commits}
        {section_link("mcp", text::mcp_servers())}
        {section_link("secrets", text::secrets())}
    }
}

/// A link to a section of this page.
fn section_link(section: &str, label: &'static str) -> AnyView {
    any_view! {
        <a class="button button--quiet" href=format!("#section-{section}") rel="external">
            {label}
        </a>
    }
}

/// The settings cannot be read from the backend: why, and what to do about it.
#[component]
fn Unread(error: ApiError, backend: String) -> impl IntoView {
    let again = address(&backend);
    any_view! {
        <section class="card stack">
            <ErrorNote error/>
            <p class="muted">{text::unread_hint()}</p>
            <div class="cluster cluster--end">
                <a class="button" href=link("settings/connection")>
                    {text::check_backend()}
                </a>
                <a class="button button--primary" href=again rel="external">
                    {text::retry()}
                </a>
            </div>
        </section>
    }
}

/// The selection of a backend, if there are several.
fn choice(all: &[ConnectionView], asked: Memo<String>) -> Option<impl IntoView + use<>> {
    let one = |(number, view): (usize, &ConnectionView)| {
        let label = view.label.clone();
        let address = address(&label);
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
        view! { <nav class="cluster" aria-label=text::choose_backend()>{links}</nav> }
    })
}

/// The URL of the settings of a backend.
fn address(backend: &str) -> String {
    link(&format!("settings{}", query_of([("backend", backend)])))
}
