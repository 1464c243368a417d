//! The backend connections: one address field per backend, whose version is detected automatically.

use super::key::KeyField;
use super::report::TestBar;
use super::text;
use crate::api::{
    ConnectionView, FollowEverything, RemoveConnection, SaveConnection, read_connections,
};
use crate::backend::Protocol;
use crate::conversation::Tone;
use crate::store::{Call, fetched, link};
use crate::ui::parts::{self, Answered, Banner, Outcome, Submit, TextField};
use crate::ui::shell::{CallButton, Page, ServerForm};
use leptos::prelude::*;

/// `/settings/connection`.
#[component]
pub fn ConnectionPage() -> impl IntoView {
    let save = Call::of::<SaveConnection>();
    let remove = Call::of::<RemoveConnection>();
    let follow = Call::of::<FollowEverything>();
    let connections = fetched(|| (), |()| read_connections());
    let saved = save.on_success(move || connections.refetch());
    remove.on_success(move || connections.refetch());
    follow.on_success(move || connections.refetch());
    any_view! {
        <Page title=parts::text::backends() back=(Signal::stored(link("settings")), parts::text::settings())>
            <Outcome action=save done=text::backend_saved()/>
            <Outcome action=remove done=text::backend_removed()/>
            <Outcome action=follow/>
            <Answered answers=connections waiting=text::loading_backends() draw=move |views| {
                shown(views, (save, remove, follow), saved)
            }/>
        </Page>
    }
}

fn shown(
    views: Vec<ConnectionView>,
    (save, remove, follow): (Call, Call, Call),
    saved: Signal<u32>,
) -> AnyView {
    let fixed = views.iter().any(|view| view.fixed);
    let rehearses = views.iter().any(|view| view.rehearsal);
    let each = views
        .into_iter()
        .enumerate()
        .map(|(number, view)| view! { <Backend view number save remove follow saved/> })
        .collect_view();
    any_view! {
        {fixed.then(|| view! { <Banner tone=Tone::Info text=text::backends_fixed()/> })}
        {each}
        {(!fixed).then(|| view! { <Another save saved/> })}
        {(!fixed && !rehearses).then(|| view! { <Rehearsal save/> })}
    }
}

/// One configured backend.
#[component]
fn Backend(
    view: ConnectionView,
    number: usize,
    save: Call,
    remove: Call,
    follow: Call,
    saved: Signal<u32>,
) -> impl IntoView {
    let what = match (view.rehearsal, view.protocol) {
        (true, _) => text::is_rehearsal(),
        (false, Some(Protocol::AgentServer)) => text::is_agent_server(),
        (false, Some(Protocol::AppServer)) => text::is_app_server(),
        (false, Some(Protocol::SocketIo)) => text::is_openhands(),
        (false, None) => text::is_unknown(),
    };
    // It answers any web page, and one request hands out the keys of all sandboxes.
    // One that has a key of its own refuses everything without it.
    let answers = view.trouble.is_none();
    let is_open = view.protocol == Some(Protocol::AppServer) && !view.key_set && answers;
    let (state, class) = match &view.trouble {
        Some(trouble) => (trouble.clone(), "chip chip--warning"),
        None => (text::in_use().to_owned(), "chip chip--good"),
    };
    let (label, fixed) = (view.label.clone(), view.fixed);
    // The server asks a backend that has failed again before it draws this page.
    let again = view.trouble.is_some().then(|| {
        view! {
            <a class="button button--small" href=link("settings/connection") rel="external">
                {text::retry()}
            </a>
        }
    });
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{view.label.clone()}</h2>
            <p class="card__hint">{what}</p>
            {is_open.then(|| view! { <p class="banner banner--warning">{text::app_server_is_open()}</p> })}
            <p class="cluster" role="status">
                <span class=class>{state}</span>
                {again}
            </p>
            {(!view.rehearsal).then(|| view! { <Recording view=view.clone() follow/> })}
            {(!view.rehearsal).then(|| view! { <Address view=view.clone() number save saved/> })}
            {(!fixed)
                .then(|| {
                    let name = parts::text::remove_named(&label);
                    view! { <CallButton action=remove fields=vec![("label", label)] label=text::remove() name/> }
                })}
        </section>
    }
}

/// Whether everything that runs there is recorded.
#[component]
fn Recording(view: ConnectionView, follow: Call) -> impl IntoView {
    let (hint, label) = match view.everything {
        true => (text::records_everything(), text::record_opened()),
        false => (text::records_opened(), text::record_everything()),
    };
    let name = format!("{label}: {}", view.label);
    let everything = (!view.everything).to_string();
    let fields = vec![("label", view.label), ("everything", everything)];
    view! {
        <p class="muted">{hint}</p>
        <CallButton action=follow fields label name/>
    }
}

#[component]
fn Address(view: ConnectionView, number: usize, save: Call, saved: Signal<u32>) -> impl IntoView {
    let key_set = view.key_set;
    // Its fields and the test of them are at hand when it has failed.
    let open = view.trouble.is_some();
    any_view! {
        <details class="knowledge" open=open>
            <summary>{text::address_and_key()}</summary>
            <ServerForm action=save>
                <input type="hidden" name="instead" value=view.label/>
                <fieldset class="fieldset stack" disabled=view.fixed>
                    <legend class="visually-hidden">{text::address_and_key()}</legend>
                    <AddressField id=format!("address-{number}") value=view.address/>
                    <KeyField
                        id=format!("key-{number}")
                        name="key"
                        label=text::session_key()
                        stored=Signal::stored(key_set)
                        saved
                    />
                    <TestBar>
                        <Submit busy=save.pending() label=text::save_and_use()/>
                    </TestBar>
                </fieldset>
            </ServerForm>
        </details>
    }
}

/// A form to add a backend.
#[component]
fn Another(save: Call, saved: Signal<u32>) -> impl IntoView {
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::add_backend()}</h2>
            <p class="card__hint">{text::add_backend_hint()}</p>
            <ServerForm action=save class="stack">
                <AddressField id="address".to_owned() value=String::new()/>
                <KeyField
                    id="session-key".to_owned()
                    name="key"
                    label=text::session_key()
                    stored=Signal::stored(false)
                    saved
                />
                <TestBar>
                    <Submit busy=save.pending() label=text::save_and_use()/>
                </TestBar>
            </ServerForm>
        </section>
    }
}

#[component]
fn AddressField(id: String, value: String) -> impl IntoView {
    view! {
        <TextField
            id name="address" label=text::address() hint=text::address_hint() kind="url" value
            example=text::address_example() mono=true required=true
        />
    }
}

#[component]
fn Rehearsal(save: Call) -> impl IntoView {
    let fields = vec![("rehearsal", "true".to_owned())];
    view! {
        <section class="card">
            <h2 class="card__title">{text::rehearsal()}</h2>
            <p class="card__hint">{text::rehearsal_hint()}</p>
            <CallButton action=save fields label=text::use_rehearsal() class="button"/>
        </section>
    }
}
