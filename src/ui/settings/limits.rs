//! The limits of an agent's work, a section of the form in `model.rs`.

use super::text;
use crate::backend::Settings;
use crate::ui::parts::{TextField, Toggle};
use leptos::prelude::*;

/// The steps and the money of an agent, and when its older events are summarized.
#[component]
pub fn Limits(settings: Settings, budget: bool) -> impl IntoView {
    let plain = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let budget = budget.then(|| view! { <Budget budget=settings.max_budget/> });
    let own = settings.acp.is_empty();
    any_view! {
        <section class="card stack" id="section-limits">
            <h2 class="card__title">{text::limits()}</h2>
            <div class="field-row">
                <TextField
                    id="max-iterations" name="settings[max_iterations]" label=text::max_steps()
                    hint=text::max_steps_hint() kind="number" value=plain(settings.max_iterations) least="1"
                />
                {budget}
            </div>
            {own
                .then(|| {
                    view! {
                        <Toggle
                            name="settings[condenser]"
                            label=text::summarize()
                            checked=settings.condenser
                        />
                        <TextField
                            id="condenser-size" name="settings[condenser_max_size]" label=text::summarize_after()
                            hint=text::summarize_after_hint() kind="number" value=plain(settings.condenser_max_size)
                            least="20"
                        />
                    }
                })}
        </section>
    }
}

#[component]
fn Budget(budget: Option<f64>) -> impl IntoView {
    view! {
        <TextField
            id="max-budget" name="settings[max_budget]" label=text::budget() hint=text::budget_hint() kind="number"
            value=budget.map(|budget| budget.to_string()).unwrap_or_default() least="0" fraction=true
        />
    }
}
