//! Rendering what the model received: texts as they are, with hidden characters made visible.

use super::hidden::escape_revealing;
use super::model_view::{ModelMessageView, ModelPartView, ModelView};
use super::{Html, first_line};
use crate::conversation::messages::{ModelMessage, ModelRequest, Part, Shape};
use crate::wire::read_event_json;
use serde_json::Value;

/// Characters of a text that are shown; the download has all of it.
const SHOWN: usize = 20_000;
/// Bytes of all messages that are shown, about; the newest ones count.
const MOST: usize = 1 << 20;
/// Messages that are shown.
const MESSAGES: usize = 400;
/// Bytes of the JSON that a page gets for its copy button.
const COPIED: usize = 256 << 10;
/// Characters of a message beside its role.
const HEAD: usize = 100;
/// Names of tools that are shown, and the characters of each.
const TOOLS: (usize, usize) = (200, 80);

/// The request as a page shows it. `before` is the request of an earlier step, to compare with.
pub fn model_view(
    request: ModelRequest,
    before: Option<ModelRequest>,
    shape: Shape,
    json: String,
) -> ModelView {
    let sent = request.to_json(shape);
    let before = before.map(|before| before.to_json(shape));
    let same = before
        .as_ref()
        .map_or(sent.len(), |before| same(before, &sent));
    let changes = before.map(|before| (sent.len() - same, before.len() - same));
    let mut messages = Vec::new();
    let mut weight = 0;
    for (at, message) in request.messages.iter().enumerate().rev() {
        if messages.len() == MESSAGES || weight > MOST {
            break;
        }
        let mut view = message_view(at, message, shape);
        view.new = changes.is_some() && at >= same;
        weight += view.parts.iter().map(weight_of).sum::<usize>();
        messages.push(view);
    }
    messages.reverse();
    ModelView {
        older: request.messages.len() - messages.len(),
        messages,
        tools: tools(&request),
        left_out: request.left_out.into_iter().take(MESSAGES).collect(),
        refused: request.refused,
        agent_server: request.agent_server,
        tokens: request.tokens,
        model: request.model.unwrap_or_default(),
        changes,
        json: if json.len() <= COPIED {
            json
        } else {
            String::new()
        },
        newest: 0,
        cut: false,
    }
}

/// The number of messages with which both begin.
fn same(before: &[Value], after: &[Value]) -> usize {
    let pairs = before.iter().zip(after);
    pairs.take_while(|(before, after)| before == after).count()
}

fn message_view(at: usize, message: &ModelMessage, shape: Shape) -> ModelMessageView {
    let mut parts: Vec<ModelPartView> = message
        .parts
        .iter()
        .map(|part| part_view(part, shape))
        .collect();
    for call in message.calls.iter().flatten() {
        let (html, hidden, cut) = shown(&call.arguments);
        parts.push(ModelPartView::Call {
            name: call.name.clone(),
            id: call.id.clone(),
            html,
            hidden,
            cut,
        });
    }
    let calls = message.calls.iter().flatten();
    let called: Vec<&str> = calls.map(|call| call.name.as_str()).collect();
    let said = message.texts().find(|text| !text.trim().is_empty());
    ModelMessageView {
        number: at + 1,
        role: message.role,
        head: said.map_or_else(|| called.join(", "), |text| first_line(text, HEAD)),
        tool: message
            .answers
            .as_ref()
            .map_or_else(String::new, |(_, tool)| tool.clone()),
        parts,
        remark: message.remark,
        seq: message.seq,
        new: false,
        size: message.texts().map(|text| text.chars().count()).sum(),
    }
}

fn part_view(part: &Part, shape: Shape) -> ModelPartView {
    match part {
        Part::Text(text) => {
            let (html, hidden, cut) = shown(text);
            ModelPartView::Text { html, hidden, cut }
        }
        Part::Image(address) => ModelPartView::Image {
            what: match address.split_once(',') {
                Some((kind, data)) if address.starts_with("data:") => {
                    let kind = kind.trim_start_matches("data:").chars().take(40);
                    format!("{} ({} bytes)", kind.collect::<String>(), data.len())
                }
                _ => address.chars().take(200).collect(),
            },
            sent: shape.vision && !shape.string,
        },
    }
}

/// The beginning of a text as HTML, whether it has hidden characters, and how many characters are missing.
fn shown(text: &str) -> (Html, bool, usize) {
    let end = text
        .char_indices()
        .nth(SHOWN)
        .map_or(text.len(), |(at, _)| at);
    let mut html = Html::new();
    let hidden = escape_revealing(&mut html, &text[..end]);
    (html, hidden, text[end..].chars().count())
}

fn weight_of(part: &ModelPartView) -> usize {
    match part {
        ModelPartView::Text { html, .. } | ModelPartView::Call { html, .. } => html.len(),
        ModelPartView::Image { what, .. } => what.len(),
    }
}

fn tools(request: &ModelRequest) -> Vec<String> {
    let tools = request.tools.as_ref().map(|tools| tools.get());
    let tools = tools.and_then(|tools| read_event_json(tools.as_bytes()));
    // 0.x has a function, 1.x a title.
    let name = |tool: &Value| {
        let named = tool.pointer("/function/name");
        let name = named
            .or_else(|| tool.get("title"))
            .or_else(|| tool.get("name"));
        Some(name?.as_str()?.chars().take(TOOLS.1).collect())
    };
    let list = tools
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    list.filter_map(name).take(TOOLS.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::messages::ModelLog;

    fn request(log: &str) -> ModelRequest {
        let mut made = ModelLog::new(str::to_owned);
        for (at, line) in (0..).zip(log.lines()) {
            made.push(at, at, line);
        }
        made.request(Shape::default())
    }

    const SYSTEM: &str = r#"{"id":0,"source":"agent","action":"system","args":{"content":"Be good","tools":[{"type":"function","function":{"name":"run"}}]}}"#;
    const SAID: &str =
        r#"{"id":1,"source":"user","action":"message","args":{"content":"<b>Hi\u202e"}}"#;

    #[test]
    fn agents_texts_are_text_and_hidden_characters_are_seen() {
        let view = model_view(
            request(&format!("{SYSTEM}\n{SAID}")),
            None,
            Shape::default(),
            String::new(),
        );
        assert_eq!(view.tools, ["run"]);
        let ModelPartView::Text { html, hidden, cut } = &view.messages[1].parts[0] else {
            panic!("it is a text");
        };
        assert!(
            html.starts_with("&lt;b&gt;Hi") && *hidden && *cut == 0,
            "{html}"
        );
    }

    #[test]
    fn what_was_added_since_a_step_is_marked() {
        let before = request(&format!("{SYSTEM}\n{SAID}"));
        let more = r#"{"id":2,"source":"agent","action":"message","args":{"content":"Hello"}}"#;
        let after = request(&format!("{SYSTEM}\n{SAID}\n{more}"));
        let view = model_view(after, Some(before), Shape::default(), String::new());
        assert_eq!(view.changes, Some((1, 0)));
        let new: Vec<bool> = view.messages.iter().map(|message| message.new).collect();
        assert_eq!(new, [false, false, true]);
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        let long = "x".repeat(SHOWN + 5);
        let said = format!(
            r#"{{"id":1,"source":"user","action":"message","args":{{"content":"{long}"}}}}"#
        );
        let view = model_view(
            request(&format!("{SYSTEM}\n{said}")),
            None,
            Shape::default(),
            String::new(),
        );
        assert!(matches!(
            view.messages[1].parts[0],
            ModelPartView::Text { cut: 5, .. }
        ));
    }
}
