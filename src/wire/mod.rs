//! What backends say, word for word: types for their JSON and nothing else.
//!
//! Backends change without telling us, so these are open sets: an event that we do not know is kept as it
//! came, a word that we do not know is kept as it was written. Names are upstream's: classes, tags, files.
//!
//! Invariant: reading cannot fail. No framework, no I/O, no `cfg`.

mod json;
mod open_words;
pub mod v0;
pub mod v1;

pub use json::read_json;
