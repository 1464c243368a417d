//! Translating results.

use super::{images, tasks};
use crate::conversation::{Body, ResultShape, ToolResult};
use crate::wire::json_text;
use crate::wire::v1::{
    Content, Observation, ObservationEvent, Observed, TerminalObservation, text_of,
};
use serde_json::Value;

pub(super) fn body(event: &ObservationEvent) -> Body {
    let Observed {
        content,
        is_error,
        observation,
        ..
    } = &event.observation;
    let result = ToolResult {
        text: text_of(content),
        images: images(content),
        failed: *is_error,
        ..ToolResult::default()
    };
    Body::Result(match observation {
        // These results repeat the call, unless they report an error.
        Observation::Think {} | Observation::Finish {} if !is_error => return Body::Nothing,
        Observation::Terminal(run) => terminal(run, result),
        Observation::FileEditor(edit) => changed(
            result,
            (edit.command == "view").then_some(ResultShape::NumberedFile),
            edit.path.as_ref(),
            edit.old_content.as_ref(),
            edit.new_content.as_ref(),
        ),
        Observation::Edit(edit) => changed(
            result,
            None,
            edit.file_path.as_ref(),
            edit.old_content.as_ref(),
            edit.new_content.as_ref(),
        ),
        Observation::TaskTracker(list) => {
            let is_view = list.command == "view";
            ToolResult {
                shape: if is_view {
                    ResultShape::Markdown
                } else {
                    ResultShape::Plain
                },
                tasks: (!is_view && !is_error).then(|| tasks(&list.task_list)),
                ..result
            }
        }
        Observation::Browser(page) => {
            let mut result = result;
            let picture = page
                .screenshot_data
                .as_deref()
                .filter(|data| !data.is_empty());
            result
                .images
                .extend(picture.map(|data| format!("data:image/png;base64,{data}")));
            result
        }
        Observation::InvokeSkill(_) | Observation::Task(_) => ToolResult {
            shape: ResultShape::Markdown,
            ..result
        },
        Observation::StartChildConversation(child) => ToolResult {
            conversation: child.conversation_id.clone(),
            path: child.workspace.clone(),
            ..result
        },
        Observation::Other(_) if event.observation.kind == "MCPToolObservation" => ToolResult {
            text: text_of(without_headline(content)),
            ..result
        },
        Observation::Other(fields) => with_fields(&event.observation.kind, fields, result),
        Observation::Think {} | Observation::Finish {} => result,
    })
}

/// Kinds of results whose content says everything that their fields do.
const TOLD_BY_CONTENT: [&str; 8] = [
    "ApplyPatchObservation",
    "ClientToolObservation",
    "DelegateObservation",
    "GlobObservation",
    "GrepObservation",
    "ListDirectoryObservation",
    "ReadFileObservation",
    "WriteFileObservation",
];

/// A result of an unknown kind: its text, and all that it says beside.
fn with_fields(kind: &str, fields: &Value, result: ToolResult) -> ToolResult {
    let mut fields = match fields {
        Value::Object(fields) => fields.clone(),
        _ => return result,
    };
    let is_error = Value::Bool(result.failed);
    fields.retain(|name, value| name != "kind" && (name != "is_error" || *value != is_error));
    let is_text = !result.text.is_empty();
    if fields.is_empty() || (is_text && TOLD_BY_CONTENT.contains(&kind)) {
        return result;
    }
    let json = json_text(&Value::Object(fields));
    let (shape, text) = match is_text {
        true => (ResultShape::Plain, format!("{}\n\n{json}", result.text)),
        false => (ResultShape::Json, json),
    };
    ToolResult {
        text,
        shape,
        ..result
    }
}

/// Removes the first part, "[Tool 'x' executed.]", which the server adds to an MCP result.
fn without_headline(content: &[Content]) -> &[Content] {
    match content {
        [Content::Text { text }, rest @ ..]
            if text.starts_with("[Tool '") && text.ends_with(" executed.]") =>
        {
            rest
        }
        all => all,
    }
}

fn terminal(run: &TerminalObservation, result: ToolResult) -> ToolResult {
    let exit_code = run.exit_code.or(run.metadata.exit_code);
    let unfinished = exit_code == Some(-1) && !result.failed;
    let exit_code = exit_code.filter(|code| *code != -1);
    // The exit code already says that the command has ended.
    let ended = exit_code.map(|code| format!("[The command completed with exit code {code}.]"));
    let remarks = [&run.metadata.prefix, &run.metadata.suffix]
        .into_iter()
        .map(|text| text.trim())
        .filter(|text| !text.is_empty() && Some(*text) != ended.as_deref());
    ToolResult {
        shape: ResultShape::Terminal,
        exit_code,
        unfinished,
        failed: result.failed || exit_code.is_some_and(|code| code != 0),
        path: run.metadata.working_dir.clone(),
        remarks: remarks.map(str::to_owned).collect(),
        ..result
    }
}

fn changed(
    result: ToolResult,
    shape: Option<ResultShape>,
    path: Option<&String>,
    old: Option<&String>,
    new: Option<&String>,
) -> ToolResult {
    let texts = new.map(|new| (old.cloned().unwrap_or_default(), new.clone()));
    ToolResult {
        shape: shape.unwrap_or_default(),
        path: path.cloned(),
        texts: texts.filter(|_| !result.failed),
        ..result
    }
}
