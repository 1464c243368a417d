//! Blocks of the rows of an exported page, in the markup of the timeline, whose style sheets they share.

use super::pictures::Pictures;
use super::text;
use crate::conversation::{Task, TaskStatus};
use crate::render::hidden::escaped;
use crate::render::{Block, Change, DiffLine, DiffView, FileView, Hunk};
use std::fmt::Write;

/// Lines of an output that are shown at first (`style/parts/block.css` has the same number).
const FEW: u32 = 6;

/// Writes a block.
pub(super) fn write_block(out: &mut String, block: &Block, pictures: &mut Pictures<'_>) {
    match block {
        Block::Code {
            label: name,
            html,
            hidden,
            cut,
            ..
        } => {
            let name = if name.is_empty() { text::code() } else { name };
            let mark = if *hidden { " data-hidden" } else { "" };
            write_head(out, "code", mark, &label("block__label", name));
            if *hidden {
                let _ = write!(
                    out,
                    "<p class=\"block__warning\">{}</p>",
                    text::hidden_characters()
                );
            }
            write_body(out, html, *cut);
        }
        Block::Terminal {
            html,
            lines,
            shown,
            cut,
        } => write_terminal(out, html, (*shown, *lines), *cut),
        Block::File(view) => write_file(out, view),
        Block::Diff(view) => write_diff(out, view),
        Block::Image { src, alt, caption } => {
            out.push_str("<figure class=\"block block-image\">");
            pictures.write(out, src, alt, "");
            if !caption.is_empty() {
                let caption = escaped(caption);
                let _ = write!(
                    out,
                    "<figcaption class=\"block__caption mono truncate\">{caption}</figcaption>"
                );
            }
            out.push_str("</figure>");
        }
        Block::Prose(html) => {
            let _ = write!(out, "<div class=\"block block-prose prose\">{html}</div>");
        }
        Block::Remark { tone, text } => {
            let (tone, text) = (tone.word(), escaped(text));
            let _ = write!(out, "<p class=\"remark remark--{tone}\">{text}</p>");
        }
        Block::Json {
            label: name,
            html,
            cut,
        } => {
            write_head(out, "json", "", &label("block__label", name));
            write_body(out, html, *cut);
        }
        Block::Tasks(tasks) => write_tasks(out, tasks),
    }
}

/// The beginning of a block with a heading, which is HTML, or without one if that is empty.
fn write_head(out: &mut String, kind: &str, mark: &str, head: &str) {
    let _ = write!(out, "<figure class=\"block block-{kind}\"{mark}>");
    if !head.is_empty() {
        let _ = write!(out, "<figcaption class=\"block__head\">{head}</figcaption>");
    }
}

/// A label of a heading, or nothing.
fn label(class: &str, words: &str) -> String {
    match words {
        "" => String::new(),
        words => format!("<span class=\"{class}\">{}</span>", escaped(words)),
    }
}

/// The lines of a block, and its end.
fn write_body(out: &mut String, html: &str, cut: bool) {
    let _ = write!(out, "<pre class=\"block__body\"><code>{html}</code></pre>");
    write_end(out, cut);
}

fn write_end(out: &mut String, cut: bool) {
    if cut {
        write_cut(out);
    }
    out.push_str("</figure>");
}

fn write_terminal(out: &mut String, html: &str, (shown, lines): (u32, u32), cut: bool) {
    let part = (shown < lines).then(|| text::output(shown, lines));
    let head = label("block__label", &part.unwrap_or_default());
    write_head(out, "terminal", " data-whole", &head);
    if shown > FEW {
        let all = if shown < lines {
            text::lines_shown(shown, lines)
        } else {
            text::all_lines(shown)
        };
        let fewer = text::fewer_lines();
        let _ = write!(
            out,
            "<details class=\"block__rest\"><summary class=\"block__more\"><span class=\"block__all\">{all}</span>\
             <span class=\"block__fewer\">{fewer}</span></summary></details>"
        );
    }
    write_body(out, html, cut || shown < lines);
}

fn write_file(out: &mut String, view: &FileView) {
    let mut head = label("block__label mono", &view.path);
    if view.lines.len() < view.total as usize {
        head += &label(
            "muted number",
            &text::lines_shown(view.lines.len(), view.total),
        );
    }
    write_head(out, "file", "", &head);
    out.push_str("<div class=\"block__body\">");
    for (number, html) in (view.first..).zip(&view.lines) {
        write_line(out, "line", Some(number), html);
    }
    out.push_str("</div>");
    write_end(out, view.cut);
}

fn write_line(out: &mut String, class: &str, number: Option<u32>, html: &str) {
    let number = number.map(|number| number.to_string()).unwrap_or_default();
    let _ = write!(
        out,
        "<div class=\"{class}\"><span class=\"line__number\">{number}</span><code class=\"line__text\">{html}</code></div>"
    );
}

fn write_diff(out: &mut String, view: &DiffView) {
    let (added, removed) = (view.added, view.removed);
    let mut head = label("block__label mono", &view.path);
    if added + removed > 0 {
        let _ = write!(
            head,
            " <span class=\"diff__stat\"><span class=\"diff__added\">+{added}</span> <span class=\"diff__removed\">−{removed}</span></span>"
        );
    }
    write_head(out, "diff", "", &head);
    for note in &view.notes {
        let _ = write!(out, "<p class=\"diff__note\">{}</p>", escaped(note));
    }
    out.push_str("<div class=\"block__body\">");
    for Hunk { lines } in &view.hunks {
        out.push_str(
            "<div class=\"diff__hunk\"><div class=\"diff__run\"><div class=\"diff__new\">",
        );
        for DiffLine {
            change,
            old,
            new,
            html,
        } in lines
        {
            let class = match change {
                Change::Same => "line",
                Change::Added => "line line--added",
                Change::Removed => "line line--removed",
            };
            write_line(out, class, new.or(*old), html);
        }
        out.push_str("</div></div></div>");
    }
    out.push_str("</div>");
    write_end(out, view.cut);
}

fn write_tasks(out: &mut String, tasks: &[Task]) {
    out.push_str("<ol class=\"tasks\">");
    for task in tasks {
        let (word, status) = match task.status {
            TaskStatus::Todo => ("todo", text::task_todo()),
            TaskStatus::InProgress => ("in_progress", text::task_in_progress()),
            TaskStatus::Done => ("done", text::task_done()),
        };
        let title = escaped(&task.title);
        let _ = write!(
            out,
            "<li class=\"task\" data-status=\"{word}\"><span class=\"task__title\">{title}</span>\
             <span class=\"visually-hidden\"> ({status})</span>"
        );
        if !task.notes.is_empty() {
            let _ = write!(out, "<p class=\"task__notes\">{}</p>", escaped(&task.notes));
        }
        out.push_str("</li>");
    }
    out.push_str("</ol>");
}

/// The remark that something is shortened.
pub(super) fn write_cut(out: &mut String) {
    let _ = write!(out, "<p class=\"remark remark--info\">{}</p>", text::cut());
}
