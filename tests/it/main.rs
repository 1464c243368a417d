//! The integration tests, one binary.

mod conformance_v0;
mod layering;
