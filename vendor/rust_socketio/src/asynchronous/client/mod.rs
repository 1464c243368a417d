mod ack;
pub(crate) mod builder;
#[cfg(feature = "async-callbacks")]
mod callback;
pub(crate) mod client;
