//! Declares the words of enumerations: in the database, in URLs and in other data.

/// Declares all variants of an enumeration with their words. `words! { Colour, word: Red "red", Green "green" }` gives
/// `Colour` the constant `ALL`, in this order, and the functions `word` and `from_word`.
#[macro_export]
macro_rules! words {
    ($name:ident, $word:ident: $($variant:ident $text:literal),+ $(,)?) => {
        impl $name {
            /// All of them, in order.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// Its word.
            pub fn $word(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            /// The one with this word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.$word() == word)
            }
        }
    };
}

pub use words;
