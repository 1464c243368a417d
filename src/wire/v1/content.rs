//! Contents of messages and results: text, images, and the model's reasoning.

use serde::Deserialize;
use serde_json::Value;

/// A part of a message or of a result.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Images.
    Image {
        /// Their URLs, mostly `data:`.
        image_urls: Vec<String>,
    },
    /// An unknown part.
    #[serde(untagged)]
    Unknown(Value),
}

/// All texts of the parts, each on its own line; an unknown part as its JSON.
pub fn text_of(parts: &[Content]) -> String {
    let texts: Vec<String> = parts
        .iter()
        .filter_map(|part| match part {
            Content::Text { text } => Some(text.clone()),
            Content::Image { .. } => None,
            Content::Unknown(value) => Some(value.to_string()),
        })
        .collect();
    texts.join("\n")
}

/// A block of the model's thinking (Anthropic).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ThinkingBlock {
    /// Readable.
    Thinking {
        /// The thought.
        thinking: String,
    },
    /// Redacted by the provider, or of an unknown kind.
    #[serde(untagged)]
    Other(Value),
}

/// The model's reasoning as the Responses API gives it (OpenAI).
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub struct ReasoningItem {
    /// Its summary, in parts.
    pub summary: Vec<String>,
    /// The full text, in parts.
    pub content: Vec<String>,
}
