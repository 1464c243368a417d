//! What can be rehearsed: each is a message that names its script.

use crate::api::CreateConversation;
use crate::ui::parts::Outcome;
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// Script (with its number), and what it shows. Those that a person looks for first.
const SCRIPTS: [(&str, &str); 12] = [
    ("tour", "A tour: a bit of everything"),
    ("confirm", "Answer a command, an edit, a page"),
    ("risk", "Only high risk waits"),
    ("error401", "The model refuses the key"),
    ("error429", "The model is busy"),
    ("long:200", "200 quick steps"),
    ("slow:20000", "One command of 20 seconds"),
    ("images", "Pictures"),
    ("tools", "MCP tools"),
    ("delegate", "Another agent helps"),
    ("condensation", "The history is summarised"),
    ("hostile", "Content that tries to be more than text"),
];

/// Buttons that begin a rehearsal at once.
#[component]
pub fn Suggestions() -> impl IntoView {
    let create = ServerAction::<CreateConversation>::new();
    view! {
        <section class="card">
            <h2 class="card__title">"Rehearse"</h2>
            <p class="card__hint">
                "Each begins a conversation with a scripted agent. Nothing is executed, nothing costs money."
            </p>
            <ServerForm action=create>
                <ul class="chips">
                    {SCRIPTS
                        .map(|(script, shows)| {
                            let message = format!("{shows} [[scenario:{script}]]");
                            view! {
                                <li>
                                    <button
                                        class="chip chip--button"
                                        type="submit"
                                        name="message"
                                        value=message
                                    >
                                        {shows}
                                    </button>
                                </li>
                            }
                        })
                        .collect_view()}
                </ul>
                <Outcome action=create done="Begun"/>
            </ServerForm>
        </section>
    }
    .into_any()
}
