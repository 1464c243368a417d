//! Translating actions.

use super::call::Calling;
use super::{images, json_of, status};
use crate::conversation::{Body, Message, Status, SystemPrompt, Tool, text};
use crate::wire::v0::{
    Action, CondensationAction, Event, EventSource, MessageAction, SystemMessageAction,
};
use serde_json::Value;

/// Translates an action; `tag` is its name on the wire.
pub(super) fn body(event: &Event, tag: &str, action: &Action) -> Body {
    let calling = Calling { event, tag };
    Body::Call(match action {
        Action::Run(run) => calling.run(run),
        Action::RunIpython(cell) => calling.cell(cell),
        Action::Read(read) => calling.read(read),
        Action::Write(write) => calling.write(write),
        Action::Edit(edit) => calling.edit(edit),
        Action::Browse(browse) => calling.browse(browse),
        Action::BrowseInteractive(browse) => calling.browse_interactive(browse),
        Action::CallToolMcp(mcp) => calling.mcp(mcp),
        Action::Delegate(delegate) => calling.delegate(delegate),
        Action::Think(think) => {
            let text = think.thought.clone();
            calling.plain(Tool::Think { text }, "")
        }
        Action::Finish(finish) => calling.finish(finish),
        Action::Reject(reject) => calling.decline(reject),
        Action::TaskTracking(list) => calling.tasks(list),
        Action::CondensationRequest(_) => calling.plain(Tool::Condense, ""),
        Action::Push(_) | Action::SendPr(_) => calling.other(),
        Action::Null(_) | Action::Recall(_) => return Body::Nothing,
        Action::Message(message) => return Body::Message(said(message)),
        Action::System(system) => return Body::System(instructions(system)),
        Action::Condensation(condensation) => {
            return Body::Condensed {
                forgotten: forgotten(condensation),
                summary: condensation.summary.clone().unwrap_or_default(),
            };
        }
        Action::Summarize(summary) => return Body::Note(summary.summary.clone()),
        // The server sends this action for every change of state; only those from a person matter.
        Action::ChangeAgentState(change) if event.source == EventSource::User => {
            return steered(status(&change.agent_state));
        }
        Action::ChangeAgentState(_) => return Body::Nothing,
        Action::Pause(_) => return steered(Status::Paused),
        Action::Resume(_) => return steered(Status::Running),
        Action::Stop(_) => return steered(Status::Stopped),
        Action::LoopRecovery(_) | Action::Start(_) => return Body::Note(sentence(event, tag)),
        // Only a tool's action is approved, and belongs to a call of the model.
        Action::Unknown(fields) if event.tool_call_metadata.is_some() || is_asked(fields) => {
            calling.unknown(fields)
        }
        Action::Unknown(fields) => {
            return Body::Unknown {
                kind: tag.to_owned(),
                json: json_of(event, fields.clone()),
                result: None,
            };
        }
    })
}

fn is_asked(fields: &Value) -> bool {
    let args = fields.get("args");
    args.is_some_and(|args| args.get("confirmation_state").is_some())
}

fn steered(status: Status) -> Body {
    Body::Steered { status }
}

fn sentence(event: &Event, tag: &str) -> String {
    if event.message.is_empty() {
        tag.replace('_', " ")
    } else {
        event.message.clone()
    }
}

fn said(message: &MessageAction) -> Message {
    // In OpenHands' documentation the agent's text is in `thought`.
    let text = if message.content.is_empty() {
        &message.thought
    } else {
        &message.content
    };
    Message {
        text: text.clone(),
        images: images(&message.image_urls),
        files: message.file_urls.clone(),
        waits: message.wait_for_response,
        ..Message::default()
    }
}

fn instructions(system: &SystemMessageAction) -> SystemPrompt {
    let tool = |tool: &Value| {
        let function = tool.get("function").unwrap_or(tool);
        let field = |name| {
            function
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        (field("name"), field("description"))
    };
    let version = Some(&system.openhands_version).filter(|version| !version.is_empty());
    let class = Some(&system.agent_class).filter(|class| !class.is_empty());
    SystemPrompt {
        prompt: system.content.clone(),
        tools: system.tools.iter().map(tool).collect(),
        about: class
            .cloned()
            .into_iter()
            .chain(version.map(text::openhands_version))
            .collect(),
    }
}

fn forgotten(condensation: &CondensationAction) -> Option<u64> {
    match condensation {
        CondensationAction {
            forgotten_event_ids: Some(ids),
            ..
        } => u64::try_from(ids.len()).ok(),
        CondensationAction {
            forgotten_events_start_id: Some(first),
            forgotten_events_end_id: Some(last),
            ..
        } => u64::try_from(last.saturating_sub(*first).saturating_add(1)).ok(),
        _ => None,
    }
}
