//! A row: the frame around its card.

use super::{
    card_chips::ChipsCard,
    card_message::{MessageCard, class_of},
    card_notice::NoticeCard,
    card_step::StepCard,
    more::Whole,
};
use crate::ui::parts::varying;
use crate::{
    conversation::Actor,
    render::{CardView, RowView},
    store::{Entry, RowKey},
    ui::parts::ErrorNote,
};
use leptos::prelude::*;

/// A row of the timeline. It is redrawn only when this row changes.
#[component]
pub fn RowCard(
    entry: Entry,
    /// Whether it belongs to a sub-agent.
    #[prop(optional)]
    nested: bool,
) -> impl IntoView {
    let Entry { key, view } = entry;
    let trouble = Whole::provide(view.clone()).trouble;
    // Keeps the reader's choice to expand or collapse it when the row changes.
    let opened = RwSignal::new(None::<bool>);
    let class = class(&view.read_untracked(), nested);
    any_view! {
        <article class=class id=format!("row-{}", key.id)>
            {varying(move || card(view.get(), opened))}
            {varying(move || trouble.get().map(|error| view! { <ErrorNote error /> }))}
        </article>
    }
}

fn class(row: &RowView, nested: bool) -> String {
    let mut class = match (row.from, &row.card) {
        // The record of a pressed button is not a message of the user.
        (Actor::Environment, _) | (Actor::Human, CardView::Notice(_)) => "row row--environment",
        (Actor::Human, _) => class_of(row.by.as_deref()),
        (Actor::Agent, _) => "row row--agent",
        (Actor::Hook, _) => "row row--hook",
    }
    .to_owned();
    if matches!(row.card, CardView::Step(_)) {
        class += " row--step";
    }
    if nested {
        class += " nested";
    }
    class
}

fn card(row: RowView, opened: RwSignal<Option<bool>>) -> AnyView {
    let RowView {
        id,
        pos,
        at,
        from,
        by,
        card,
        ..
    } = row;
    let key = RowKey { pos, id };
    match card {
        CardView::Message(message) => any_view! { <MessageCard key at from by message /> },
        CardView::Step(step) => {
            any_view! { <StepCard key at kind=row.kind by means=(row.by_rule, row.amended, row.touched) step opened /> }
        }
        CardView::Notice(notice) => any_view! { <NoticeCard id notice /> },
        CardView::Chips(chips) => any_view! { <ChipsCard chips /> },
    }
}
