//! Parts of a view that change.

use leptos::prelude::*;

/// A part of a view that is drawn again when a signal changes that `draw` reads. Leptos compiles 2 KB for every type of
/// closure in a view; here all of them are one type.
pub fn varying<V: IntoView + 'static>(mut draw: impl FnMut() -> V + Send + 'static) -> AnyView {
    let draw: Box<dyn FnMut() -> AnyView + Send> = Box::new(move || draw().into_any());
    draw.into_any()
}
