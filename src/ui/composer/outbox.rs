//! The outbox: messages that are not on the timeline yet, in the state that the server reports. `worker/page.js` adds
//! those that wait on this device for the network.

use super::text;
use crate::{
    api::{OutboxState, OutboxView, ResolveFailedMessage},
    store::{Call, use_conversation},
    ui::{
        parts::{ErrorNote, Time, varying},
        shell::ServerForm,
        timeline::{class_of, who_of},
    },
};
use leptos::prelude::*;

/// The outbox, below the newest row.
#[component]
pub fn Outbox() -> impl IntoView {
    let store = use_conversation();
    let outbox = store.derived(|session| session.outbox.clone());
    any_view! {
        {varying(move || {
            outbox.get().into_iter().map(|message| view! { <OnItsWay message /> }).collect_view()
        })}
        <div class="stack" id="waiting-here" data-conversation=store.id()></div>
    }
}

#[component]
fn OnItsWay(message: OutboxView) -> impl IntoView {
    let OutboxView {
        client_id,
        text: message,
        images,
        state,
        why,
        at,
        by,
    } = message;
    let images = (images > 0).then(|| text::images(images as usize));
    let (word, says) = match state {
        OutboxState::Sending if why.is_empty() => ("sending", text::sending().to_owned()),
        // It says what it waits for.
        OutboxState::Sending => ("sending", why),
        OutboxState::Sent => ("sent", text::sent().to_owned()),
        OutboxState::Failed => ("failed", text::not_sent(why)),
        OutboxState::Indeterminate => ("indeterminate", text::indeterminate(why)),
    };
    let unsettled = matches!(state, OutboxState::Failed | OutboxState::Indeterminate);
    any_view! {
        <article class=class_of(Some(&by)) data-delivery=word>
            <header class="row__head">
                <span class="row__who">{who_of(Some(&by))}</span>
                <Time at class="row__time number" />
            </header>
            <div class="row__text">
                <p class="row__plain">{message}</p>
                {images.map(|images| view! { <p class="muted">{images}</p> })}
            </div>
            <div class="row__delivery" role="status">
                <span>{says}</span>
                {unsettled.then(|| view! { <Settle client_id /> })}
            </div>
        </article>
    }
}

/// The buttons that resend or discard an undelivered message.
#[component]
fn Settle(client_id: String) -> impl IntoView {
    let resolve = Call::of::<ResolveFailedMessage>();
    let error = move || resolve.value().get().and_then(Result::err);
    let busy = move || resolve.pending().get().then_some("true");
    any_view! {
        <ServerForm action=resolve class="cluster">
            <input type="hidden" name="id" value=use_conversation().id() />
            <input type="hidden" name="client_id" value=client_id />
            <button class="button button--small" name="again" value="true" aria-busy=busy>
                {text::send_again()}
            </button>
            <button class="button button--small button--quiet" name="again" value="false" aria-busy=busy>
                {text::discard()}
            </button>
        </ServerForm>
        {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
    }
}
