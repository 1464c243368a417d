//! Terminal output as HTML.
//!
//! Colours and the ways of overwriting (carriage return, backspace, moving within the line and up a few lines) are
//! interpreted; all other control sequences (titles, links, jumps over the screen) are dropped. Cost is linear in the
//! length of the text, and of a long output only the first and the last lines are kept.

use super::{Html, code::count, grouped, hidden, text};
use std::collections::VecDeque;
use std::fmt::Write;

mod escape;
mod moving;
mod style;
use style::Style;

/// Bytes of HTML allowed per character of a line's maximum width; characters beyond it are only counted.
const WIDTH_SHARE: usize = 8;
/// How far behind the end of a line text is put at most, in columns from its beginning: a terminal is not much wider, and
/// each time costs as much.
const WIDTH: usize = 240;
/// Limit on the HTML of an output, in bytes.
const MOST_BYTES: usize = 5 << 20;

/// Renders terminal output.
///
/// Shows at most `max_lines` lines: the first and the last half, with a line between them that states how many are left
/// out. Returns the HTML, the total number of lines, and the number of lines shown.
pub fn terminal_html(text: &str, max_lines: usize) -> (Html, u32, u32) {
    bounded(text, max_lines, MOST_BYTES)
}

/// As [`terminal_html`], limited to about `max_bytes` bytes of HTML.
pub(super) fn bounded(text: &str, max_lines: usize, max_bytes: usize) -> (Html, u32, u32) {
    let mut screen = Screen::new(max_lines.max(2), max_bytes);
    screen.write(text);
    screen.into_html(max_bytes)
}

#[derive(Clone, Copy)]
struct Cell {
    letter: char,
    style: Style,
}

/// A line: its cells, the cursor column, and the number of characters beyond the maximum width.
#[derive(Default)]
struct Line {
    cells: Vec<Cell>,
    column: usize,
    beyond: usize,
}

impl Line {
    fn put(&mut self, cell: Cell, widest: usize) {
        // The line above may be shorter, or this one was erased.
        if self.column > self.cells.len() {
            self.column = self.column.min(WIDTH.min(widest).max(self.cells.len()));
            let (letter, style) = (' ', Style::default());
            self.cells.resize(self.column, Cell { letter, style });
        }
        if let Some(old) = self.cells.get_mut(self.column) {
            *old = cell;
        } else if self.cells.len() < widest {
            self.cells.push(cell);
        } else {
            self.beyond += 1;
            return;
        }
        self.column += 1;
    }
}

struct Screen {
    head: Vec<Line>,
    tail: VecDeque<Line>,
    head_room: usize,
    tail_room: usize,
    widest: usize,
    /// Maximum number of characters kept at either end; each becomes at least one byte of HTML.
    most_cells: usize,
    head_cells: usize,
    tail_cells: usize,
    lines: usize,
    line: Line,
    /// The lines below the cursor, the next one last.
    below: Vec<Line>,
    style: Style,
}

impl Screen {
    fn new(max_lines: usize, max_bytes: usize) -> Self {
        let tail_room = max_lines / 2;
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_room: max_lines - tail_room,
            tail_room,
            widest: max_bytes / WIDTH_SHARE,
            most_cells: max_bytes / 2,
            head_cells: 0,
            tail_cells: 0,
            lines: 0,
            line: Line::default(),
            below: Vec::new(),
            style: Style::default(),
        }
    }

    fn write(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.end_line();
                if let Some(next) = self.below.pop() {
                    self.line = Line { column: 0, ..next };
                }
            }
            self.interpret(line);
        }
        // Lines that were erased at the end are none.
        let ends = |line: &Line| line.cells.is_empty();
        while self.below.first().is_some_and(ends) {
            self.below.remove(0);
        }
        while !self.below.is_empty() {
            self.end_line();
            self.line = self.below.pop().unwrap_or_default();
        }
        if !self.line.cells.is_empty() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.lines += 1;
        let cells = line.cells.len();
        if self.head.len() < self.head_room && self.head_cells <= self.most_cells {
            self.head_cells += cells;
            self.head.push(line);
            return;
        }
        // After the first line for the tail, all lines go there.
        self.head_room = 0;
        self.tail_cells += cells;
        self.tail.push_back(line);
        while self.tail.len() > self.tail_room
            || (self.tail_cells > self.most_cells && self.tail.len() > 1)
        {
            let first = self.tail.pop_front();
            self.tail_cells -= first.map_or(0, |first| first.cells.len());
        }
    }

    fn into_html(self, max_bytes: usize) -> (Html, u32, u32) {
        let mut out = String::new();
        // Head and tail get half of the bytes each: failures are usually reported at the end.
        let mut shown = write_lines(&mut out, self.head.iter(), max_bytes / 2);
        let mut tail = 0;
        // From the last line backwards, so that a tight limit keeps the end.
        let mut newest = VecDeque::new();
        for line in self.tail.iter().rev() {
            let mut html = String::new();
            write_line(&mut html, line, max_bytes / 2);
            tail += html.len();
            if tail > max_bytes / 2 && !newest.is_empty() {
                break;
            }
            newest.push_front(html);
        }
        shown += newest.len();
        if self.lines > shown {
            let left = self.lines - shown;
            let words = text::lines_omitted(left, grouped(left as u64));
            let _ = writeln!(out, "<span class=\"omitted\">{words}</span>");
        }
        for html in newest {
            out.push_str(&html);
        }
        if out.ends_with('\n') {
            out.pop();
        }
        (out, count(self.lines), count(shown))
    }
}

/// Writes lines up to the limit, at least one; returns how many.
fn write_lines<'a>(
    out: &mut String,
    lines: impl Iterator<Item = &'a Line>,
    max_bytes: usize,
) -> usize {
    let mut written = 0;
    for line in lines {
        let before = out.len();
        write_line(out, line, max_bytes);
        if out.len() > max_bytes && written > 0 {
            out.truncate(before);
            break;
        }
        written += 1;
    }
    written
}

fn write_line(out: &mut String, line: &Line, max_bytes: usize) {
    let mut style = Style::default();
    let mut beyond = line.beyond;
    let begin = out.len();
    for (at, cell) in line.cells.iter().enumerate() {
        if out.len() - begin > max_bytes {
            beyond += line.cells.len() - at;
            break;
        }
        if cell.style != style {
            style.close(out);
            style = cell.style;
            style.open(out);
        }
        if hidden::is_bidi(cell.letter) {
            hidden::token(out, cell.letter);
        } else {
            hidden::escape(out, cell.letter.encode_utf8(&mut [0; 4]));
        }
    }
    style.close(out);
    if beyond > 0 {
        let words = text::characters_omitted(beyond, grouped(beyond as u64));
        let _ = write!(out, "<span class=\"omitted\">{words}</span>");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests;
