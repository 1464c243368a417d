//! Labels of a conversation.

use crate::api::TagConversation;
use crate::people::Right;
use crate::store::{may, use_conversation};
use crate::ui::parts::{Field, Outcome};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// The labels, to be changed by whoever may.
#[component]
pub fn TagForm() -> impl IntoView {
    let store = use_conversation();
    let can = store.backend.with_value(|backend| backend.capabilities);
    if !can.tags || !may(Right::Operate) {
        return ().into_any();
    }
    let tag = ServerAction::<TagConversation>::new();
    let known = store.of_session(|session| session.tags.labels().collect::<Vec<_>>().join("\n"));
    view! {
        <h3>"Tags"</h3>
        <ServerForm action=tag class="stack">
            <input type="hidden" name="id" value=store.id()/>
            <Field id="tags" label="One a line" hint="A word, or a word and a value: urgent, team=infra.">
                <textarea
                    class="input mono"
                    id="tags"
                    name="tags"
                    rows="2"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    aria-describedby="tags-hint"
                >
                    // Not the property: what somebody has begun to type stays when the tags change.
                    {move || known.get()}
                </textarea>
            </Field>
            <Outcome action=tag done="Saved."/>
            <div class="cluster cluster--end">
                <button class="button button--small" type="submit">
                    "Save tags"
                </button>
            </div>
        </ServerForm>
    }
    .into_any()
}
