//! What came of a call, as blocks.

use super::{Place, call, cut};
use crate::{
    conversation::{Execution, Kind, ResultShape, Tone, Tool, ToolResult},
    render::{Block, FileView, ansi, code::count, diff, file_view},
};
use call::remark;
use serde_json::Value;

/// The blocks of one outcome.
pub(super) fn outcome(place: &Place<'_>, tool: Option<&Tool>, execution: &Execution) -> Vec<Block> {
    let result = &execution.result;
    let kind = tool.map_or(Kind::Other, Tool::kind);
    let mut blocks = Vec::new();
    blocks.extend(place.images(tool, execution));

    let changed = result.shows_change();
    if changed {
        let path = result.path.as_deref().or(file_of(tool)).unwrap_or_default();
        blocks.push(place.changed(path, result));
    }
    // Beside its diff, the sentence that a file was edited says nothing new.
    // So does the sentence that the task list was updated, beside the list.
    let listed = result.tasks.as_ref().is_some_and(|tasks| !tasks.is_empty());
    if (!changed && !listed) || result.failed {
        blocks.extend(place.text(tool, kind, execution));
    }
    // The same list stands in the request already.
    let asked = matches!(tool, Some(Tool::Tasks { tasks }) if Some(tasks) == result.tasks.as_ref());
    if listed && !asked {
        blocks.extend(result.tasks.clone().map(Block::Tasks));
    }
    let tone = match result {
        _ if result.failed => Tone::Bad,
        _ if result.unfinished => Tone::Warning,
        _ => Tone::Info,
    };
    let remarks = result
        .remarks
        .iter()
        .map(|text| text.trim())
        .filter(|text| place.limits.is_full() || says_something(text));
    blocks.extend(remarks.map(|text| remark(tone, cut::to_bytes(text, 2000).0.to_owned())));
    blocks
}

/// The exit code stands in the head line already, and Jupyter says the same under every cell.
fn says_something(text: &str) -> bool {
    const SAY_NOTHING: [&str; 3] = [
        "[The command completed with exit code",
        "[Jupyter current working directory",
        "[Jupyter Python interpreter",
    ];
    !text.is_empty() && !SAY_NOTHING.iter().any(|start| text.starts_with(start))
}

fn file_of(tool: Option<&Tool>) -> Option<&str> {
    match tool {
        Some(Tool::File(op)) => Some(op.path()),
        _ => None,
    }
}

impl Place<'_> {
    fn changed(&self, path: &str, result: &ToolResult) -> Block {
        let (lines, bytes) = (self.limits.diff_lines, self.limits.block_bytes);
        if let Some((old, new)) = &result.texts {
            return Block::Diff(diff::texts_within_bytes(path, old, new, lines, bytes));
        }
        let (kept, cut) = cut::to_bytes(result.diff.as_deref().unwrap_or_default(), bytes);
        let mut view = diff::unified_within(path, kept, lines);
        view.cut |= cut;
        Block::Diff(view)
    }

    fn images(&self, tool: Option<&Tool>, execution: &Execution) -> Vec<Block> {
        let address = execution
            .result
            .url
            .as_deref()
            .map(|url| crate::render::hidden::plain_line(url, 300));
        let alt = match (tool, &address) {
            (Some(Tool::Browser { .. }), Some(address)) => format!("Screenshot of {address}"),
            (Some(Tool::Browser { .. }), None) => "Screenshot".to_owned(),
            (Some(Tool::Cell { .. }), _) => "Picture that the cell drew".to_owned(),
            _ => "Picture in the result".to_owned(),
        };
        let pictures = execution.result.images.iter().enumerate();
        pictures
            .map(|(number, url)| {
                if !crate::render::picture::begins_as_picture(url) {
                    return Block::Remark {
                        tone: Tone::Warning,
                        text: "A picture that cannot be shown.".to_owned(),
                    };
                }
                Block::Image {
                    src: self.image(execution.seq, number),
                    alt: alt.clone(),
                    caption: address.clone().unwrap_or_default(),
                }
            })
            .collect()
    }

    fn text(&self, tool: Option<&Tool>, kind: Kind, execution: &Execution) -> Vec<Block> {
        let result = &execution.result;
        let text = result.text.as_str();
        if text.trim().is_empty() {
            return Vec::new();
        }
        match (kind, result.shape) {
            // Never colour a failure as if it were the answer.
            (Kind::Read | Kind::Edit, _) if result.failed => vec![failure(text)],
            (Kind::Shell | Kind::Cell, _) | (_, ResultShape::Terminal) => vec![self.terminal(text)],
            (_, ResultShape::NumberedFile) => {
                let path = result.path.as_deref().or(file_of(tool)).unwrap_or_default();
                vec![self.numbered_file(path, text)]
            }
            (_, ResultShape::Markdown) => self.prose_blocks(text),
            (_, ResultShape::Json) => self.json_text(text),
            (Kind::Think | Kind::Edit | Kind::Tasks, ResultShape::Plain)
                if text.len() < 200 && !text.contains('\n') =>
            {
                if result.failed {
                    vec![failure(text)]
                } else {
                    vec![remark(Tone::Info, text.trim().to_owned())]
                }
            }
            // The tree of a page is long and seldom read.
            (Kind::Browser, ResultShape::Plain) => self.shortened(text, 8),
            (_, ResultShape::Plain) => self.shortened(text, usize::MAX),
        }
    }

    pub(super) fn terminal(&self, text: &str) -> Block {
        let (html, lines, shown) =
            ansi::bounded(text, self.limits.terminal_lines, self.limits.block_bytes);
        let cut = shown < lines || html.contains("<span class=\"omitted\">");
        Block::Terminal {
            html,
            lines,
            shown,
            cut,
        }
    }

    /// A text as it is; at most `lines` of its lines when the row is shown short.
    fn shortened(&self, text: &str, lines: usize) -> Vec<Block> {
        let short = !self.limits.is_full() && lines < self.limits.code_lines;
        let (kept, cut) = if short {
            cut::to_lines(text, lines, self.limits.block_bytes)
        } else {
            (text, false)
        };
        let mut blocks = self.code("Result", kept, "", false);
        if let Some(Block::Code { cut: more, .. }) = blocks.first_mut() {
            *more |= cut;
        }
        blocks
    }

    /// JSON as a value; the text parts of an MCP answer as what they say.
    fn json_text(&self, text: &str) -> Vec<Block> {
        let Ok(value) = serde_json::from_str::<Value>(text) else {
            return self.shortened(text, usize::MAX);
        };
        let Some(texts) = texts_of(&value) else {
            return self.json("Result", &value, false);
        };
        let said = texts.join("\n");
        match serde_json::from_str::<Value>(&said) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => self.json("Result", &inner, false),
            _ if said.trim().is_empty() => Vec::new(),
            _ => self.shortened(&said, usize::MAX),
        }
    }

    fn numbered_file(&self, path: &str, text: &str) -> Block {
        let Some((first, plain)) = undecorated(text) else {
            return self.shortened(text, usize::MAX).remove(0);
        };
        let total = count(crate::render::code::lines(&plain).count());
        let (kept, cut) = cut::to_lines(&plain, self.limits.code_lines, self.limits.block_bytes);
        Block::File(FileView {
            total,
            cut,
            ..file_view(path, kept, first)
        })
    }
}

fn failure(text: &str) -> Block {
    let (kept, _) = cut::to_bytes(without_mark(text), 4000);
    remark(Tone::Bad, kept.to_owned())
}

/// 0.62 marks a failed edit or read in its text.
fn without_mark(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("ERROR:").unwrap_or(text).trim()
}

/// The texts of an MCP answer; `None` when it holds anything but texts (and pictures, which are
/// shown as such).
fn texts_of(value: &Value) -> Option<Vec<&str>> {
    let parts = value.get("content")?.as_array()?;
    let mut texts = Vec::new();
    for part in parts {
        match part.get("type").and_then(Value::as_str)? {
            "text" => texts.push(part.get("text")?.as_str()?),
            "image" => {}
            _ => return None,
        }
    }
    Some(texts)
}

/// Takes the numbers of `cat -n` away: the number of the first line, and the lines.
///
/// A sentence may stand before them. `None` when a line in between has no number, as in the listing of
/// a directory.
fn undecorated(text: &str) -> Option<(u32, String)> {
    let mut first = None;
    let mut plain = String::with_capacity(text.len());
    for (at, line) in crate::render::code::lines(text).enumerate() {
        let numbered = line
            .split_once('\t')
            .and_then(|(number, rest)| Some((number.trim().parse::<u32>().ok()?, rest)));
        match numbered {
            Some((number, rest)) => {
                first.get_or_insert(number);
                plain.push_str(rest);
                plain.push('\n');
            }
            None if at == 0 || (first.is_none() && line.trim().is_empty()) => {}
            // The marker of a text that was cut in the middle, or what follows the last line.
            None if first.is_some() => {
                plain.push_str(line);
                plain.push('\n');
            }
            None => return None,
        }
    }
    Some((first?, plain))
}

/// The words for an edit that the server carried out although nobody had answered yet.
pub(super) fn unheld_remark(number: usize, execution: &Execution) -> Block {
    let result = &execution.result;
    let (when, tone) = match (number, result.failed) {
        (0, false) => ("Carried out before the answer", Tone::Warning),
        (0, true) => ("Carried out before the answer: failed", Tone::Bad),
        (_, false) => ("Carried out again after the answer", Tone::Info),
        (_, true) => ("Carried out again after the answer: failed", Tone::Bad),
    };
    let mut text = when.to_owned();
    if result.failed {
        let reason = without_mark(&result.text);
        if !reason.is_empty() {
            text = format!("{text}: {}", crate::render::hidden::plain_line(reason, 300));
        }
    }
    remark(tone, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_cat_are_taken_away() {
        let text = "Here's the result of running `cat -n` on /a.py:\n     7\tx = 1\n     8\t\n     9\t\ty\n";
        assert_eq!(undecorated(text), Some((7, "x = 1\n\n\ty\n".to_owned())));
    }

    #[test]
    fn a_listing_is_no_numbered_file() {
        assert_eq!(undecorated("Here's the files in /a:\n/a/b\n/a/c"), None);
        assert_eq!(undecorated(""), None);
    }

    #[test]
    fn only_texts_of_an_answer_are_taken_for_what_it_says() {
        let value = serde_json::json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
        assert_eq!(texts_of(&value), Some(vec!["a", "b"]));
        assert_eq!(
            texts_of(&serde_json::json!({"content": [{"type": "resource"}]})),
            None
        );
        assert_eq!(texts_of(&serde_json::json!([1])), None);
    }
}
