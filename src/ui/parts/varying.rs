//! Parts of a view that change.

use leptos::prelude::*;

/// A part of a view that is drawn again when a signal changes that `draw` reads. Leptos compiles 2 KB for every type of
/// closure in a view; here all of them are one type.
///
/// An update that was due when the component around it was left finds the signals of that component disposed: reading one
/// would end the program in the browser. Such a part is drawn empty; it is about to be removed.
pub fn varying<V: IntoView + 'static>(mut draw: impl FnMut() -> V + Send + 'static) -> AnyView {
    let here = StoredValue::new(());
    let draw: Box<dyn FnMut() -> AnyView + Send> = Box::new(move || match here.try_get_value() {
        Some(()) => draw().into_any(),
        None => ().into_any(),
    });
    draw.into_any()
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn an_update_of_what_was_left_draws_nothing() {
        let drawn = |left: bool| {
            let owner = Owner::new();
            let view = owner.with(|| {
                let number = RwSignal::new(7);
                varying(move || number.get_untracked())
            });
            if left {
                owner.cleanup();
            }
            view.to_html()
        };
        assert!(drawn(false).contains('7'));
        assert!(!drawn(true).contains('7'));
    }
}
