//! Messages on their way: as the server knows them, until they stand on the timeline.

use crate::{
    api::{OutboxState, OutboxView, SettleMessage},
    store::use_conversation,
    ui::{
        parts::{ErrorNote, Time},
        shell::ServerForm,
        timeline::who_of,
    },
};
use leptos::prelude::*;

/// The messages on their way, behind the newest row.
#[component]
pub fn Outbox() -> impl IntoView {
    let store = use_conversation();
    let outbox = store.of_session(|session| session.outbox.clone());
    view! {
        {move || {
            outbox.get().into_iter().map(|message| view! { <OnItsWay message /> }).collect_view()
        }}
    }
    .into_any()
}

#[component]
fn OnItsWay(message: OutboxView) -> impl IntoView {
    let OutboxView {
        client_id,
        text,
        images,
        state,
        why,
        at,
        by,
    } = message;
    let pictures = match images {
        0 => None,
        1 => Some("with 1 picture".to_owned()),
        count => Some(format!("with {count} pictures")),
    };
    let (word, says) = match state {
        OutboxState::Sending => ("sending", "Sending…".to_owned()),
        OutboxState::Sent => ("sent", "Sent".to_owned()),
        OutboxState::Failed => ("failed", format!("Not sent. {why}")),
        OutboxState::Indeterminate => (
            "indeterminate",
            format!(
                "It may or may not have arrived. {why} Look at what the agent does before you send it again."
            ),
        ),
    };
    let unsettled = matches!(state, OutboxState::Failed | OutboxState::Indeterminate);
    view! {
        <article class="row row--human" data-delivery=word>
            <header class="row__head">
                <span class="row__who">{who_of(Some(&by))}</span>
                <Time at class="row__time number" />
            </header>
            <div class="row__text">
                <p class="row__plain">{text}</p>
                {pictures.map(|pictures| view! { <p class="muted">{pictures}</p> })}
            </div>
            <div class="row__delivery" role="status">
                <span>{says}</span>
                {unsettled.then(|| view! { <Settle client_id /> })}
            </div>
        </article>
    }
    .into_any()
}

/// Tries again, or gives up.
#[component]
fn Settle(client_id: String) -> impl IntoView {
    let settle = ServerAction::<SettleMessage>::new();
    let error = move || settle.value().get().and_then(Result::err);
    let busy = move || settle.pending().get().then_some("true");
    view! {
        <ServerForm action=settle class="cluster">
            <input type="hidden" name="id" value=use_conversation().id() />
            <input type="hidden" name="client_id" value=client_id />
            <button class="button button--small" name="again" value="true" aria-busy=busy>
                "Send again"
            </button>
            <button class="button button--small button--quiet" name="again" value="false" aria-busy=busy>
                "Discard"
            </button>
        </ServerForm>
        {move || error().map(|error| view! { <ErrorNote error /> })}
    }
    .into_any()
}
