//! Model, agent, approval policy, limits: one form, saved as a whole.

use super::key::KeyField;
use super::limits::Limits;
use super::stored::Stored;
use super::text;
use crate::api::{ApiError, ApiErrorKind, SaveSettings};
use crate::backend::{Options, Settings};
use crate::store::Call;
use crate::ui::parts::{self, Choice, ErrorNote, Outcome, Submit, TextField, Toggle, varying};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// All settings that are single values.
#[component]
pub fn ModelForm(stored: Stored) -> impl IntoView {
    let save = Call::of::<SaveSettings>();
    let pending = save.pending();
    let saved = save.on_success(move || stored.read_again());
    let view = stored.view.get_untracked();
    // The settings that the form was filled with, for the server's compare-and-set: the user has not seen later changes
    // by others.
    let seen = RwSignal::new(view.seen);
    let unsaved = RwSignal::new(false);
    let trouble = RwSignal::new(None);
    Effect::new(move |_| {
        if let Some(Ok(saved)) = save.value().get() {
            let kind = match saved.refused {
                true => ApiErrorKind::BackendRefuses,
                false => ApiErrorKind::Conflict,
            };
            let is_so = !saved.trouble.is_empty();
            trouble.set(is_so.then(|| ApiError::new(kind, saved.trouble)));
            seen.set(saved.seen);
            unsaved.set(false);
        }
    });
    // "Saved" is no longer true after the next change.
    let is_past = move || {
        let is_saved = save.value().with(|value| matches!(value, Some(Ok(_))));
        unsaved.get() && is_saved && !pending.get()
    };
    any_view! {
        <ServerForm action=save class="settings__form">
            <input type="hidden" name="backend" value=stored.backend.get_value()/>
            <input type="hidden" name="seen" value=seen/>
            <div class="settings__fields" on:input=move |_| unsaved.set(true)>
                <Model settings=view.settings.clone() options=view.options.clone() stored saved/>
                {match view.settings.acp.is_empty() {
                    true => {
                        any_view! { <Asking settings=view.settings.clone() analyzers=view.options.analyzers/> }
                    }
                    false => any_view! { <AsksNobody/> },
                }}
                <Limits settings=view.settings.clone() budget=view.capabilities.budget/>
                {view.capabilities.commit_settings.then(|| view! { <Others settings=view.settings stored saved/> })}
            </div>
            <div class="save-bar" data-unsaved=move || unsaved.get().then_some("")>
                <div class="grow">
                    <p class="save-bar__state">{varying(move || unsaved.get().then(text::unsaved))}</p>
                    <div hidden=is_past>
                        {varying(move || match trouble.get().filter(|_| !pending.get()) {
                            Some(error) => any_view! { <ErrorNote error/> },
                            None => any_view! { <Outcome action=save/> },
                        })}
                    </div>
                    <p class="muted">{text::applies_to()}</p>
                </div>
                <Submit busy=pending label=text::save_settings()/>
            </div>
        </ServerForm>
    }
}

#[component]
fn Model(
    settings: Settings,
    options: Options,
    stored: Stored,
    saved: Signal<u32>,
) -> impl IntoView {
    let key_set = Signal::derive(move || stored.view.with(|view| view.settings.api_key_set));
    let own = settings.acp.is_empty();
    let hint = match own {
        true => text::model_hint().to_owned(),
        false => text::model_of_acp(&settings.acp),
    };
    any_view! {
        <section class="card stack" id="section-model">
            <h2 class="card__title">{text::model()}</h2>
            <TextField
                id="model" name="settings[model]" label=text::model() hint=hint value=settings.model mono=true
                list="models"
            />
            <datalist id="models">
                {options.models.into_iter().map(|model| view! { <option value=model></option> }).collect_view()}
            </datalist>
            {own
                .then(|| {
                    view! {
                        <KeyField id="api-key" name="settings[api_key]" label=text::api_key() stored=key_set saved/>
                        <TextField
                            id="base-url" name="settings[base_url]" label=text::base_url() hint=text::base_url_hint()
                            kind="url" value=settings.base_url mono=true
                        />
                        <Choice
                            id="agent" name="settings[agent]" label=text::agent() among=named(options.agents)
                            all=if settings.agent.is_empty() { text::backend_default() } else { "" } chosen=settings.agent
                        />
                    }
                })}
        </section>
    }
}

/// Values that are their own labels.
fn named(values: Vec<String>) -> Vec<(String, String)> {
    let values = values.into_iter();
    values.map(|value| (value.clone(), value)).collect()
}

/// In place of the approvals of an agent that has none.
#[component]
fn AsksNobody() -> impl IntoView {
    any_view! {
        <section class="card stack" id="section-approvals">
            <h2 class="card__title">{text::approvals()}</h2>
            <p class="banner banner--warning">{parts::text::asks_nobody()}</p>
        </section>
    }
}

#[component]
fn Asking(settings: Settings, analyzers: Vec<String>) -> impl IntoView {
    view! {
        <section class="card stack" id="section-approvals">
            <h2 class="card__title">{text::approvals()}</h2>
            <Toggle
                name="settings[confirmation]"
                label=text::require_approval()
                checked=settings.confirmation
            />
            <Choice
                id="analyzer" name="settings[analyzer]" label=text::analyzer() hint=text::analyzer_hint()
                all=text::no_analyzer() chosen=settings.analyzer among=named(analyzers)
            />
        </section>
    }
}

#[component]
fn Others(settings: Settings, stored: Stored, saved: Signal<u32>) -> impl IntoView {
    let key_set = Signal::derive(move || stored.view.with(|view| view.settings.search_api_key_set));
    view! {
        <section class="card stack" id="section-commits">
            <h2 class="card__title">{text::commits_and_search()}</h2>
            <div class="field-row">
                <TextField
                    id="git-name" name="settings[git_user_name]" label=text::commit_name()
                    value=settings.git_user_name prose=true
                />
                <TextField
                    id="git-email" name="settings[git_user_email]" label=text::commit_email() kind="email"
                    value=settings.git_user_email
                />
            </div>
            <KeyField
                id="search-key"
                name="settings[search_api_key]"
                label=text::search_key()
                stored=key_set
                saved
            />
        </section>
    }
}
