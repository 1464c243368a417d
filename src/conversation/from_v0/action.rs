//! Translating actions.

use super::{confirmation, files, images, risk, status, tasks, text_of};
use crate::conversation::more::more;
use crate::conversation::{
    Body, Call, Confirmation, Message, Risk, Status, SystemPrompt, Tool, text,
};
use crate::wire::v0::{
    Action, AgentFinishAction, CondensationAction, Event, EventSource, MessageAction,
    SystemMessageAction,
};
use serde_json::{Map, Value, json};

/// Translates an action; `tag` is its name on the wire.
pub(super) fn body(event: &Event, tag: &str, action: &Action) -> Body {
    let call = |tool: Tool, thought: &str| Call {
        call_id: event
            .tool_call_metadata
            .as_ref()
            .map(|call| call.tool_call_id.clone())
            .filter(|id| !id.is_empty()),
        group: None,
        tool,
        more: Map::new(),
        tool_name: event
            .tool_call_metadata
            .as_ref()
            .map(|call| call.function_name.clone())
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| tag.to_owned()),
        summary: event.message.clone(),
        thought: thought.to_owned(),
        reasoning: String::new(),
        risk: Risk::Unknown,
        confirmation: Confirmation::NotAsked,
        held: false,
    };
    let body = |call: Call| Body::Call(call);
    match action {
        Action::Null(_) | Action::Recall(_) => Body::Nothing,
        Action::Message(message) => Body::Message(said(message)),
        Action::System(system) => Body::System(instructions(system)),
        Action::Run(run) => body(Call {
            risk: risk(&run.security_risk),
            confirmation: confirmation(&run.confirmation_state),
            held: true,
            more: more(
                &run.more,
                [
                    ("blocking", run.blocking.into()),
                    ("hidden", run.hidden.into()),
                ],
            ),
            ..call(
                Tool::Shell {
                    command: run.command.clone(),
                    input: run.is_input,
                },
                &run.thought,
            )
        }),
        Action::RunIpython(cell) => body(Call {
            risk: risk(&cell.security_risk),
            confirmation: confirmation(&cell.confirmation_state),
            held: true,
            more: more(
                &cell.more,
                [("kernel_init_code", cell.kernel_init_code.as_str().into())],
            ),
            ..call(
                Tool::Cell {
                    code: cell.code.clone(),
                },
                &cell.thought,
            )
        }),
        Action::Read(read) => body(Call {
            risk: risk(&read.security_risk),
            ..call(Tool::File(files::view(read)), &read.thought)
        }),
        Action::Write(write) => body(Call {
            risk: risk(&write.security_risk),
            ..call(Tool::File(files::rewrite(write)), &write.thought)
        }),
        Action::Edit(edit) => body(Call {
            risk: risk(&edit.security_risk),
            ..call(Tool::File(files::change(edit)), &edit.thought)
        }),
        Action::Browse(browse) => body(Call {
            risk: risk(&browse.security_risk),
            held: true,
            more: more(&browse.more, []),
            ..call(
                Tool::Browser {
                    action: browse.url.clone(),
                    url: Some(browse.url.clone()),
                },
                &browse.thought,
            )
        }),
        Action::BrowseInteractive(browse) => body(Call {
            risk: risk(&browse.security_risk),
            held: true,
            more: more(
                &browse.more,
                [(
                    "browsergym_send_msg_to_user",
                    browse.browsergym_send_msg_to_user.as_str().into(),
                )],
            ),
            ..call(
                Tool::Browser {
                    action: browse.browser_actions.clone(),
                    url: address(&browse.browser_actions),
                },
                &browse.thought,
            )
        }),
        Action::CallToolMcp(mcp) => body(Call {
            risk: risk(&mcp.security_risk),
            more: more(&mcp.more, []),
            ..call(
                Tool::Mcp {
                    name: mcp.name.clone(),
                    arguments: mcp.arguments.clone().into(),
                },
                &mcp.thought,
            )
        }),
        Action::Delegate(delegate) => {
            let mut inputs = delegate.inputs.clone();
            let task = match inputs.remove("task") {
                Some(task) => text_of(&task),
                None => Value::from(std::mem::take(&mut inputs)).to_string(),
            };
            body(Call {
                more: more(&delegate.more, [("inputs", inputs.into())]),
                ..call(
                    Tool::SubAgent {
                        agent: delegate.agent.clone(),
                        task,
                        apart: false,
                    },
                    &delegate.thought,
                )
            })
        }
        Action::Think(think) => body(call(
            Tool::Think {
                text: think.thought.clone(),
            },
            "",
        )),
        Action::Finish(finish) => {
            let (text, thought) = closing_words(finish);
            body(call(Tool::Finish { text }, &thought))
        }
        Action::Reject(reject) => {
            let reason = reject.outputs.get("reason").map(text_of);
            let thought = if reason.is_some() {
                reject.thought.as_str()
            } else {
                ""
            };
            let text = reason.unwrap_or_else(|| reject.thought.clone());
            body(call(Tool::Decline { text }, thought))
        }
        Action::TaskTracking(list) => body(call(
            Tool::Tasks {
                tasks: tasks(&list.task_list),
            },
            &list.thought,
        )),
        Action::CondensationRequest(_) => body(call(Tool::Condense, "")),
        Action::Condensation(condensation) => Body::Condensed {
            forgotten: forgotten(condensation),
            summary: condensation.summary.clone().unwrap_or_default(),
        },
        Action::Summarize(summary) => Body::Note(summary.summary.clone()),
        // The server sends this action for every change of state; only those from a person matter.
        Action::ChangeAgentState(change) if event.source == EventSource::User => Body::Steered {
            status: status(&change.agent_state),
        },
        Action::ChangeAgentState(_) => Body::Nothing,
        Action::Pause(_) => Body::Steered {
            status: Status::Paused,
        },
        Action::Resume(_) => Body::Steered {
            status: Status::Running,
        },
        Action::Stop(_) => Body::Steered {
            status: Status::Stopped,
        },
        Action::LoopRecovery(_) | Action::Start(_) => Body::Note(sentence(event, tag)),
        Action::Push(_) | Action::SendPr(_) => body(call(
            Tool::Other {
                name: tag.to_owned(),
                arguments: json!({}),
            },
            "",
        )),
        Action::Unknown(_) => Body::Unknown {
            kind: tag.to_owned(),
        },
    }
}

fn sentence(event: &Event, tag: &str) -> String {
    if event.message.is_empty() {
        tag.replace('_', " ")
    } else {
        event.message.clone()
    }
}

fn said(message: &MessageAction) -> Message {
    // In the specification's glossary the agent's text is in `thought`.
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

/// The URL in `goto("...")`.
fn address(code: &str) -> Option<String> {
    let rest = code.trim_start().strip_prefix("goto(")?.trim_start();
    let quote = rest
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    rest[1..].split(quote).next().map(str::to_owned)
}

/// The closing message, and the thought beside it.
fn closing_words(finish: &AgentFinishAction) -> (String, String) {
    let content = |outputs: &Map<String, Value>| outputs.get("content").map(text_of);
    if !finish.final_thought.is_empty() {
        return (finish.final_thought.clone(), finish.thought.clone());
    }
    match content(&finish.outputs) {
        Some(content) => (content, finish.thought.clone()),
        None => (finish.thought.clone(), String::new()),
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
