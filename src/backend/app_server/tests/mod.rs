//! Tests of the adapter.

mod merging;
mod recordings;
mod rehearsed;
mod settings;
mod starting;
