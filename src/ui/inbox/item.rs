//! One thing that waits.

use crate::api::{AnswerConfirmation, InboxItem};
use crate::store::link;
use crate::ui::approval::Question;
use crate::ui::parts::{ErrorNote, Time};
use leptos::prelude::*;

/// One thing that waits, with its answers.
#[component]
pub(super) fn Item(item: InboxItem) -> impl IntoView {
    let InboxItem {
        conversation,
        approval,
        starter,
        answerable,
    } = item;
    let answer = ServerAction::<AnswerConfirmation>::new();
    let taken = approval.answering;
    let busy = Signal::derive(move || {
        taken || answer.pending().get() || matches!(answer.value().get(), Some(Ok(())))
    });
    let error = move || answer.value().get().and_then(Result::err);
    let folder = conversation.place().map(str::to_owned);
    let title = if conversation.title.is_empty() {
        "Untitled conversation".to_owned()
    } else {
        conversation.title
    };
    let began = (!starter.is_empty()).then(|| format!("begun by {starter}"));
    let place = began
        .into_iter()
        .chain(folder)
        .chain(Some(conversation.backend));
    let place = place
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ");
    let address = link(&format!("c/{}", conversation.id));
    view! {
        <li class="card inbox__item">
            <p class="cluster">
                <a class="inbox__title" href=address>
                    {title}
                </a>
                <span class="muted">{place} " " <Time at=conversation.updated_at relative=true/></span>
            </p>
            <Question
                conversation=conversation.id
                approval
                answerable=Signal::stored(answerable)
                answer
                busy
                reason=RwSignal::new(String::new())
            />
            {move || error().map(|error| view! { <ErrorNote error/> })}
        </li>
    }
    .into_any()
}
