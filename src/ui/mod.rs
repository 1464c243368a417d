//! The user interface: one folder per area of the screen.
//!
//! Pages read the [`crate::store`] and the URL; every selection is in the URL. Each click is first of all a form or a
//! link, so everything works before hydration.

/// A view of any type. Types of whole pages, nested in each other, would take minutes to compile.
macro_rules! any_view {
    ($($view:tt)*) => {
        leptos::prelude::IntoAny::into_any(leptos::prelude::view! { $($view)* })
    };
}

pub mod parts;
pub mod shell;

pub mod auth;

pub mod exchange;
pub mod inbox;
pub mod insight;
pub mod list;
pub mod new;
pub mod people;
pub mod pwa;
pub mod settings;

pub mod approval;
pub mod composer;
pub mod conversation;
pub mod panels;
pub mod replay;
pub mod rules;
pub mod timeline;

pub mod search;

pub mod lazy;

#[cfg(all(debug_assertions, feature = "ssr"))]
pub mod style;
