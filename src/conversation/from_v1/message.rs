//! Translating messages and the model's reasoning beside them.

use super::images;
use crate::conversation::{Knowledge, Message, Recall, text};
use crate::wire::v1::{MessageEvent, ReasoningItem, ThinkingBlock, text_of};

/// Prefix of the goal loop's messages, which have a person as their source.
const LOOP: &str = "The goal is NOT yet complete (audit iteration ";

pub(super) fn said(event: &MessageEvent) -> Message {
    let said = &event.llm_message;
    let injected = event
        .extended_content
        .iter()
        .map(|part| text_of(std::slice::from_ref(part)));
    let knowledge = injected
        .filter(|text| !text.trim().is_empty())
        .map(|content| Knowledge {
            name: text::added_to_message().to_owned(),
            trigger: String::new(),
            content,
        });
    Message {
        text: text_of(&said.content),
        images: images(&said.content),
        reasoning: reasoning(
            &said.reasoning_content,
            &said.thinking_blocks,
            said.responses_reasoning_item.as_ref(),
        ),
        recall: Recall {
            chips: event.activated_skills.clone(),
            knowledge: knowledge.collect(),
        },
        ..Message::default()
    }
}

/// Whether the goal loop wrote the message, although its source is a person.
pub(super) fn is_of_the_loop(event: &MessageEvent) -> bool {
    text_of(&event.llm_message.content).starts_with(LOOP)
}

/// The reasoning, from whichever of the three fields the model's provider fills.
pub(super) fn reasoning(
    plain: &str,
    blocks: &[ThinkingBlock],
    item: Option<&ReasoningItem>,
) -> String {
    if !plain.trim().is_empty() {
        return plain.to_owned();
    }
    let thoughts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            ThinkingBlock::Thinking { thinking } => Some(thinking.as_str()),
            ThinkingBlock::Other(_) => None,
        })
        .collect();
    match item {
        _ if !thoughts.is_empty() => thoughts.join("\n\n"),
        Some(item) if !item.content.is_empty() => item.content.join("\n\n"),
        Some(item) => item.summary.join("\n\n"),
        None => String::new(),
    }
}
