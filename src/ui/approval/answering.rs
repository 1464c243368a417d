//! What the parts of a card share.

use crate::{store::Call, ui::parts::Arming};
use leptos::prelude::*;

/// How an approval is answered.
#[derive(Clone, Copy)]
pub struct Answering {
    /// The server call.
    pub answer: Call,
    /// Whether an answer is in flight.
    pub busy: Signal<bool>,
    /// The reason that was typed in the card.
    pub reason: RwSignal<String>,
    /// Whether the message field of the page has the reason.
    pub composed: Signal<bool>,
    /// Whether there is a reason, in whichever field.
    pub reasoned: Signal<bool>,
    /// Whether the field for the reason is open.
    pub rejecting: RwSignal<bool>,
    /// Guards the buttons.
    pub arming: Arming,
}

impl Answering {
    /// By a card on a page without a message field.
    pub fn alone(answer: Call, busy: Signal<bool>) -> Self {
        let reason = RwSignal::new(String::new());
        Self {
            answer,
            busy,
            reason,
            composed: Signal::stored(false),
            reasoned: Signal::derive(move || reason.with(|text| !text.trim().is_empty())),
            rejecting: RwSignal::new(false),
            arming: Arming::new(true),
        }
    }
}
