//! Suggestions for the rehearsal: each is a message that names its script.

use super::text;
use crate::api::CreateConversation;
use crate::store::{Call, link};
use crate::text::Text;
use crate::ui::parts::Outcome;
use crate::ui::shell::ServerForm;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

/// A script (with its number) and what it shows.
type Script = (&'static str, Text);

/// The most useful scripts, which are offered without unfolding the others. Apart from those, so that the first screen
/// does not load their texts.
static FEW: [Script; 3] = [
    ("tour", text::tour),
    ("confirm", text::confirm),
    ("risk", text::risk),
];

static MORE: [Script; 9] = [
    ("error401", text::model_key),
    ("error429", text::model_busy),
    ("long:200", text::quick_steps),
    ("slow:20000", text::slow_command),
    ("images", text::images),
    ("tools", text::mcp_tools),
    ("delegate", text::delegate),
    ("condensation", text::condensation),
    ("hostile", text::hostile),
];

/// Buttons that start a rehearsal at once.
#[component]
pub fn Suggestions() -> impl IntoView {
    let create = Call::of::<CreateConversation>();
    view! {
        <section class="card">
            <h2 class="card__title">{text::suggestions()}</h2>
            <p class="card__hint">{text::suggestions_hint()}</p>
            <ServerForm action=create>
                {chips(&FEW)}
                <details>
                    <summary class="chip chip--button">{text::more_suggestions()}</summary>
                    {chips(&MORE)}
                </details>
                <Outcome action=create done=text::started()/>
            </ServerForm>
        </section>
    }
    .into_any()
}

/// The most useful suggestions, below the prompt of an empty list. A plain form, which opens the conversation as a new
/// page: that needs no code on the first screen.
#[component]
pub fn FewSuggestions() -> impl IntoView {
    view! {
        <form
            class="first-suggestions"
            method="post"
            action=link(CreateConversation::url().trim_start_matches('/'))
            aria-label=text::suggestions()
        >
            {chips(&FEW)}
        </form>
    }
    .into_any()
}

fn chips(scripts: &'static [Script]) -> impl IntoView {
    let chips = scripts.iter().map(|(script, shows)| {
        let shows = shows();
        let message = format!("{shows} [[scenario:{script}]]");
        view! {
            <li>
                <button class="chip chip--button" type="submit" name="message" value=message>
                    {shows}
                </button>
            </li>
        }
    });
    view! { <ul class="chips">{chips.collect_view()}</ul> }
}
