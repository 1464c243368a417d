//! Data that a page loads: a resource whose response is in the page, or comes from a server function.
//!
//! Both use the same deserializer. With two of them, the program would contain the code that
//! reads every view twice.

use leptos::prelude::*;
use leptos::server::codee::{Decoder, Encoder};
use serde::{Serialize, de::DeserializeOwned};

/// Data that a page loads.
pub type Fetched<T> = Resource<T, Json>;

/// Calls `ask` whenever `source` changes; a response of the server's rendering is included in its page.
pub fn fetched<T, S, F>(
    source: impl Fn() -> S + Send + Sync + 'static,
    ask: impl Fn(S) -> F + Send + Sync + 'static,
) -> Fetched<T>
where
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
    S: PartialEq + Clone + Send + Sync + 'static,
    F: Future<Output = T> + Send + 'static,
{
    Fetched::new_with_options(source, ask, false)
}

/// JSON, read from bytes like the responses of server functions.
pub struct Json;

impl<T: Serialize> Encoder<T> for Json {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(value: &T) -> Result<String, serde_json::Error> {
        serde_json::to_string(value)
    }
}

impl<T: DeserializeOwned> Decoder<T> for Json {
    type Error = serde_json::Error;
    type Encoded = str;

    fn decode(text: &str) -> Result<T, serde_json::Error> {
        serde_json::from_slice(text.as_bytes())
    }
}
