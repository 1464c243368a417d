//! The last message of a person, to be changed and sent again: in a copy of the conversation that ends before it.

use super::text;
use crate::api::{SendInstead, read_last_message};
use crate::store::{Call, fetched, use_conversation};
use crate::ui::parts::{self, Answered, ErrorNote, Submit, varying};
use crate::ui::shell::ServerForm;
use leptos::html::Textarea;
use leptos::prelude::*;

/// The form with the message, in place of the composer.
#[component]
pub fn Again() -> impl IntoView {
    let store = use_conversation();
    let send = Call::<String>::of::<SendInstead>();
    let last = fetched(move || store.id(), read_last_message);
    let field = NodeRef::<Textarea>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            let _ = field.focus();
        }
    });
    let back = move || {
        view! {
            <a class="button button--quiet" href="?" data-noscroll="">
                {text::keep_message()}
            </a>
        }
    };
    let error = move || send.value().get().and_then(Result::err);
    any_view! {
        <Answered answers=last waiting=parts::text::loading() draw=move |last| {
            let Some(last) = last else {
                return any_view! { <p class="conversation__note muted">{text::not_changeable()}</p> {back()} };
            };
            any_view! {
                <ServerForm action=send class="stack again">
                    <input type="hidden" name="id" value=store.id()/>
                    <input type="hidden" name="row" value=last.row/>
                    <label class="field__label" for="again">{text::change_message()}</label>
                    <textarea class="input" id="again" name="text" rows="4" dir="auto" required node_ref=field>
                        {last.text}
                    </textarea>
                    <p class="field__hint">
                        {text::change_hint()}
                        {last.attached.then(text::change_attached)}
                    </p>
                    {varying(move || error().map(|error| view! { <ErrorNote error/> }))}
                    <div class="cluster cluster--end">
                        {back()}
                        <Submit busy=send.pending() label=text::send_instead()/>
                    </div>
                </ServerForm>
            }
        }/>
    }
}
