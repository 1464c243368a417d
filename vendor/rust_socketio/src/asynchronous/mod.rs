mod client;
mod generator;
mod socket;

pub use client::builder::ClientBuilder;
pub use client::client::Client;
