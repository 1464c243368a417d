//! What a page waits for: a resource whose answer comes in the page, or from a server function.
//!
//! Both come through one way of reading JSON. With a way for each, the program would hold the code that
//! reads every view twice.

use leptos::prelude::*;
use leptos::server::codee::{Decoder, Encoder};
use serde::{Serialize, de::DeserializeOwned};

/// What a page waits for.
pub type Fetched<T> = Resource<T, Json>;

/// Asks `ask` anew whenever `source` changes; what the server has asked stands in its page.
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

/// JSON, read from bytes as the answers of server functions are.
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
