//! The form for a comment on a line. What is typed is kept while the file below it is drawn again.

use super::super::text;
use super::Place;
use super::state::Comments;
use crate::api::LONGEST_COMMENT;
use crate::ui::parts::Outcome;
use crate::ui::shell::ServerForm;
use leptos::html::Textarea;
use leptos::prelude::*;

/// The form for a comment.
pub(super) fn form(comments: Comments, writing: Writing) -> AnyView {
    let here = untrack(|| comments.chosen.here(&[]));
    let back = format!("c/{}{here}", comments.store.id());
    let (key, text_before, fields) = match writing {
        Writing::Draft(number, said) => {
            let number = number.to_string();
            let field = view! { <input type="hidden" name="number" value=number.clone()/> };
            (number, said, field.into_any())
        }
        Writing::New(file, place, quote) => {
            let commit = comments.chosen.commit.get_untracked();
            let key = format!("{place:?} {file}");
            let place = match place {
                Place::Line(side, number) => any_view! {
                    <input type="hidden" name="side" value=side.word()/>
                    <input type="hidden" name="place" value=number/>
                    <input type="hidden" name="quote" value=quote/>
                },
                Place::Any => any_view! {
                    <div class="cluster">
                        <label for="comment-line">{text::line()}</label>
                        <input
                            class="input review__number"
                            id="comment-line"
                            name="place"
                            type="number"
                            min="1"
                            required
                        />
                        <label class="visually-hidden" for="comment-side">{text::text_of_line()}</label>
                        <select class="input" id="comment-side" name="side">
                            <option value="new">{text::after_change()}</option>
                            <option value="old">{text::before_change()}</option>
                        </select>
                    </div>
                },
            };
            let fields = view! {
                <input type="hidden" name="commit" value=commit/>
                <input type="hidden" name="file" value=file/>
                {place}
            };
            (key, String::new(), fields.into_any())
        }
    };
    let typed = comments.typed.get_untracked();
    let start = match typed.0 == key {
        true => typed.1,
        false => text_before,
    };
    let field = NodeRef::<Textarea>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            let _ = field.focus();
        }
    });
    any_view! {
        <ServerForm action=comments.keep class="review__comment review__form">
            <input type="hidden" name="id" value=comments.store.id()/>
            <input type="hidden" name="back" value=back/>
            {fields}
            <label class="visually-hidden" for="comment">{text::comment()}</label>
            <textarea
                class="input"
                id="comment"
                name="text"
                rows="3"
                dir="auto"
                maxlength=LONGEST_COMMENT
                required
                placeholder=text::comment()
                node_ref=field
                on:input=move |_| {
                    if let Some(field) = field.get_untracked() {
                        comments.typed.set((key.clone(), field.value()));
                    }
                }
            >
                {start}
            </textarea>
            <Outcome action=comments.keep done=""/>
            <div class="cluster">
                <button class="button button--small">{text::keep_comment()}</button>
                <a class="button button--quiet button--small" href=here data-noscroll="">
                    {text::cancel_comment()}
                </a>
            </div>
        </ServerForm>
    }
}

/// What a form is for.
pub(super) enum Writing {
    /// The draft with this number and text.
    Draft(i64, String),
    /// A new comment in this file, on a line with this text if it is known.
    New(String, Place, String),
}
