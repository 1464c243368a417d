//! "Approve this instead": another command or code, and the rejection of the pending one.

use super::{
    text,
    touch::{IfTouching, TouchField, Touching},
};
use crate::{
    api::AmendAction,
    store::Call,
    ui::{
        parts::{Field, Outcome},
        shell::ServerForm,
    },
};
use leptos::prelude::*;

/// Asks for another command or code instead. If it `counts`, exactly that is approved when the agent asks for it.
#[component]
pub(super) fn Amend(
    id: String,
    token: String,
    command: String,
    counts: bool,
    /// Whether it needs a touch of a passkey, and if so, whether the user can.
    touching: Option<Touching>,
) -> impl IntoView {
    let amend = Call::of::<AmendAction>();
    let field = format!("amend-{token}");
    let hint = match (counts, touching.is_some()) {
        (false, _) => text::amend_hint_for_two(),
        (true, false) => text::amend_hint(),
        (true, true) => text::amend_hint_with_passkey(),
    };
    any_view! {
        <details class="approval__amend">
            <summary class="button button--quiet button--small">{text::amend()}</summary>
            <ServerForm action=amend class="stack">
                <input type="hidden" name="id" value=id />
                <input type="hidden" name="token" value=token />
                <Field id=field.clone() label=text::amended() hint>
                    <textarea class="input textarea mono" id=field name="text" rows="3" spellcheck="false" dir="ltr">
                        {command}
                    </textarea>
                </Field>
                <Outcome action=amend done=text::amend_sent() />
                {match touching {
                    None => any_view! { <button class="button" type="submit">{text::send_amendment()}</button> },
                    Some(touching) => {
                        let draw = || {
                            any_view! {
                                <button class="button" type="submit" data-touch="" data-needs-script="">
                                    {text::send_amendment_with_passkey()}
                                </button>
                            }
                        };
                        any_view! {
                            <TouchField />
                            <IfTouching touching draw />
                        }
                    }
                }}
            </ServerForm>
        </details>
    }
}
