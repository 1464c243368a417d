//! Comments on lines of the review: drafts until they are sent together, and afterwards until their author is done with them.

use super::super::text;
use super::form::{Writing, form};
use super::state::Comments;
use crate::api::{CommentState, CommentView};
use crate::render::DiffSide;
use crate::ui::parts::{ErrorNote, Outcome, varying};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

impl Comments {
    /// The button that sends the drafts, and what went wrong.
    pub(super) fn tools(self, all: Memo<Vec<CommentView>>) -> AnyView {
        let drafts = Memo::new(move |_| {
            all.with(|all| {
                all.iter()
                    .filter(|one| one.state == CommentState::Draft)
                    .count()
            })
        });
        let waits = self.store.of_session(|session| session.approval.is_some());
        let failed = move || {
            let failed = [self.delete, self.resolve].into_iter();
            let mut failed = failed.filter_map(|change| change.value().get().and_then(Result::err));
            failed
                .next()
                .or_else(|| self.asked.get().and_then(Result::err))
        };
        let send = move || {
            let count = drafts.get();
            (count > 0 && self.may.get()).then(|| match waits.get() {
                true => {
                    any_view! { <p class="review__send muted">{text::comments_wait(count)}</p> }
                }
                false => any_view! {
                    <ServerForm action=self.send class="cluster review__send">
                        <input type="hidden" name="id" value=self.store.id()/>
                        <button class="button button--primary">{text::send_comments(count)}</button>
                        <Outcome action=self.send done=""/>
                    </ServerForm>
                },
            })
        };
        any_view! {
            {varying(send)}
            {varying(move || failed().map(|error| view! { <ErrorNote error/> }))}
        }
    }

    /// A comment. `whole` says which line it is about, for one that does not stand below its line.
    pub(super) fn one(self, comment: CommentView, whole: bool) -> AnyView {
        let CommentView {
            number,
            spot,
            quote,
            text: said,
            state,
        } = comment;
        if self.chosen.edited.get() == Some(number) {
            return form(self, Writing::Draft(number, said));
        }
        let about = whole.then(|| {
            view! {
                <p class="review__about">
                    <span class="mono">{spot.file}</span>
                    " "
                    {place(spot.side, spot.number)}
                </p>
                <code class="review__quote">{quote}</code>
            }
        });
        let label = match state {
            CommentState::Draft => text::comment_draft(),
            CommentState::Leaving => text::comment_leaving(),
            CommentState::Sent => text::comment_sent(),
            CommentState::Resolved => text::comment_resolved(),
        };
        let is_done = state == CommentState::Resolved;
        let class = "button button--quiet button--small";
        let of = vec![("id", self.store.id()), ("number", number.to_string())];
        let tools = move || match state {
            _ if !self.may.get() => ().into_any(),
            CommentState::Draft => {
                let edit = self.chosen.here(&[("comment", &number.to_string())]);
                any_view! {
                    <a class=class href=edit data-noscroll="">
                        {text::edit_comment()}
                    </a>
                    <CallButton action=self.delete fields=of.clone() label=text::delete_comment() class/>
                }
            }
            CommentState::Leaving => ().into_any(),
            CommentState::Sent | CommentState::Resolved => {
                let fields = [of.clone(), vec![("resolved", (!is_done).to_string())]].concat();
                let label = match is_done {
                    true => text::reopen_comment(),
                    false => text::resolve_comment(),
                };
                any_view! { <CallButton action=self.resolve fields label class/> }
            }
        };
        any_view! {
            <div class="review__comment" data-state=state.word()>
                {about}
                <p class="review__said" dir="auto">{said}</p>
                <div class="review__tools">
                    <span class="muted">{label}</span>
                    {varying(tools)}
                </div>
            </div>
        }
    }
}

/// A line in words.
pub(super) fn place(side: DiffSide, number: u32) -> String {
    match side {
        DiffSide::Old => text::old_place(number),
        DiffSide::New => text::new_place(number),
    }
}
