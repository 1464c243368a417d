//! What was asked for, once it is there.

use super::notes::{ErrorNote, Loading};
use crate::api::ApiError;
use crate::store::Fetched;
use leptos::prelude::*;

/// What was answered last, as `draw` draws it; before the first answer what is waited for.
#[component]
pub fn Answered<T: Clone + Send + Sync + 'static>(
    answers: Fetched<Result<T, ApiError>>,
    waiting: &'static str,
    draw: impl Fn(T) -> AnyView + Send + 'static,
) -> impl IntoView {
    let draw = move |answer| match answer {
        Ok(told) => draw(told),
        Err(error) => view! { <ErrorNote error/> }.into_any(),
    };
    view! {
        <Transition fallback=move || {
            view! { <Loading text=waiting/> }
        }>{answered(answers, draw)}</Transition>
    }
    .into_any()
}

/// The same within a `Transition` of one's own, an error being an answer like the others.
///
/// Not by a `Suspend`: that waits for the next answer with the last one on the page and its signals gone, and
/// what then happens asks for them.
pub fn answered<T: Clone + Send + Sync + 'static>(
    answers: Fetched<T>,
    draw: impl Fn(T) -> AnyView + Send + 'static,
) -> impl IntoView {
    move || answers.get().map(&draw)
}
