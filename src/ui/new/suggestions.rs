//! Suggestions for the rehearsal: each is a message that it knows as one of its demos.

use super::text;
use crate::api::CreateConversation;
use crate::store::{Call, link};
use crate::text::Text;
use crate::ui::parts::Outcome;
use crate::ui::shell::ServerForm;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

/// The most useful scripts, which are offered without unfolding the others. Apart from those, so that the first screen
/// does not load their texts.
static FEW: [Text; 3] = [text::tour, text::confirm, text::risk];

static MORE: [Text; 9] = [
    text::model_key,
    text::model_busy,
    text::quick_steps,
    text::slow_command,
    text::images,
    text::mcp_tools,
    text::delegate,
    text::condensation,
    text::hostile,
];

/// Buttons that start a rehearsal at once.
#[component]
pub fn Suggestions() -> impl IntoView {
    let create = Call::of::<CreateConversation>();
    any_view! {
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
}

/// The most useful suggestions, below the prompt of an empty list. A plain form, which opens the conversation as a new
/// page: that needs no code on the first screen.
#[component]
pub fn FewSuggestions() -> impl IntoView {
    any_view! {
        <form
            class="first-suggestions"
            method="post"
            action=link(CreateConversation::url().trim_start_matches('/'))
            aria-label=text::suggestions()
        >
            {chips(&FEW)}
        </form>
    }
}

fn chips(demos: &'static [Text]) -> impl IntoView {
    let chips = demos.iter().map(|demo| {
        view! {
            <li>
                <button class="chip chip--button" type="submit" name="message" value=demo()>
                    {demo()}
                </button>
            </li>
        }
    });
    view! { <ul class="chips">{chips.collect_view()}</ul> }
}

#[cfg(all(test, feature = "ssr"))]
#[test]
fn the_rehearsal_knows_each_suggestion() {
    for demo in FEW.iter().chain(&MORE) {
        assert!(handrail_rehearsal::is_demo(demo()), "{}", demo());
    }
}
