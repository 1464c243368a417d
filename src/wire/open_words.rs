//! Enumerations that stay open: an unknown word is kept as it was written.
//!
//! `open_words!` makes an enum whose last variant is `Unknown(String)`. Words are read in any case and
//! written in lower case: OpenHands' documentation has states in capitals, and servers of 0.x send lower case.

/// Makes an open enum of words.
macro_rules! open_words {
    ($(#[$of_enum:meta])* pub enum $name:ident { $($(#[$of_word:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(from = "String", into = "String")]
        pub enum $name {
            $($(#[$of_word])* $variant,)+
            /// An unknown word, as it was written.
            Unknown(String),
        }

        impl $name {
            /// The word on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    Self::Unknown(word) => word,
                }
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                match word.to_ascii_lowercase().as_str() {
                    $($word => Self::$variant,)+
                    _ => Self::Unknown(word),
                }
            }
        }

        impl From<$name> for String {
            fn from(word: $name) -> Self {
                word.as_str().to_owned()
            }
        }

        impl Default for $name {
            /// Not set.
            fn default() -> Self {
                Self::Unknown(String::new())
            }
        }
    };
}
pub(in crate::wire) use open_words;
