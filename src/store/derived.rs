//! Values derived from the session state, in one reactive type.
//!
//! Leptos compiles its `Memo` anew for every type of value, 3 KB each. Here the type of the value is forgotten: only
//! comparing and cloning it is compiled for each type.

use leptos::prelude::*;
use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

/// A derived value. It notifies only if its value changes.
pub struct Derived<T>(Memo<Value>, PhantomData<fn() -> T>);

impl<T> Clone for Derived<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Derived<T> {}

impl<T: PartialEq + Send + Sync + 'static> Derived<T> {
    /// Derives a value from signals.
    pub fn new(derive: impl Fn() -> T + Send + Sync + 'static) -> Self {
        let derive: Box<dyn Fn() -> Value + Send + Sync> =
            Box::new(move || Value(Arc::new(derive())));
        Self(Memo::new(move |_| derive()), PhantomData)
    }

    /// Reads the value, and tracks its changes.
    pub fn with<U>(self, read: impl FnOnce(&T) -> U) -> U {
        let value = self.0.get();
        read(value.of_type())
    }

    /// The value; tracks its changes.
    pub fn get(self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// The value now.
    pub fn get_untracked(self) -> T
    where
        T: Clone,
    {
        self.0.get_untracked().of_type::<T>().clone()
    }
}

/// A value whose type is known to the [`Derived`] that contains it.
#[derive(Clone)]
struct Value(Arc<dyn Comparable>);

impl Value {
    fn of_type<T: 'static>(&self) -> &T {
        let value: &dyn Any = self.0.as_any();
        value
            .downcast_ref()
            .expect("a derived value keeps its type")
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_equal(other.0.as_any())
    }
}

trait Comparable: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn is_equal(&self, other: &dyn Any) -> bool;
}

impl<T: PartialEq + Send + Sync + 'static> Comparable for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn is_equal(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>() == Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_notifies_only_if_its_value_changes() {
        Owner::new().with(|| {
            let source = RwSignal::new(1);
            let half = Derived::new(move || source.get() / 2);
            let seen = Memo::new(move |before: Option<&i32>| {
                half.get();
                before.unwrap_or(&0) + 1
            });
            assert_eq!((half.get(), seen.get()), (0, 1));
            source.set(0);
            assert_eq!((half.get_untracked(), seen.get()), (0, 1));
            source.set(4);
            assert_eq!((half.with(|half| *half), seen.get()), (2, 2));
        });
    }
}
