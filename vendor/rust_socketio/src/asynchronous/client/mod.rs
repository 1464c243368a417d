pub(crate) mod builder;
pub(crate) mod client;
