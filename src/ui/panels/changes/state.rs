//! The state of a person's comments on the changes: what the server has, and what is being written.

use super::Chosen;
use crate::api::{
    ApiError, CommentView, DeleteComment, KeepComment, ResolveComment, SendComments, list_comments,
};
use crate::people::Right;
use crate::store::{Call, ConversationStore, Fetched, fetched, link, use_go};
use leptos::prelude::*;

/// How the ids of messages with comments begin.
const MESSAGE: &str = "review-";

/// The comments of this person in this conversation.
#[derive(Clone, Copy)]
pub(super) struct Comments {
    pub(super) store: ConversationStore,
    pub(super) chosen: Chosen,
    /// Whether the person may write some.
    pub(super) may: Memo<bool>,
    pub(super) asked: Fetched<Result<Vec<CommentView>, ApiError>>,
    pub(super) keep: Call,
    pub(super) delete: Call,
    pub(super) resolve: Call,
    pub(super) send: Call,
    /// What is being written, and where: an edit of the file draws the form again.
    pub(super) typed: RwSignal<(String, String)>,
}

impl Comments {
    pub(super) fn new(store: ConversationStore, chosen: Chosen) -> Self {
        let may = store.may(Right::Operate);
        // How far the messages with comments are.
        let states = store.of_session(|session| {
            let messages = session.outbox.iter();
            let with_comments = messages.filter(|message| message.client_id.starts_with(MESSAGE));
            let states = with_comments.map(|message| (message.client_id.clone(), message.state));
            states.collect::<Vec<_>>()
        });
        let asked = fetched(
            move || (may.get(), states.get()),
            move |(may, _)| {
                let id = store.id();
                async move {
                    match may {
                        true => list_comments(id).await,
                        false => Ok(Vec::new()),
                    }
                }
            },
        );
        let comments = Self {
            store,
            chosen,
            may,
            asked,
            keep: Call::of::<KeepComment>(),
            delete: Call::of::<DeleteComment>(),
            resolve: Call::of::<ResolveComment>(),
            send: Call::of::<SendComments>(),
            typed: RwSignal::default(),
        };
        let (go, page) = (use_go(false), link(&format!("c/{}", store.id())));
        Effect::new(move |_| {
            if comments.keep.value().with(is_done) {
                comments.typed.set(Default::default());
                go(&format!("{page}{}", untrack(|| comments.chosen.here(&[]))));
            }
        });
        Effect::new(move |_| {
            let changes = [
                comments.keep,
                comments.delete,
                comments.resolve,
                comments.send,
            ];
            let done = changes.map(|change| change.value().with(is_done));
            if done.contains(&true) {
                comments.asked.refetch();
            }
        });
        comments
    }

    /// All of them. Within the `Transition` of the review.
    pub(super) fn all(self) -> Memo<Vec<CommentView>> {
        Memo::new(move |_| match self.asked.get() {
            Some(Ok(comments)) => comments,
            _ => Vec::new(),
        })
    }
}

fn is_done(value: &Option<Result<(), ApiError>>) -> bool {
    matches!(value, Some(Ok(())))
}
