//! Budgets that are reached, or nearly, below the pending approvals.

use super::text;
use crate::api::{BudgetItem, LiftBudget, read_budget_items};
use crate::store::{Call, fetched, link};
use crate::ui::parts::{self, Outcome, answered, budget_in_words, title_or_default};
use crate::ui::shell::CallButton;
use leptos::prelude::*;

/// The budgets, if there are any.
#[component]
pub(super) fn BudgetItems() -> impl IntoView {
    let items = fetched(|| (), |()| read_budget_items());
    let lift = Call::of::<LiftBudget>();
    lift.on_success(move || items.refetch());
    any_view! {
        <Transition>
            {answered(items, move |items| {
                let items = items.unwrap_or_default();
                (!items.is_empty()).then(|| view! { <Items items lift/> }).into_any()
            })}
        </Transition>
    }
}

#[component]
fn Items(items: Vec<BudgetItem>, lift: Call) -> impl IntoView {
    let items = items.into_iter().map(|item| {
        let words = budget_in_words(&item.reached);
        let fields = vec![("id", item.conversation.clone())];
        let title = title_or_default(&item.title);
        let name = text::lift_in(&title);
        let may_lift = item.may_lift.then(|| {
            view! { <CallButton action=lift fields label=parts::text::budget_lift() name/> }
        });
        view! {
            <li class="cluster">
                <span class="grow">
                    <a href=link(&format!("c/{}", item.conversation))>{title}</a>
                    ": "
                    {words}
                </span>
                {may_lift}
            </li>
        }
    });
    any_view! {
        <section class="card stack inbox-page__budgets">
            <h2 class="card__title">{text::budgets()}</h2>
            <ul class="stack">{items.collect_view()}</ul>
            <p class="muted">{parts::text::budget_days()}</p>
            <Outcome action=lift done=text::lifted()/>
        </section>
    }
}
