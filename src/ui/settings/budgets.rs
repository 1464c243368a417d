//! Budgets: what may be spent in a conversation, by a person and in a repository, a day and a month. One form.

use super::text;
use crate::api::{SaveBudgets, read_budgets};
use crate::people::{Amounts, Budgets, Lifters};
use crate::store::{Call, fetched, link};
use crate::ui::parts::{self, Answered, Choice, Outcome, TextField, dollars};
use crate::ui::shell::{Page, ServerForm};
use leptos::prelude::*;

/// `/settings/budgets`.
#[component]
pub fn BudgetsPage() -> impl IntoView {
    let save = Call::of::<SaveBudgets>();
    let budgets = fetched(|| (), |()| read_budgets());
    save.on_success(move || budgets.refetch());
    any_view! {
        <Page title=text::budgets() back=(Signal::stored(link("settings")), parts::text::settings())>
            <p class="card__hint">{text::budgets_hint()} " " {parts::text::budget_days()}</p>
            <Answered answers=budgets waiting=text::loading() draw=move |budgets| {
                any_view! { <BudgetsForm budgets save/> }
            }/>
            <Outcome action=save/>
        </Page>
    }
}

#[component]
fn BudgetsForm(budgets: Budgets, save: Call) -> impl IntoView {
    let amounts = budgets.amounts;
    let rows = [
        (
            text::each_conversation(),
            amounts.conversation,
            ["conversation_day", "conversation_month"],
        ),
        (
            text::each_person(),
            amounts.person,
            ["person_day", "person_month"],
        ),
        (
            text::each_repository(),
            amounts.repository,
            ["repository_day", "repository_month"],
        ),
    ];
    let rows = rows.map(|(title, amounts, names)| pair(title, amounts, names));
    let among = [
        (Lifters::Owners, text::lifted_by_owners()),
        (Lifters::Creator, text::lifted_by_creator()),
    ];
    let among = among.map(|(who, label)| (who.word().to_owned(), label.to_owned()));
    any_view! {
        <section class="card stack">
            <ServerForm action=save class="stack">
                {rows.into_iter().collect_view()}
                <Choice
                    id="budget-lift" name="lift" label=text::lifted_by() all=""
                    chosen=budgets.lift.word().to_owned() among=among.to_vec()
                />
                <button class="button button--primary" type="submit">{text::save()}</button>
            </ServerForm>
        </section>
    }
}

/// The fields of a day and a month.
fn pair(title: &'static str, amounts: Amounts, [day, month]: [&'static str; 2]) -> AnyView {
    let shown = |amount: f64| match amount > 0.0 {
        true => dollars(amount, 2).trim_start_matches('$').to_owned(),
        false => String::new(),
    };
    let (per_day, per_month) = (text::per_day(title), text::per_month(title));
    any_view! {
        <div class="field-row">
            <TextField id=day name=day label=per_day kind="number" least="0" fraction=true value=shown(amounts.day)/>
            <TextField id=month name=month label=per_month kind="number" least="0" fraction=true value=shown(amounts.month)/>
        </div>
    }
}
