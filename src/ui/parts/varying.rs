//! Parts of a view that change.

use leptos::{
    prelude::*,
    reactive::owner::{ArcStoredValue, WeakOwner},
};

/// A part of a view that is drawn again when a signal changes that `draw` reads. Leptos compiles 2 KB for every type of
/// closure in a view; here all of them are one type.
///
/// An update that was due when the component around it was left finds the signals of that component disposed: reading one
/// would end the program in the browser. Such a part is drawn empty; it is about to be removed. What it drew before is
/// not updated any more.
pub fn varying<V: IntoView + 'static>(mut draw: impl FnMut() -> V + Send + 'static) -> AnyView {
    let here = StoredValue::new(());
    let stops = is_browser().then(Stops::new);
    let draw: Box<dyn FnMut() -> AnyView + Send> = Box::new(move || {
        if let Some(stops) = &stops {
            stops.with_this();
        }
        match here.try_get_value() {
            Some(()) => draw().into_any(),
            None => ().into_any(),
        }
    });
    draw.into_any()
}

/// Stops the effects below a part when the component around it is left. Leptos disposes their signals at once, but drops an
/// effect that is two parts below only in a later task. One that was due before that task would read disposed signals.
struct Stops {
    /// Owns nothing but the order to stop. As it is created before the part, it is cleaned up before it.
    _order: Owner,
    /// The part, since it was drawn.
    part: ArcStoredValue<Option<WeakOwner>>,
}

impl Stops {
    /// For a part of the current component.
    fn new() -> Self {
        let part = ArcStoredValue::new(None::<WeakOwner>);
        let order = Owner::new();
        let stopped = part.clone();
        let stop = move || {
            if let Some(part) = stopped.get_value().and_then(|part| part.upgrade()) {
                part.pause();
            }
        };
        order.with(|| on_cleanup(stop));
        let _order = order;
        Self { _order, part }
    }

    /// The current owner is the part.
    fn with_this(&self) {
        let part = Owner::current().map(|part| part.downgrade());
        self.part.set_value(part);
    }
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
