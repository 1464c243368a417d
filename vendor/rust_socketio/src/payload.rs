/// A type which represents a `payload` in the `socket.io` context. It is
/// used for both representing data that's send and data that's received.
#[derive(Debug, PartialEq, Eq, Clone)]
pub enum Payload {
    Text(Vec<serde_json::Value>),
}

impl From<String> for Payload {
    fn from(string: String) -> Self {
        Self::from(serde_json::Value::String(string))
    }
}

impl From<serde_json::Value> for Payload {
    fn from(value: serde_json::Value) -> Self {
        Self::Text(vec![value])
    }
}
