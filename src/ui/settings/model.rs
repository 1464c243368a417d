//! Model, agent, asking, limits: one form, saved as a whole.

use super::key::KeyField;
use super::page::{Stored, on_success};
use crate::api::SaveSettings;
use crate::backend::{Options, Settings};
use crate::ui::parts::{Field, Outcome, Toggle};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// Everything that is one value each.
#[component]
pub fn ModelForm(stored: Stored) -> impl IntoView {
    let save = ServerAction::<SaveSettings>::new();
    let pending = save.pending();
    let saved = on_success(save, move || stored.read_again());
    let view = stored.view.get_untracked();
    view! {
        <ServerForm action=save class="stack">
            <input type="hidden" name="backend" value=stored.backend.get_value()/>
            <Model settings=view.settings.clone() options=view.options.clone() stored saved/>
            <Asking settings=view.settings.clone() analyzers=view.options.analyzers/>
            <Limits settings=view.settings.clone() budget=view.capabilities.budget/>
            {view.capabilities.commit_settings.then(|| view! { <Others settings=view.settings stored saved/> })}
            <Outcome action=save/>
            <div class="cluster cluster--end">
                <button
                    class="button button--primary"
                    type="submit"
                    aria-busy=move || pending.get().then_some("true")
                >
                    "Save settings"
                </button>
            </div>
            <p class="muted">"They count for conversations that begin or wake from now on."</p>
        </ServerForm>
    }
    .into_any()
}

#[component]
fn Model(
    settings: Settings,
    options: Options,
    stored: Stored,
    saved: Signal<u32>,
) -> impl IntoView {
    let key_set = Signal::derive(move || stored.view.with(|view| view.settings.api_key_set));
    view! {
        <section class="card stack">
            <h2 class="card__title">"Model"</h2>
            <Field id="model" label="Model" hint="As the provider names it, for example anthropic/claude-sonnet-4-5.">
                <input
                    class="input mono"
                    id="model"
                    name="settings[model]"
                    list="models"
                    value=settings.model
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    aria-describedby="model-hint"
                />
            </Field>
            <datalist id="models">
                {options.models.into_iter().map(|model| view! { <option value=model></option> }).collect_view()}
            </datalist>
            <KeyField id="api-key" name="settings[api_key]" label="API key" stored=key_set saved/>
            <Field id="base-url" label="Base URL" hint="Empty for the provider's own.">
                <input
                    class="input mono"
                    type="url"
                    id="base-url"
                    name="settings[base_url]"
                    value=settings.base_url
                    aria-describedby="base-url-hint"
                />
            </Field>
            <Field id="agent" label="Agent">
                <Choice id="agent" name="settings[agent]" chosen=settings.agent among=options.agents/>
            </Field>
        </section>
    }
}

#[component]
fn Asking(settings: Settings, analyzers: Vec<String>) -> impl IntoView {
    view! {
        <section class="card stack">
            <h2 class="card__title">"Asking before acting"</h2>
            <Toggle
                name="settings[confirmation]"
                label="Ask before actions are carried out"
                checked=settings.confirmation
            />
            <Field
                id="analyzer"
                label="Who judges the risk"
                hint="With one, only what it finds dangerous waits; without, every action does."
            >
                <Choice
                    id="analyzer"
                    name="settings[analyzer]"
                    chosen=settings.analyzer
                    among=analyzers
                    nothing="Nobody: every action waits"
                />
            </Field>
        </section>
    }
}

#[component]
fn Limits(settings: Settings, budget: bool) -> impl IntoView {
    let text = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let budget = budget.then(|| view! { <Budget budget=settings.max_budget/> });
    view! {
        <section class="card stack">
            <h2 class="card__title">"Limits"</h2>
            <div class="field-row">
                <Field id="max-iterations" label="Steps at most" hint="Empty for the backend's own limit.">
                    <input
                        class="input number"
                        type="number"
                        inputmode="numeric"
                        min="1"
                        id="max-iterations"
                        name="settings[max_iterations]"
                        value=text(settings.max_iterations)
                        aria-describedby="max-iterations-hint"
                    />
                </Field>
                {budget}
            </div>
            <Toggle
                name="settings[condenser]"
                label="Condense older events into a summary"
                checked=settings.condenser
            />
            <Field id="condenser-size" label="Condense from so many events on" hint="At least 20; empty for the backend's own number.">
                <input
                    class="input number"
                    type="number"
                    inputmode="numeric"
                    min="20"
                    id="condenser-size"
                    name="settings[condenser_max_size]"
                    value=text(settings.condenser_max_size)
                    aria-describedby="condenser-size-hint"
                />
            </Field>
        </section>
    }
}

#[component]
fn Budget(budget: Option<f64>) -> impl IntoView {
    view! {
        <Field id="max-budget" label="US dollars at most" hint="For one conversation; empty for no limit.">
            <input
                class="input number"
                type="number"
                inputmode="decimal"
                min="0"
                step="any"
                id="max-budget"
                name="settings[max_budget]"
                value=budget.map(|budget| budget.to_string()).unwrap_or_default()
                aria-describedby="max-budget-hint"
            />
        </Field>
    }
}

#[component]
fn Others(settings: Settings, stored: Stored, saved: Signal<u32>) -> impl IntoView {
    let key_set = Signal::derive(move || stored.view.with(|view| view.settings.search_api_key_set));
    view! {
        <section class="card stack">
            <h2 class="card__title">"Commits and search"</h2>
            <div class="field-row">
                <Field id="git-name" label="Name in commits">
                    <input
                        class="input"
                        id="git-name"
                        name="settings[git_user_name]"
                        value=settings.git_user_name
                        autocomplete="off"
                    />
                </Field>
                <Field id="git-email" label="Mail address in commits">
                    <input
                        class="input"
                        type="email"
                        id="git-email"
                        name="settings[git_user_email]"
                        value=settings.git_user_email
                        autocomplete="off"
                    />
                </Field>
            </div>
            <KeyField
                id="search-key"
                name="settings[search_api_key]"
                label="Key of the search provider"
                stored=key_set
                saved
            />
        </section>
    }
}

/// One of several; what is chosen now is there even if nobody offers it.
#[component]
fn Choice(
    id: &'static str,
    name: &'static str,
    chosen: String,
    among: Vec<String>,
    /// What the empty choice is called; without it there is none.
    #[prop(optional)]
    nothing: &'static str,
) -> impl IntoView {
    let mut among = among;
    if !chosen.is_empty() && !among.contains(&chosen) {
        among.insert(0, chosen.clone());
    }
    let none = (!nothing.is_empty() || chosen.is_empty()).then(|| {
        let words = if nothing.is_empty() {
            "As the backend decides"
        } else {
            nothing
        };
        view! {
            <option value="" selected=chosen.is_empty()>
                {words}
            </option>
        }
    });
    view! {
        <select class="select" id=id name=name>
            {none}
            {among
                .into_iter()
                .map(|one| {
                    let selected = one == chosen;
                    view! {
                        <option selected=selected>
                            {one}
                        </option>
                    }
                })
                .collect_view()}
        </select>
    }
}
