//! The tags of a conversation.

use super::text;
use crate::api::TagConversation;
use crate::people::Right;
use crate::store::{Call, use_conversation};
use crate::ui::parts::{Field, Outcome, varying};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// The tags, editable by users with the right to.
#[component]
pub fn TagForm() -> impl IntoView {
    let store = use_conversation();
    let can = store.backend.with_value(|backend| backend.capabilities);
    if !can.tags || !store.may(Right::Operate).get_untracked() {
        return ().into_any();
    }
    let tag = Call::of::<TagConversation>();
    let known = store.of_session(|session| session.tags.labels().collect::<Vec<_>>().join("\n"));
    // The tags when the user began to type, for the server's compare-and-set: the user has not seen later changes by
    // others.
    let typed_over = RwSignal::new(None::<String>);
    tag.on_success(move || typed_over.set(None));
    any_view! {
        <h3>{text::tags()}</h3>
        <ServerForm action=tag class="stack">
            <input type="hidden" name="id" value=store.id()/>
            <input type="hidden" name="compare" value="true"/>
            <input type="hidden" name="seen" value=move || typed_over.get().unwrap_or_else(|| known.get())/>
            <Field id="tags" label=text::one_per_line() hint=text::tags_hint()>
                <textarea
                    class="input mono"
                    id="tags"
                    name="tags"
                    rows="2"
                    autocomplete="off"
                    autocapitalize="none"
                    spellcheck="false"
                    aria-describedby="tags-hint"
                    on:input=move |_| {
                        if typed_over.with_untracked(Option::is_none) {
                            typed_over.set(Some(known.get_untracked()));
                        }
                    }
                >
                    // A child rather than the `value` property: typed text stays when the tags change.
                    {varying(move || known.get())}
                </textarea>
            </Field>
            <Outcome action=tag/>
            <button class="button button--small">{text::save_tags()}</button>
        </ServerForm>
    }
}
