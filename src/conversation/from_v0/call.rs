//! The calls of actions.

use super::{confirmation, files, risk, tasks, text_of};
use crate::conversation::more::more;
use crate::conversation::{Call, FileOp, Risk, Tool};
use crate::wire::json_text;
use crate::wire::v0::{
    AgentDelegateAction, AgentFinishAction, AgentRejectAction, BrowseInteractiveAction,
    BrowseURLAction, CmdRunAction, Event, FileEditAction, FileReadAction, FileWriteAction,
    IPythonRunCellAction, MCPAction, TaskTrackingAction,
};
use serde_json::{Map, Value, json};

/// The event of a call, and the name of its action on the wire.
#[derive(Clone, Copy)]
pub(super) struct Calling<'a> {
    pub(super) event: &'a Event,
    pub(super) tag: &'a str,
}

impl Calling<'_> {
    /// A call of a tool, without a rating.
    pub(super) fn plain(self, tool: Tool, thought: &str) -> Call {
        let metadata = self.event.tool_call_metadata.as_ref();
        let call_id = metadata.map(|call| call.tool_call_id.clone());
        let tool_name = metadata.map(|call| call.function_name.clone());
        Call {
            call_id: call_id.filter(|id| !id.is_empty()),
            tool_name: tool_name
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| self.tag.to_owned()),
            summary: self.event.message.clone(),
            thought: thought.to_owned(),
            ..Call::of(tool)
        }
    }

    pub(super) fn run(self, run: &CmdRunAction) -> Call {
        let tool = Tool::Shell {
            command: run.command.clone(),
            input: run.is_input,
        };
        let beside = [
            ("blocking", run.blocking.into()),
            ("hidden", run.hidden.into()),
        ];
        Call {
            risk: risk(&run.security_risk),
            confirmation: confirmation(&run.confirmation_state),
            held: true,
            more: more(&run.more, beside),
            ..self.plain(tool, &run.thought)
        }
    }

    pub(super) fn cell(self, cell: &IPythonRunCellAction) -> Call {
        let code = cell.code.clone();
        let beside = [("kernel_init_code", cell.kernel_init_code.as_str().into())];
        Call {
            risk: risk(&cell.security_risk),
            confirmation: confirmation(&cell.confirmation_state),
            held: true,
            more: more(&cell.more, beside),
            ..self.plain(Tool::Cell { code }, &cell.thought)
        }
    }

    pub(super) fn read(self, read: &FileReadAction) -> Call {
        let rating = risk(&read.security_risk);
        let more = more(&read.more, []);
        self.file(files::view(read), more, &read.thought, rating)
    }

    pub(super) fn write(self, write: &FileWriteAction) -> Call {
        let rating = risk(&write.security_risk);
        let more = more(&write.more, []);
        self.file(files::rewrite(write), more, &write.thought, rating)
    }

    pub(super) fn edit(self, edit: &FileEditAction) -> Call {
        let risk = risk(&edit.security_risk);
        if let Some(change) = files::change(edit) {
            let more = files::beside(edit, &change);
            return self.file(change, more, &edit.thought, risk);
        }
        let (name, arguments) = (self.tag.to_owned(), files::arguments(edit));
        Call {
            risk,
            ..self.plain(Tool::Other { name, arguments }, &edit.thought)
        }
    }

    fn file(self, operation: FileOp, more: Map<String, Value>, thought: &str, risk: Risk) -> Call {
        Call {
            risk,
            more,
            ..self.plain(Tool::File(operation), thought)
        }
    }

    pub(super) fn browse(self, browse: &BrowseURLAction) -> Call {
        let tool = Tool::Browser {
            action: browse.url.clone(),
            url: Some(browse.url.clone()),
        };
        Call {
            risk: risk(&browse.security_risk),
            held: true,
            more: more(&browse.more, []),
            ..self.plain(tool, &browse.thought)
        }
    }

    pub(super) fn browse_interactive(self, browse: &BrowseInteractiveAction) -> Call {
        let tool = Tool::Browser {
            action: browse.browser_actions.clone(),
            url: address(&browse.browser_actions),
        };
        let said = browse.browsergym_send_msg_to_user.as_str();
        Call {
            risk: risk(&browse.security_risk),
            held: true,
            more: more(&browse.more, [("browsergym_send_msg_to_user", said.into())]),
            ..self.plain(tool, &browse.thought)
        }
    }

    pub(super) fn mcp(self, mcp: &MCPAction) -> Call {
        let tool = Tool::Mcp {
            name: mcp.name.clone(),
            arguments: mcp.arguments.clone().into(),
        };
        Call {
            risk: risk(&mcp.security_risk),
            more: more(&mcp.more, []),
            ..self.plain(tool, &mcp.thought)
        }
    }

    pub(super) fn delegate(self, delegate: &AgentDelegateAction) -> Call {
        let mut inputs = delegate.inputs.clone();
        let task = match inputs.remove("task") {
            Some(task) => text_of(&task),
            None => json_text(&Value::from(std::mem::take(&mut inputs))),
        };
        let tool = Tool::SubAgent {
            agent: delegate.agent.clone(),
            task,
            apart: false,
        };
        Call {
            more: more(&delegate.more, [("inputs", inputs.into())]),
            ..self.plain(tool, &delegate.thought)
        }
    }

    pub(super) fn finish(self, finish: &AgentFinishAction) -> Call {
        let (text, thought) = closing_words(finish);
        self.plain(Tool::Finish { text }, &thought)
    }

    pub(super) fn decline(self, reject: &AgentRejectAction) -> Call {
        let reason = reject.outputs.get("reason").map(text_of);
        let thought = match reason {
            Some(_) => reject.thought.as_str(),
            None => "",
        };
        let text = reason.unwrap_or_else(|| reject.thought.clone());
        self.plain(Tool::Decline { text }, thought)
    }

    pub(super) fn tasks(self, list: &TaskTrackingAction) -> Call {
        let tasks = tasks(&list.task_list);
        self.plain(Tool::Tasks { tasks }, &list.thought)
    }

    /// A call of an unknown tool, or with unexpected arguments.
    pub(super) fn unknown(self, fields: &Value) -> Call {
        let mut arguments = fields.get("args").cloned().unwrap_or_default();
        let mut take = |name| arguments.as_object_mut()?.remove(name);
        let state = take("confirmation_state").and_then(|state| serde_json::from_value(state).ok());
        let level = take("security_risk").and_then(|level| serde_json::from_value(level).ok());
        let thought = take("thought").map(|thought| text_of(&thought));
        let name = self.tag.to_owned();
        Call {
            confirmation: state.as_ref().map(confirmation).unwrap_or_default(),
            risk: level.as_ref().map(risk).unwrap_or_default(),
            ..self.plain(
                Tool::Other { name, arguments },
                &thought.unwrap_or_default(),
            )
        }
    }

    /// A call of a tool without arguments, known by its name only.
    pub(super) fn other(self) -> Call {
        let (name, arguments) = (self.tag.to_owned(), json!({}));
        self.plain(Tool::Other { name, arguments }, "")
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
