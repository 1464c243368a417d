//! One row of the log outside of the timeline, and the way back to it.

use super::address::row_address;
use crate::render::{CardView, RowView, StepState, StepView};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// A step with the row that it is in.
#[derive(Clone)]
pub struct Shown {
    /// The row.
    pub row: RowView,
    /// What it shows.
    pub step: StepView,
}

impl Shown {
    /// `None` if the row is not a step.
    pub fn of(row: RowView) -> Option<Self> {
        match &row.card {
            CardView::Step(step) => Some(Self {
                step: step.clone(),
                row,
            }),
            _ => None,
        }
    }

    /// What came of it, in a few words; empty when there is nothing to say.
    pub fn outcome(&self) -> String {
        if !self.step.outcome.is_empty() {
            return self.step.outcome.clone();
        }
        match self.step.state {
            StepState::Running | StepState::Approved => "running",
            StepState::Waiting => "waits for an answer",
            StepState::Done => "",
            StepState::Failed => "failed",
            StepState::Rejected => "rejected",
            StepState::NotExecuted => "not carried out",
        }
        .to_owned()
    }
}

/// A link to the row on the timeline. Where the timeline stands beside the view, it is only scrolled.
#[component]
pub fn RowLink(shown: Shown, class: &'static str) -> impl IntoView {
    let id = format!("row-{}", shown.row.id);
    let scroll = move |event: leptos::ev::MouseEvent| {
        let card = document()
            .get_element_by_id(&id)
            .and_then(|card| card.dyn_into::<HtmlElement>().ok());
        // A card that is not displayed has no height.
        if let Some(card) = card.filter(|card| card.offset_height() > 0) {
            event.prevent_default();
            // Sets the target, which the style sheet marks, without a change of the page.
            let _ = window().location().set_hash(&id);
            card.scroll_into_view();
        }
    };
    view! {
        <a class=class href=row_address(&shown.row) on:click=scroll>
            {shown.step.subject}
        </a>
    }
}
