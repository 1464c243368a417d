//! The messages of backends, verbatim: types for their JSON and nothing else.
//!
//! Backends change without notice, so these are open sets: an unknown event is kept as it
//! arrived, an unknown word as it was written. Names are upstream's: classes, tags, files.
//!
//! Invariant: reading cannot fail. No framework, no I/O, no `cfg`.

mod json;
mod open_words;
mod python;
pub mod v0;
pub mod v1;

pub use json::read_json;
pub use python::standard_json;
