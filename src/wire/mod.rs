//! The messages of backends, verbatim: types for their JSON and nothing else.
//!
//! Backends change without notice, so these are open sets: an unknown event is kept as it
//! arrived, an unknown word as it was written. Names are upstream's: classes, tags, files.
//!
//! Invariant: reading cannot fail. No framework, no I/O, no `cfg`.

mod digits;
mod json;
mod lenient;
mod open_words;
pub mod v0;
pub mod v1;

pub use digits::{as_written, json_text};
pub use json::{is_heavy, read_arguments_json, read_event_json, read_json, reading_cost};
pub use lenient::repaired;
