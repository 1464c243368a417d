//! The result of a call as blocks.

use super::{Place, call, cut, numbered::undecorated};
use crate::render::view::AROUND;
use crate::wire::read_event_json;
use crate::{
    conversation::{Execution, Kind, ResultShape, Tone, Tool, ToolResult},
    render::{Block, FileView, ansi, code::count, diff, file_view, text},
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
    // The text "file edited" adds nothing to the diff, nor does "task list updated" to the list.
    let listed = result.tasks.as_ref().is_some_and(|tasks| !tasks.is_empty());
    if (!changed && !listed) || result.failed {
        blocks.extend(place.text(tool, kind, execution));
    }
    // The request already shows the same list.
    let asked = matches!(tool, Some(Tool::Tasks { tasks }) if Some(tasks) == result.tasks.as_ref());
    if listed && !asked {
        blocks.extend(place.tasks(result.tasks.as_deref().unwrap_or_default()));
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
        .filter(|text| place.limits.is_full() || says_something(text))
        .take(place.limits.pieces)
        .take_while(|text| place.takes(text.len().min(2000)));
    blocks.extend(remarks.map(|text| remark(tone, cut::to_bytes(text, 2000).0.to_owned())));
    blocks
}

/// Whether a remark adds anything: the heading shows the exit code, and Jupyter repeats its remarks below every cell.
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
        let bytes = self.limits.block_bytes;
        let room = diff::DiffLimits {
            lines: self.limits.diff_lines,
            html: self.room.get(),
        };
        let view = if let Some((old, new)) = &result.texts {
            diff::texts_within_bytes(path, old, new, room, bytes)
        } else {
            let (kept, cut) = cut::to_bytes(result.diff.as_deref().unwrap_or_default(), bytes);
            let mut view = diff::unified_within(path, kept, room);
            view.cut |= cut;
            view
        };
        self.takes(diff::weight(&view));
        Block::Diff(view)
    }

    fn images(&self, tool: Option<&Tool>, execution: &Execution) -> Vec<Block> {
        let address = execution
            .result
            .url
            .as_deref()
            .map(|url| crate::render::hidden::plain_line(url, 300));
        let alt = match (tool, &address) {
            (Some(Tool::Browser { .. }), Some(address)) => text::screenshot_of(address),
            (Some(Tool::Browser { .. }), None) => text::screenshot().to_owned(),
            (Some(Tool::Cell { .. }), _) => text::plot().to_owned(),
            _ => text::image().to_owned(),
        };
        let images = &execution.result.images;
        let more = super::and_more(images.len().saturating_sub(self.limits.pieces));
        let pictures = images.iter().enumerate();
        pictures
            .take(self.limits.pieces)
            .map(|(number, url)| {
                if !crate::render::picture::begins_as_picture(url) {
                    return Block::Remark {
                        tone: Tone::Warning,
                        text: text::image_unreadable().to_owned(),
                    };
                }
                Block::Image {
                    src: self.image(execution.seq, number),
                    alt: alt.clone(),
                    caption: address.clone().unwrap_or_default(),
                }
            })
            .chain(more.map(|more| remark(Tone::Info, more)))
            .collect()
    }

    fn text(&self, tool: Option<&Tool>, kind: Kind, execution: &Execution) -> Vec<Block> {
        let result = &execution.result;
        let text = result.text.as_str();
        if text.trim().is_empty() {
            return Vec::new();
        }
        match (kind, result.shape) {
            // A failure must not be highlighted like content.
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
            // The tree of a web page is long and seldom read.
            (Kind::Browser, ResultShape::Plain) => self.shortened(text, 8),
            (_, ResultShape::Plain) => self.shortened(text, usize::MAX),
        }
    }

    pub(super) fn terminal(&self, text: &str) -> Block {
        let most = self.limits.block_bytes.min(self.room.get());
        let (html, lines, shown) = ansi::bounded(text, self.limits.terminal_lines, most);
        self.takes(html.len());
        let cut = shown < lines || html.contains("<span class=\"omitted\">");
        Block::Terminal {
            html,
            lines,
            shown,
            cut,
        }
    }

    /// The text unchanged; at most `lines` lines if the row is rendered short.
    fn shortened(&self, text: &str, lines: usize) -> Vec<Block> {
        let short = !self.limits.is_full() && lines < self.limits.code_lines;
        let (kept, cut) = if short {
            cut::to_lines(text, lines, self.limits.block_bytes)
        } else {
            (text, false)
        };
        // What a tool printed is no text to approve: its line endings say nothing.
        let kept = kept.replace("\r\n", "\n");
        let mut blocks = self.code(text::result(), &kept, "", false);
        if let Some(Block::Code { cut: more, .. }) = blocks.first_mut() {
            *more |= cut;
        }
        blocks
    }

    /// JSON as a value; the text parts of an MCP result as text.
    fn json_text(&self, text: &str) -> Vec<Block> {
        let Some(value) = read_event_json(text.as_bytes()) else {
            return self.shortened(text, usize::MAX);
        };
        let Some(texts) = texts_of(&value) else {
            return self.json(text::result(), &value, false);
        };
        let said = texts.join("\n");
        match read_event_json(said.as_bytes()) {
            Some(inner @ (Value::Object(_) | Value::Array(_))) => {
                self.json(text::result(), &inner, false)
            }
            _ if said.trim().is_empty() => Vec::new(),
            _ => self.shortened(&said, usize::MAX),
        }
    }

    fn numbered_file(&self, path: &str, text: &str) -> Block {
        let Some((first, plain)) = undecorated(text) else {
            return self.shortened(text, usize::MAX).remove(0);
        };
        let total = count(crate::render::code::lines(&plain).count());
        let (mut kept, mut cut) =
            cut::to_lines(&plain, self.limits.code_lines, self.limits.block_bytes);
        let mut view = file_view(path, kept, first);
        let weight = |view: &FileView| {
            let lines = view.lines.iter();
            lines.map(|line| AROUND + line.len()).sum::<usize>()
        };
        if weight(&view) > self.room.get() {
            kept = cut::to_bytes(kept, self.room.get() / super::HEAVIEST).0;
            view = file_view(path, kept, first);
            cut = true;
        }
        self.takes(weight(&view));
        Block::File(FileView { total, cut, ..view })
    }
}

fn failure(text: &str) -> Block {
    let (kept, _) = cut::to_bytes(without_mark(text), 4000);
    remark(Tone::Bad, kept.to_owned())
}

/// Removes 0.62's marker of a failed edit or read.
fn without_mark(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("ERROR:").unwrap_or(text).trim()
}

/// The text parts of an MCP result; `None` if it has parts other than text and images, which are shown separately.
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

/// The remark for an edit that the server carried out before the approval.
pub(super) fn unheld_remark(number: usize, execution: &Execution) -> Block {
    let result = &execution.result;
    let (when, tone) = match (number, result.failed) {
        (0, false) => (text::executed_before(), Tone::Warning),
        (0, true) => (text::executed_before_failed(), Tone::Bad),
        (_, false) => (text::executed_again(), Tone::Info),
        (_, true) => (text::executed_again_failed(), Tone::Bad),
    };
    let mut words = when.to_owned();
    if result.failed {
        let reason = without_mark(&result.text);
        if !reason.is_empty() {
            words = text::because(words, crate::render::hidden::plain_line(reason, 300));
        }
    }
    remark(tone, words)
}

#[cfg(test)]
mod tests {
    use super::*;

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
