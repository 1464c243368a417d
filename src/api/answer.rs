//! How responses of server functions travel.

use crate::live::{Unreadable, read};
use leptos::server_fn::codec::Post;
use leptos::server_fn::{Bytes, ContentType, Decodes, Encodes, Format, FormatType};
use serde::{Serialize, de::DeserializeOwned};

/// The responses of functions that pages call themselves.
pub type Answer = Post<Json>;

/// JSON, read like all that a page gets ([`read`]).
#[derive(Debug)]
pub struct Json;

impl ContentType for Json {
    const CONTENT_TYPE: &'static str = "application/json";
}

impl FormatType for Json {
    const FORMAT_TYPE: Format = Format::Text;
}

impl<T: Serialize> Encodes<T> for Json {
    type Error = serde_json::Error;

    fn encode(value: &T) -> Result<Bytes, serde_json::Error> {
        serde_json::to_vec(value).map(Bytes::from)
    }
}

impl<T: DeserializeOwned> Decodes<T> for Json {
    type Error = Unreadable;

    fn decode(bytes: Bytes) -> Result<T, Unreadable> {
        read(str::from_utf8(&bytes).map_err(|_| Unreadable)?)
    }
}
