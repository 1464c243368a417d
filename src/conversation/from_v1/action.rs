//! Translating actions.

use super::{message::reasoning, risk, tasks};
use crate::conversation::{Call, Confirmation, FileOp, Tool, more::more, text};
use crate::wire::v1::{Action, ActionEvent, Event, FileEditorAction, ReadFileAction, text_of};
use crate::wire::{json_text, read_arguments_json};
use serde_json::{Map, Value, json};

pub(super) fn call(event: &Event, action: &ActionEvent) -> Call {
    let tool = match &action.action {
        Some(asked) => tool(action, asked),
        // Not executable: an error follows.
        None => other(action),
    };
    Call {
        call_id: Some(action.tool_call_id.clone()).filter(|id| !id.is_empty()),
        // Every call has a group, if necessary its own.
        group: Some(action.llm_response_id.clone())
            .filter(|group| !group.is_empty())
            .or_else(|| event.id.clone())
            .or_else(|| Some(String::new())),
        tool,
        more: action.action.as_ref().map(beside).unwrap_or_default(),
        tool_name: action.tool_name.clone(),
        summary: summary(action),
        thought: text_of(&action.thought),
        reasoning: reasoning(
            &action.reasoning_content,
            &action.thinking_blocks,
            action.responses_reasoning_item.as_ref(),
        ),
        risk: risk(&action.security_risk),
        confirmation: Confirmation::NotAsked,
        // Every pending call is really held back. A call that is not executable is never pending.
        held: action.action.is_some(),
    }
}

/// The model's own summary. Without one, the server repeats tool and arguments; that is left out.
fn summary(action: &ActionEvent) -> String {
    match action.summary.strip_prefix(&action.tool_name) {
        Some(rest) if rest.starts_with(": {") => String::new(),
        _ => action.summary.clone(),
    }
}

fn tool(action: &ActionEvent, asked: &Action) -> Tool {
    match asked {
        Action::Terminal(run) => Tool::Shell {
            command: run.command.clone(),
            input: run.is_input,
        },
        Action::FileEditor(edit) => file(edit).map_or_else(|| other(action), Tool::File),
        Action::ReadFile(read) => Tool::File(FileOp::View {
            path: read.file_path.clone(),
            range: lines(read),
        }),
        Action::WriteFile(write) => Tool::File(FileOp::Create {
            path: write.file_path.clone(),
            text: write.content.clone(),
        }),
        Action::Edit(edit) => Tool::File(FileOp::Replace {
            path: edit.file_path.clone(),
            old: edit.old_string.clone(),
            new: edit.new_string.clone(),
        }),
        Action::ListDirectory(list) => Tool::File(FileOp::View {
            path: list.dir_path.clone(),
            range: None,
        }),
        Action::Glob(glob) => Tool::Search {
            pattern: glob.pattern.clone(),
            place: glob.path.clone().unwrap_or_default(),
        },
        Action::Grep(grep) => Tool::Search {
            pattern: grep.pattern.clone(),
            place: [&grep.path, &grep.include]
                .into_iter()
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
                .join(" "),
        },
        Action::TaskTracker(list) => Tool::Tasks {
            tasks: tasks(&list.task_list),
        },
        Action::Think(think) => Tool::Think {
            text: think.thought.clone(),
        },
        Action::Finish(finish) => Tool::Finish {
            text: finish.message.clone(),
        },
        Action::Mcp(mcp) => Tool::Mcp {
            name: action.tool_name.clone(),
            arguments: mcp.data.clone().into(),
        },
        Action::InvokeSkill(skill) => Tool::Skill {
            name: skill.name.clone(),
        },
        Action::Task(task) => sub_agent(task.subagent_type.clone(), task.prompt.clone()),
        Action::Delegate(delegate) => {
            let task = match delegate.tasks.is_empty() {
                true => delegate.command.clone(),
                false => json_text(&Value::from(delegate.tasks.clone())),
            };
            sub_agent(delegate.ids.join(", "), task)
        }
        Action::StartChildConversation(child) => {
            let title = child.title.clone();
            let agent = title.unwrap_or_else(|| text::new_conversation().to_owned());
            sub_agent(agent, child.task.clone())
        }
        Action::BrowserNavigate(page) => browser(page.url.clone(), Some(page.url.clone())),
        Action::BrowserClick(click) => browser(text::click_element(click.index), None),
        Action::BrowserType(typed) => browser(
            text::type_into_element(format_args!("{:?}", typed.text), typed.index),
            None,
        ),
        Action::BrowserScroll(scroll) => browser(text::scroll(&scroll.direction), None),
        Action::BrowserGoBack(_) => browser(text::go_back().to_owned(), None),
        Action::Other(_) => match action.tool_name.strip_prefix("browser_") {
            Some(name) => browser(name.replace('_', " "), None),
            None => other(action),
        },
    }
}

/// Arguments that [`Tool`] has no field for.
fn beside(asked: &Action) -> Map<String, Value> {
    match asked {
        Action::Terminal(run) => more(
            &run.more,
            [
                ("timeout", run.timeout.clone()),
                ("reset", run.reset.into()),
            ],
        ),
        Action::FileEditor(edit) => more(&edit.more, unused(edit)),
        Action::ReadFile(read) => more(&read.more, []),
        Action::WriteFile(write) => more(&write.more, []),
        Action::Edit(edit) => more(&edit.more, []),
        Action::ListDirectory(list) => more(&list.more, []),
        Action::Glob(glob) => more(&glob.more, []),
        Action::Grep(grep) => more(&grep.more, []),
        Action::Mcp(mcp) => more(&mcp.more, []),
        Action::InvokeSkill(skill) => more(&skill.more, []),
        Action::Task(task) => more(
            &task.more,
            [("description", task.description.clone().into())],
        ),
        Action::Delegate(delegate) => {
            // Without tasks, the command takes the place of the task.
            let command = (!delegate.tasks.is_empty()).then(|| delegate.command.clone());
            more(&delegate.more, [("command", command.into())])
        }
        Action::StartChildConversation(child) => more(&child.more, []),
        Action::BrowserNavigate(page) => more(&page.more, [("new_tab", page.new_tab.into())]),
        Action::BrowserClick(click) => more(&click.more, []),
        Action::BrowserType(typed) => more(&typed.more, []),
        Action::BrowserScroll(scroll) => more(&scroll.more, []),
        // Shown with all their arguments, or without meaningful ones.
        Action::TaskTracker(_)
        | Action::Think(_)
        | Action::Finish(_)
        | Action::BrowserGoBack(_) => Map::new(),
        Action::Other(fields) => match fields {
            Value::Object(fields) => more(fields, []),
            _ => Map::new(),
        },
    }
}

/// An agent with a conversation of its own.
fn sub_agent(agent: String, task: String) -> Tool {
    let apart = true;
    Tool::SubAgent { agent, task, apart }
}

fn browser(action: String, url: Option<String>) -> Tool {
    Tool::Browser { action, url }
}

/// An unknown tool: its name, and its arguments as the model wrote them.
fn other(action: &ActionEvent) -> Tool {
    let written = action.tool_call.arguments.as_str();
    let arguments = match (read_arguments_json(written.as_bytes()), &action.action) {
        (Some(arguments), _) => arguments,
        (None, Some(Action::Other(fields))) => fields.clone(),
        (None, _) if written.is_empty() => json!({}),
        // Possibly truncated JSON: kept unchanged.
        (None, _) => written.into(),
    };
    let names = [&action.tool_name, &action.tool_call.name];
    let name = names.into_iter().find(|name| !name.is_empty());
    Tool::Other {
        name: name.cloned().unwrap_or_else(|| "tool".to_owned()),
        arguments,
    }
}

/// The arguments of an operation on a file that its command has no use for.
fn unused(edit: &FileEditorAction) -> [(&'static str, Value); 7] {
    const ALL: [&str; 5] = ["view", "create", "str_replace", "insert", "undo_edit"];
    let unless = |commands: &[&str], value: Value| match commands.contains(&edit.command.as_str()) {
        true => Value::Null,
        false => value,
    };
    [
        ("command", unless(&ALL, edit.command.as_str().into())),
        ("path", unless(&ALL, edit.path.as_str().into())),
        (
            "file_text",
            unless(&["create"], edit.file_text.as_str().into()),
        ),
        (
            "old_str",
            unless(&["str_replace"], edit.old_str.as_str().into()),
        ),
        (
            "new_str",
            unless(&["str_replace", "insert"], edit.new_str.as_str().into()),
        ),
        ("insert_line", unless(&["insert"], edit.insert_line.into())),
        (
            "view_range",
            unless(&["view"], edit.view_range.clone().into()),
        ),
    ]
}

/// `None` for an unknown command.
fn file(edit: &FileEditorAction) -> Option<FileOp> {
    let path = edit.path.clone();
    Some(match edit.command.as_str() {
        "view" => FileOp::View {
            path,
            range: match edit.view_range.as_deref() {
                Some([first, last, ..]) => Some((*first, *last)),
                _ => None,
            },
        },
        "create" => FileOp::Create {
            path,
            text: edit.file_text.clone(),
        },
        "str_replace" => FileOp::Replace {
            path,
            old: edit.old_str.clone(),
            new: edit.new_str.clone(),
        },
        "insert" => FileOp::Insert {
            path,
            line: edit.insert_line.unwrap_or(0),
            text: edit.new_str.clone(),
        },
        "undo_edit" => FileOp::Undo { path },
        _ => return None,
    })
}

fn lines(read: &ReadFileAction) -> Option<(i64, i64)> {
    let first = read.offset.unwrap_or(0).saturating_add(1);
    match read.limit {
        Some(limit) => Some((first, first.saturating_add(limit).saturating_sub(1))),
        None => read.offset.map(|_| (first, -1)),
    }
}
