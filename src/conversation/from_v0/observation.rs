//! Translating observations.
//!
//! 0.62 marks failures in six different ways, each valid only for its own kind of observation.

use super::{images, json_of, recall, status, tasks};
use crate::conversation::{Body, ResultShape, ToolResult};
use crate::wire::read_event_json;
use crate::wire::v0::{
    BrowserOutputObservation, CmdOutputObservation, Event, FileEditObservation, FileEditSource,
    FileReadObservation, FileReadSource, IPythonRunCellObservation, Observation,
    TaskTrackingObservation,
};
use serde_json::Value;

/// Translates an observation; `tag` is its name on the wire, `content` its text.
pub(super) fn body(event: &Event, tag: &str, content: &str, observation: &Observation) -> Body {
    let text = || content.to_owned();
    let result = |result: ToolResult| {
        Body::Result(ToolResult {
            text: text(),
            ..result
        })
    };
    match observation {
        Observation::Null(_) | Observation::Think(_) => Body::Nothing,
        Observation::AgentStateChanged(change) => Body::Status {
            status: status(&change.agent_state),
            reason: change.reason.clone(),
        },
        Observation::Recall(found) => Body::Recall(recall::recall(found)),
        Observation::Run(run) => Body::Result(command(event, content, run)),
        Observation::RunIpython(cell) => Body::Result(cell_output(content, cell)),
        Observation::Read(read) => Body::Result(file(content, read)),
        Observation::Edit(edit) => Body::Result(edited(content, edit)),
        Observation::Write(write) => result(ToolResult {
            path: some(&write.path),
            ..ToolResult::default()
        }),
        Observation::Download(file) => result(ToolResult {
            path: some(&file.file_path),
            ..ToolResult::default()
        }),
        Observation::Browse(page) | Observation::BrowseInteractive(page) => {
            Body::Result(browser(content, page))
        }
        Observation::Mcp(_) => Body::Result(mcp(content)),
        Observation::TaskTracking(list) => Body::Result(task_list(content, list)),
        Observation::Delegate(_) => result(ToolResult {
            shape: ResultShape::Markdown,
            ..ToolResult::default()
        }),
        Observation::Error(error) if event.cause.is_some() => Body::CallError {
            text: text(),
            code: error.error_id.clone(),
        },
        Observation::Error(error) => Body::RunError {
            code: error.error_id.clone(),
            text: text(),
            remedy: None,
        },
        Observation::UserRejected(_) => Body::Rejected { reason: text() },
        Observation::Condense(_) => Body::Condensed {
            forgotten: None,
            summary: text(),
        },
        Observation::Success(_)
        | Observation::LoopDetection(_)
        | Observation::Chat(_)
        | Observation::Message(_) => Body::Note(if content.is_empty() {
            tag.replace('_', " ")
        } else {
            text()
        }),
        Observation::Unknown(fields) => Body::Unknown {
            kind: tag.to_owned(),
            json: unknown(event, content, fields),
            result: event.cause.is_some().then(text),
        },
    }
}

/// The JSON of an unknown observation: without its text if that is shown as a result.
fn unknown(event: &Event, content: &str, fields: &Value) -> String {
    let mut fields = fields.clone();
    if event.cause.is_none()
        && !content.is_empty()
        && let Some(fields) = fields.as_object_mut()
    {
        fields.insert("content".to_owned(), content.into());
    }
    json_of(event, fields)
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn command(event: &Event, content: &str, run: &CmdOutputObservation) -> ToolResult {
    let metadata = &run.metadata;
    let unfinished = metadata.exit_code == Some(-1);
    let exit_code = metadata.exit_code.filter(|_| !unfinished);
    let remark = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default().trim();
        // The exit code already says that the command has ended.
        let ended = exit_code.map(|code| format!("[The command completed with exit code {code}.]"));
        (!text.is_empty() && Some(text) != ended.as_deref()).then(|| text.to_owned())
    };
    ToolResult {
        text: content.to_owned(),
        shape: ResultShape::Terminal,
        exit_code,
        unfinished,
        failed: match exit_code {
            Some(code) => code != 0,
            None => !unfinished && event.success == Some(false),
        },
        path: metadata.working_dir.as_deref().and_then(some),
        remarks: [&metadata.prefix, &metadata.suffix]
            .into_iter()
            .filter_map(remark)
            .collect(),
        ..ToolResult::default()
    }
}

fn cell_output(content: &str, cell: &IPythonRunCellObservation) -> ToolResult {
    // The server appends its remarks as lines `[Jupyter ...: ...]`.
    let (mut text, mut remarks) = (content, Vec::new());
    while let Some((before, last)) = text.rsplit_once('\n')
        && last.starts_with("[Jupyter ")
        && last.ends_with(']')
    {
        remarks.insert(0, last.to_owned());
        text = before;
    }
    ToolResult {
        text: text.to_owned(),
        shape: ResultShape::Terminal,
        images: images(&cell.image_urls),
        failed: has_traceback(text),
        remarks,
        ..ToolResult::default()
    }
}

/// Whether Jupyter printed a traceback: a ruler directly followed by the heading, or, for code that could not be
/// parsed, the location in the cell at the very beginning. A word like "Traceback" in the program's own output is not
/// enough.
fn has_traceback(text: &str) -> bool {
    let is_ruler = |line: &str| line.len() >= 40 && line.bytes().all(|byte| byte == b'-');
    let lines = || text.lines().map(str::trim_end);
    let ruled = lines()
        .zip(lines().skip(1))
        .any(|(line, next)| is_ruler(line) && next.ends_with("Traceback (most recent call last)"));
    let unreadable = text.trim_start().starts_with("Cell In[")
        && lines().any(|line| {
            ["SyntaxError:", "IndentationError:", "TabError:"]
                .iter()
                .any(|e| line.starts_with(e))
        });
    ruled || unreadable
}

/// The editor tool puts `ERROR:` first; in other text the word belongs to the file.
fn is_editor_error(content: &str, by_editor: bool) -> bool {
    by_editor && content.starts_with("ERROR:")
}

fn file(content: &str, read: &FileReadObservation) -> ToolResult {
    let by_editor = read.impl_source == FileReadSource::OhAci;
    let is_numbered = by_editor && content.starts_with("Here's the result of running `cat -n` on ");
    ToolResult {
        text: content.to_owned(),
        shape: if is_numbered {
            ResultShape::NumberedFile
        } else {
            ResultShape::Plain
        },
        failed: is_editor_error(content, by_editor),
        path: some(&read.path),
        ..ToolResult::default()
    }
}

fn edited(content: &str, edit: &FileEditObservation) -> ToolResult {
    let by_editor = edit.impl_source == FileEditSource::OhAci;
    // The editor tool sends the passage beside its diff, a model that edits the whole file and no diff.
    let texts = edit.old_content.clone().zip(edit.new_content.clone());
    ToolResult {
        text: content.to_owned(),
        failed: is_editor_error(content, by_editor),
        texts: texts.filter(|_| !by_editor && edit.diff.is_none()),
        diff: edit.diff.clone(),
        path: some(&edit.path),
        ..ToolResult::default()
    }
}

fn browser(content: &str, page: &BrowserOutputObservation) -> ToolResult {
    ToolResult {
        text: content.to_owned(),
        images: images(std::slice::from_ref(&page.screenshot)),
        failed: page.error,
        url: some(&page.url),
        remarks: page
            .last_browser_action_error
            .as_str()
            .and_then(some)
            // Once: what the browser answered begins with it.
            .filter(|error| !content.contains(error.as_str()))
            .into_iter()
            .collect(),
        ..ToolResult::default()
    }
}

/// The content is the tool's whole response as JSON; a person wants to read its text parts.
fn mcp(content: &str) -> ToolResult {
    let plain = || ToolResult {
        text: content.to_owned(),
        ..ToolResult::default()
    };
    let Some(Value::Object(answer)) = read_event_json(content.as_bytes()) else {
        return plain();
    };
    let failed = answer.get("isError") == Some(&Value::Bool(true));
    let (mut texts, mut pictures) = (Vec::new(), Vec::new());
    for part in answer
        .get("content")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        let field = |name| part.get(name).and_then(Value::as_str);
        match (
            field("type"),
            field("text"),
            field("data"),
            field("mimeType"),
        ) {
            (Some("text"), Some(text), ..) => texts.push(text),
            (Some("image"), _, Some(data), Some(mime)) => {
                pictures.push(format!("data:{mime};base64,{data}"))
            }
            // A part of another type: the whole content is shown unchanged.
            _ => {
                return ToolResult {
                    shape: ResultShape::Json,
                    failed,
                    ..plain()
                };
            }
        }
    }
    if texts.is_empty() && pictures.is_empty() {
        return ToolResult {
            shape: ResultShape::Json,
            failed,
            ..plain()
        };
    }
    ToolResult {
        text: texts.join("\n"),
        images: images(&pictures),
        failed,
        ..ToolResult::default()
    }
}

fn task_list(content: &str, list: &TaskTrackingObservation) -> ToolResult {
    let is_view = list.command == "view";
    ToolResult {
        text: content.to_owned(),
        shape: if is_view {
            ResultShape::Markdown
        } else {
            ResultShape::Plain
        },
        tasks: (!is_view).then(|| tasks(&list.task_list)),
        ..ToolResult::default()
    }
}
