//! What a call means.

use super::{message::reasoning, risk, tasks};
use crate::conversation::{Call, Confirmation, FileOp, Tool};
use crate::wire::v1::{Action, ActionEvent, Event, FileEditorAction, ReadFileAction, text_of};
use serde_json::{Value, json};

pub(super) fn call(event: &Event, action: &ActionEvent) -> Call {
    let tool = match &action.action {
        Some(asked) => tool(action, asked),
        // It cannot be carried out: an error follows.
        None => other(action),
    };
    Call {
        call_id: Some(action.tool_call_id.clone()).filter(|id| !id.is_empty()),
        // Every call is in a group, if in one of its own.
        group: Some(action.llm_response_id.clone())
            .filter(|group| !group.is_empty())
            .or_else(|| event.id.clone())
            .or_else(|| Some(String::new())),
        tool,
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
        // Whatever waits really waits. What cannot be carried out never does.
        held: action.action.is_some(),
    }
}

/// The model's own sentence. Where it gave none, the server repeats tool and arguments.
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
        Action::Task(task) => Tool::SubAgent {
            agent: task.subagent_type.clone(),
            task: task.prompt.clone(),
            apart: true,
        },
        Action::Delegate(delegate) => Tool::SubAgent {
            agent: delegate.ids.join(", "),
            task: match delegate.tasks.is_empty() {
                true => delegate.command.clone(),
                false => Value::from(delegate.tasks.clone()).to_string(),
            },
            apart: true,
        },
        Action::StartChildConversation(child) => Tool::SubAgent {
            agent: child
                .title
                .clone()
                .unwrap_or_else(|| "a conversation of its own".to_owned()),
            task: child.task.clone(),
            apart: true,
        },
        Action::BrowserNavigate(page) => browser(page.url.clone(), Some(page.url.clone())),
        Action::BrowserClick(click) => browser(format!("click element {}", click.index), None),
        Action::BrowserType(typed) => browser(
            format!("type {:?} into element {}", typed.text, typed.index),
            None,
        ),
        Action::BrowserScroll(scroll) => browser(format!("scroll {}", scroll.direction), None),
        Action::BrowserGoBack(_) => browser("go back".to_owned(), None),
        Action::Other(_) => match action.tool_name.strip_prefix("browser_") {
            Some(name) => browser(name.replace('_', " "), None),
            None => other(action),
        },
    }
}

fn browser(action: String, url: Option<String>) -> Tool {
    Tool::Browser { action, url }
}

/// A tool that we do not know: its name, and its arguments as the model wrote them.
fn other(action: &ActionEvent) -> Tool {
    let written = action.tool_call.arguments.as_str();
    let arguments = match (serde_json::from_str(written), &action.action) {
        (Ok(arguments), _) => arguments,
        (Err(_), Some(Action::Other(fields))) => fields.clone(),
        (Err(_), _) if written.is_empty() => json!({}),
        // Cut off in the middle, perhaps: as it is.
        (Err(_), _) => written.into(),
    };
    let names = [&action.tool_name, &action.tool_call.name];
    let name = names.into_iter().find(|name| !name.is_empty());
    Tool::Other {
        name: name.cloned().unwrap_or_else(|| "tool".to_owned()),
        arguments,
    }
}

/// `None` for a command that we do not know.
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
