//! One pending approval.

use super::text;
use crate::api::{AnswerConfirmation, InboxItem};
use crate::live::Decision;
use crate::store::{Call, link, me};
use crate::ui::approval::{Answering, Question};
use crate::ui::parts::{ErrorNote, Time, title_or_default, varying};
use leptos::prelude::*;
use std::collections::HashMap;

/// The answers given on this page, by token, with the addresses of their conversations.
#[derive(Clone, Copy)]
pub(super) struct Answered(pub(super) StoredValue<HashMap<String, (Decision, String)>>);

impl Answered {
    /// Notes an answer that is being sent.
    pub(super) fn note(self, token: String, decision: &str, address: &str) {
        let decision = match decision {
            "approve" => Decision::Approve,
            _ => Decision::Reject,
        };
        let answer = (decision, address.to_owned());
        self.0.update_value(|all| drop(all.insert(token, answer)));
    }
}

/// One pending approval with its answer buttons.
#[component]
pub(super) fn Item(
    item: InboxItem,
    answered: Answered,
    /// All items, as they were read last.
    shown: RwSignal<Vec<InboxItem>>,
) -> impl IntoView {
    let (anchor, since) = (anchor(&item), item.since());
    let asked = item.approval.token.clone();
    let escalation = Signal::derive(move || {
        shown.with(|all| {
            let own = all.iter().find(|one| one.approval.token == asked)?;
            own.approval.escalation.clone()
        })
    });
    let passed = move || {
        let escalation = escalation.get();
        escalation.is_some_and(|one| one.is_passed_to(&me().name))
    };
    let InboxItem {
        conversation,
        approval,
        creator,
        answerable,
        role,
    } = item;
    let answer = Call::of::<AnswerConfirmation>();
    let (taken, token) = (approval.answering, approval.token.clone());
    let busy = Signal::derive(move || {
        taken || answer.pending().get() || matches!(answer.value().get(), Some(Ok(())))
    });
    let error = move || answer.value().get().and_then(Result::err);
    let place = conversation
        .place()
        .filter(|place| !place.is_empty())
        .map(|_| conversation.whereabouts());
    let title = title_or_default(&conversation.title);
    let began = (!creator.is_empty()).then(|| format!("{} · ", text::started_by(creator)));
    let address = link(&format!("c/{}", conversation.id));
    let opens = address.clone();
    Effect::new(move |_| {
        if let Some(decision) = answer.button() {
            answered.note(token.clone(), &decision, &opens);
        }
    });
    any_view! {
        <li class="card inbox__item" id=anchor tabindex="-1">
            <p class="cluster">
                <a class="inbox__title" href=address>
                    {title}
                </a>
                {varying(move || passed().then(|| view! { <span class="badge" data-status="waiting">{text::passed_to_you()}</span> }))}
                <span class="muted">{began} <Time at=since relative=true/></span>
            </p>
            <Question
                conversation=conversation.id
                approval
                answerable=Signal::stored(answerable)
                role=Signal::stored(Some(role))
                answering=Answering::alone(answer, busy)
                escalation
                place
            />
            {varying(move || error().map(|error| view! { <ErrorNote error/> }))}
        </li>
    }
}

/// The id of an item on the page.
pub(super) fn anchor(item: &InboxItem) -> String {
    format!("item-{}", item.conversation.id)
}
