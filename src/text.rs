//! Declares the texts of the pages: each folder of `ui`, and the layers `render` and `conversation`, keep their own in one
//! file, `text.rs`.
//!
//! A text is a function, so that a translation can be added without touching the views.

/// Declares texts, each as a function.
///
/// ```text
/// texts! {
///     search = "Search this list";
///     signed_in(name) = "Signed in as {name}";
///     approvals(count) = { one: "1 action needs approval", other: "{count} actions need approval" };
/// }
/// ```
///
/// A text with plural forms takes its count (`usize`) first, and may take other values after it.
#[macro_export]
macro_rules! texts {
    ($($(#[$attribute:meta])* $name:ident $(($($value:ident),+))? = $text:tt;)*) => {
        $($crate::texts! { @ $(#[$attribute])* $name [$($($value)+)?] $text })*
    };
    (@ $(#[$attribute:meta])* $name:ident [] $text:literal) => {
        $(#[$attribute])*
        pub(crate) fn $name() -> &'static str {
            $text
        }
    };
    (@ $(#[$attribute:meta])* $name:ident [$($value:ident)+] $text:literal) => {
        $(#[$attribute])*
        pub(crate) fn $name($($value: impl ::std::fmt::Display),+) -> String {
            format!($text)
        }
    };
    (@ $(#[$attribute:meta])* $name:ident [$count:ident $($value:ident)*] { one: $one:literal, other: $other:literal }) => {
        $(#[$attribute])*
        pub(crate) fn $name($count: usize $(, $value: impl ::std::fmt::Display)*) -> String {
            if $count == 1 { format!($one) } else { format!($other) }
        }
    };
}

pub use texts;

/// A text without values, by its function.
pub type Text = fn() -> &'static str;

#[cfg(test)]
mod tests {
    super::texts! {
        plain = "Search";
        named(name) = "Signed in as {name}";
        counted(count, place) = { one: "1 file in {place}", other: "{count} files in {place}" };
    }

    #[test]
    fn texts_have_named_values_and_plural_forms() {
        assert_eq!(plain(), "Search");
        assert_eq!(named("alan"), "Signed in as alan");
        assert_eq!(counted(1, "src"), "1 file in src");
        assert_eq!(counted(0, "src"), "0 files in src");
    }
}
