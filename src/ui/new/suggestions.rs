//! Suggestions for the rehearsal: each is a message that names its script.

use super::text;
use crate::api::CreateConversation;
use crate::text::Text;
use crate::ui::parts::Outcome;
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// A script (with its number) and what it shows. The most useful ones come first.
static SCRIPTS: [(&str, Text); 12] = [
    ("tour", text::tour),
    ("confirm", text::confirm),
    ("risk", text::risk),
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

/// How many are offered without unfolding the others.
const AT_FIRST: usize = 3;

/// Buttons that start a rehearsal at once.
#[component]
pub fn Suggestions() -> impl IntoView {
    let create = ServerAction::<CreateConversation>::new();
    let (few, more) = SCRIPTS.split_at(AT_FIRST);
    view! {
        <section class="card">
            <h2 class="card__title">{text::suggestions()}</h2>
            <p class="card__hint">{text::suggestions_hint()}</p>
            <ServerForm action=create>
                {chips(few)}
                <details>
                    <summary class="chip chip--button">{text::more_suggestions()}</summary>
                    {chips(more)}
                </details>
                <Outcome action=create done=text::started()/>
            </ServerForm>
        </section>
    }
    .into_any()
}

fn chips(scripts: &'static [(&'static str, Text)]) -> impl IntoView {
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
