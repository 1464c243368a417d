//! One row of the log outside the timeline, with a link back to it.

use crate::render::{CardView, RowView, StepView};
use crate::store::use_query;
use crate::ui::timeline::{behind, outcome, refused, row_address};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

/// A step with its row.
#[derive(Clone)]
pub struct Shown {
    /// The row.
    pub row: RowView,
    /// The step that the row shows.
    pub step: StepView,
}

impl Shown {
    /// Returns `None` if the row is not a step.
    pub fn of(row: RowView) -> Option<Self> {
        match &row.card {
            CardView::Step(step) => Some(Self {
                step: step.clone(),
                row,
            }),
            _ => None,
        }
    }

    /// The outcome in a few words; empty if there is nothing to say.
    pub fn outcome(&self) -> String {
        match refused(self.step.state) {
            Some(word) if self.step.outcome.is_empty() => word.to_owned(),
            _ => outcome(self.step.state, self.step.outcome.clone()),
        }
    }
}

/// A link to the row on the timeline.
#[component]
pub fn RowLink(shown: Shown, class: &'static str) -> impl IntoView {
    let (pos, id) = (shown.row.pos, shown.row.id);
    view! {
        <a class=class href=row_address(pos, id) on:click=scrolls_to(pos, id)>
            {shown.step.subject}
        </a>
    }
}

/// What a click on a link to a row does: if the timeline is visible beside the panel, it only scrolls it.
pub fn scrolls_to(pos: i64, row: i64) -> impl Fn(leptos::ev::MouseEvent) {
    let id = format!("row-{row}");
    let (place, query) = (behind(pos, row), use_query());
    move |event| {
        let card = document()
            .get_element_by_id(&id)
            .and_then(|card| card.dyn_into::<HtmlElement>().ok());
        if let Some(card) = card.filter(is_visible) {
            event.prevent_default();
            // Sets the CSS `:target` without a navigation.
            let _ = window().location().set_hash(&id);
            card.scroll_into_view();
            // The address leads there again, even if the row is older than those that a page begins with.
            let mut query = query.get_untracked();
            query.replace("before", place.clone());
            if let Ok(history) = window().history() {
                let state = history.state().unwrap_or_default();
                let address = format!("{}#{id}", query.to_query_string());
                let _ = history.replace_state_with_url(&state, "", Some(&address));
            }
        }
    }
}

/// Whether an element is drawn: on a phone the timeline is hidden behind the panel.
fn is_visible(element: &HtmlElement) -> bool {
    let style = window().get_computed_style(element).ok().flatten();
    let visibility = style.and_then(|style| style.get_property_value("visibility").ok());
    visibility.as_deref() == Some("visible")
}
