//! Where the backend is.

use super::key::KeyField;
use super::page::on_success;
use super::report::TestBar;
use crate::api::{ApiError, ConnectionView, SaveConnection, read_connection};
use crate::store::fetched;
use crate::store::link;
use crate::ui::parts::{ErrorNote, Field, Loading, Outcome, Toggle};
use crate::ui::shell::{Head, ServerForm};
use leptos::prelude::*;

/// The port that OpenHands listens on when nobody has told it otherwise.
const USUAL_PORT: u16 = 3000;

/// `/settings/connection`.
#[component]
pub fn ConnectionPage() -> impl IntoView {
    let save = ServerAction::<SaveConnection>::new();
    let rehearse = ServerAction::<SaveConnection>::new();
    let connection = fetched(|| (), |()| read_connection());
    let saved = on_success(save, move || connection.refetch());
    on_success(rehearse, move || connection.refetch());
    view! {
        <Head title="Connection"/>
        <div class="page page--narrow">
            <p>
                <a class="button button--quiet button--small" href=link("settings")>
                    "‹ Settings"
                </a>
            </p>
            <h1 class="page__title">"Connection"</h1>
            <Transition fallback=|| view! { <Loading text="Reading the connection…"/> }>
                {move || Suspend::new(async move { shown(connection.await, save, rehearse, saved) })}
            </Transition>
        </div>
    }
    .into_any()
}

fn shown(
    connection: Result<ConnectionView, ApiError>,
    save: ServerAction<SaveConnection>,
    rehearse: ServerAction<SaveConnection>,
    saved: Signal<u32>,
) -> AnyView {
    let view = match connection {
        Ok(view) => view,
        Err(error) => return view! { <ErrorNote error/> }.into_any(),
    };
    let now = if view.rehearsal {
        "Now: the rehearsal. Scripted agents, nothing is executed.".to_owned()
    } else {
        let scheme = if view.tls { "https" } else { "http" };
        format!(
            "Now: OpenHands at {scheme}://{}:{}{}",
            view.host, view.port, view.path
        )
    };
    view! {
        <p role="status">{now}</p>
        {view
            .fixed
            .then(|| {
                view! {
                    <div class="banner banner--info">
                        <span class="banner__text">
                            "It was given when Handrail was started, so it cannot be changed here."
                        </span>
                    </div>
                }
            })}
        <Address view=view.clone() save saved/>
        <Rehearsal view save=rehearse/>
    }
    .into_any()
}

#[component]
fn Address(
    view: ConnectionView,
    save: ServerAction<SaveConnection>,
    saved: Signal<u32>,
) -> impl IntoView {
    let port = if view.port == 0 {
        USUAL_PORT
    } else {
        view.port
    };
    let pending = save.pending();
    let key_set = view.key_set;
    view! {
        <section class="card">
            <h2 class="card__title">"OpenHands"</h2>
            <ServerForm action=save>
                <fieldset class="fieldset stack" disabled=view.fixed>
                    <legend class="visually-hidden">"Address and key"</legend>
                    <div class="field-row">
                        <Field id="host" label="Host">
                            <input
                                class="input mono"
                                id="host"
                                name="host"
                                required
                                value=view.host
                                placeholder="127.0.0.1"
                                autocomplete="off"
                                autocapitalize="off"
                                spellcheck="false"
                            />
                        </Field>
                        <Field id="port" label="Port">
                            <input
                                class="input number"
                                type="number"
                                inputmode="numeric"
                                min="1"
                                max="65535"
                                id="port"
                                name="port"
                                required
                                value=port.to_string()
                            />
                        </Field>
                    </div>
                    <Field id="path" label="Path" hint="If it lives below one, for example /openhands.">
                        <input
                            class="input mono"
                            id="path"
                            name="path"
                            value=view.path
                            autocomplete="off"
                            autocapitalize="off"
                            spellcheck="false"
                            aria-describedby="path-hint"
                        />
                    </Field>
                    <Toggle name="tls" label="Encrypted (TLS)" checked=view.tls/>
                    <KeyField
                        id="session-key"
                        name="key"
                        label="Session API key"
                        stored=Signal::stored(key_set)
                        saved
                    />
                    <Outcome action=save done="Saved. It is used from now on."/>
                    <TestBar>
                        <button
                            class="button button--primary"
                            type="submit"
                            aria-busy=move || pending.get().then_some("true")
                        >
                            "Save and use"
                        </button>
                    </TestBar>
                </fieldset>
            </ServerForm>
        </section>
    }
}

#[component]
fn Rehearsal(view: ConnectionView, save: ServerAction<SaveConnection>) -> impl IntoView {
    view! {
        <section class="card">
            <h2 class="card__title">"Rehearsal"</h2>
            <p class="card__hint">
                "Scripted agents inside of Handrail: everything can be tried, nothing is executed, nothing costs money."
            </p>
            <ServerForm action=save>
                <input type="hidden" name="rehearsal" value="true"/>
                <div class="cluster">
                    <button class="button" type="submit" disabled=view.fixed || view.rehearsal>
                        "Use the rehearsal"
                    </button>
                    <Outcome action=save done="The rehearsal is used from now on."/>
                </div>
            </ServerForm>
        </section>
    }
}
