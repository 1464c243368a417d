//! The pure layers: what backends write, what a conversation is, and how it is shown. They do no input or output.
//!
//! A crate of its own, so that it is compiled and optimised once, whatever changes above it.

pub mod text;
pub mod words;

pub mod wire;

pub mod conversation;

pub mod render;

pub mod rules;
