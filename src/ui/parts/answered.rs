//! Views of fetched data.

use super::notes::{ErrorNote, Loading};
use super::varying;
use crate::api::ApiError;
use crate::store::Fetched;
use leptos::prelude::*;

/// The last response drawn by `draw`; before the first one, a loading state.
#[component]
pub fn Answered<T: Clone + Send + Sync + 'static>(
    answers: Fetched<Result<T, ApiError>>,
    waiting: &'static str,
    draw: impl Fn(T) -> AnyView + Send + 'static,
) -> impl IntoView {
    let draw = move |answer| match answer {
        Ok(told) => draw(told),
        Err(error) => any_view! { <ErrorNote error/> },
    };
    any_view! {
        <Transition fallback=move || {
            view! { <Loading text=waiting/> }
        }>{answered(answers, draw)}</Transition>
    }
}

/// The same without a `Transition` of its own; errors are passed to `draw` as well.
///
/// A `Suspend` does not work here: until the next response it keeps the last view on the page although the signals of
/// that view are disposed, and its event handlers then access them.
pub fn answered<T: Clone + Send + Sync + 'static>(
    answers: Fetched<T>,
    draw: impl Fn(T) -> AnyView + Send + 'static,
) -> impl IntoView {
    varying(move || answers.get().map(&draw))
}
