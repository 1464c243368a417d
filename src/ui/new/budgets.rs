//! The budgets that apply to a new conversation.

use super::text;
use crate::api::{BudgetsHere, read_budgets_here};
use crate::people::Amounts;
use crate::store::fetched;
use crate::ui::parts::{self, answered, dollars};
use leptos::prelude::*;

/// The budgets, if there are any, and what the user has spent of theirs.
#[component]
pub(super) fn BudgetsNote() -> impl IntoView {
    let here = fetched(|| (), |()| read_budgets_here());
    any_view! {
        <Transition>
            {answered(here, |here| {
                let said = here.ok().and_then(|here| said(&here));
                said.map(|said| view! { <p class="muted new-page__budgets">{said}</p> }).into_any()
            })}
        </Transition>
    }
}

fn said(here: &BudgetsHere) -> Option<String> {
    if here.budgets.is_empty() {
        return None;
    }
    let amounts = here.budgets.amounts;
    let mut said = Vec::new();
    for (name, amounts) in [
        (text::budget_conversation(), amounts.conversation),
        (text::budget_repository(), amounts.repository),
    ] {
        said.extend(in_words(amounts).map(|words| text::budget_of(name, words)));
    }
    let (own, spent) = (amounts.person, here.spent.person);
    if own.day > 0.0 {
        said.push(text::budget_own_day(
            dollars(spent.day, 2),
            dollars(own.day, 2),
        ));
    }
    if own.month > 0.0 {
        said.push(text::budget_own_month(
            dollars(spent.month, 2),
            dollars(own.month, 2),
        ));
    }
    said.push(parts::text::budget_days().to_owned());
    said.extend(
        here.unknown
            .then(|| parts::text::budget_unknown().to_owned()),
    );
    Some(said.join(" "))
}

fn in_words(amounts: Amounts) -> Option<String> {
    let day = (amounts.day > 0.0).then(|| text::a_day(dollars(amounts.day, 2)));
    let month = (amounts.month > 0.0).then(|| text::a_month(dollars(amounts.month, 2)));
    match (day, month) {
        (Some(day), Some(month)) => Some(text::and(day, month)),
        (day, month) => day.or(month),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::{Budgets, ByScope};

    #[test]
    fn what_applies_is_said_and_what_is_not_set_is_not() {
        let mut here = BudgetsHere {
            budgets: Budgets::default(),
            spent: ByScope::default(),
            unknown: true,
        };
        assert_eq!(said(&here), None);
        here.budgets.amounts.conversation = Amounts {
            day: 5.0,
            month: 20.0,
        };
        here.budgets.amounts.person.day = 8.0;
        here.spent.person.day = 1.5;
        assert_eq!(
            said(&here).as_deref(),
            Some(
                "Budget of each conversation: $5.00 a day and $20.00 a month. You have spent $1.50 of $8.00 today. \
                 Days and months begin at midnight UTC. Some costs are unknown and not counted."
            )
        );
    }
}
