//! What a terminal would show, as HTML.
//!
//! Colours and the two ways of writing over a line (carriage return, backspace) are understood;
//! whatever else a terminal can be told - titles, links, cursor jumps - is dropped. Linear in the
//! length of the text, and of a long output only the first and the last lines are kept.

use super::{Html, code::count, grouped, hidden};
use std::collections::VecDeque;
use std::fmt::Write;

mod escape;
mod style;
use escape::{Sequence, skip_sequence};
use style::Style;

/// Letters of one line that are kept for each byte of HTML allowed; what is beyond is counted.
const WIDTH_SHARE: usize = 8;
/// Bytes of HTML made at most for a whole output.
const MOST_BYTES: usize = 5 << 20;

/// Renders the output of a terminal.
///
/// At most `max_lines` lines are shown: the first half and the last half, with a line between them
/// that says how many are left out. Gives the HTML, the number of lines, and how many of them are in it.
pub fn terminal_html(text: &str, max_lines: usize) -> (Html, u32, u32) {
    bounded(text, max_lines, MOST_BYTES)
}

/// As [`terminal_html`], with at most about `max_bytes` bytes of HTML.
pub(super) fn bounded(text: &str, max_lines: usize, max_bytes: usize) -> (Html, u32, u32) {
    let mut screen = Screen::new(max_lines.max(2), max_bytes / WIDTH_SHARE);
    screen.write(text);
    screen.into_html(max_bytes)
}

#[derive(Clone, Copy)]
struct Cell {
    letter: char,
    style: Style,
}

/// One line: its cells, where the next letter goes, and how many were too far to the right.
#[derive(Default)]
struct Line {
    cells: Vec<Cell>,
    column: usize,
    beyond: usize,
}

impl Line {
    fn put(&mut self, cell: Cell, widest: usize) {
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
    lines: usize,
    line: Line,
    style: Style,
}

impl Screen {
    fn new(max_lines: usize, widest: usize) -> Self {
        let tail_room = max_lines / 2;
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_room: max_lines - tail_room,
            tail_room,
            widest,
            lines: 0,
            line: Line::default(),
            style: Style::default(),
        }
    }

    fn write(&mut self, text: &str) {
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\n' => self.end_line(),
                '\r' => self.line.column = 0,
                '\u{8}' => self.line.column = self.line.column.saturating_sub(1),
                '\u{1B}' | '\u{90}' | '\u{98}' | '\u{9B}' | '\u{9D}' | '\u{9E}' | '\u{9F}' => {
                    match skip_sequence(letter, &mut letters) {
                        Sequence::Colours(numbers) => self.style.apply(&numbers),
                        Sequence::EraseRight => self.line.cells.truncate(self.line.column),
                        Sequence::EraseLine => {
                            let column = self.line.column.min(self.line.cells.len());
                            self.line.cells.clear();
                            self.line.cells.resize(
                                column,
                                Cell {
                                    letter: ' ',
                                    style: Style::default(),
                                },
                            );
                            self.line.column = column;
                        }
                        Sequence::Other => {}
                    }
                }
                _ if letter.is_control() && letter != '\t' => {}
                _ => {
                    let style = self.style;
                    self.line.put(Cell { letter, style }, self.widest);
                }
            }
        }
        if !self.line.cells.is_empty() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.lines += 1;
        if self.head.len() < self.head_room {
            self.head.push(line);
            return;
        }
        if self.tail.len() == self.tail_room {
            self.tail.pop_front();
        }
        self.tail.push_back(line);
    }

    fn into_html(self, max_bytes: usize) -> (Html, u32, u32) {
        let mut out = String::new();
        // Head and tail get half of the bytes each: the end is where a failure is told.
        let mut shown = write_lines(&mut out, self.head.iter(), max_bytes / 2);
        let mut tail = 0;
        // From the last line backwards, so that it is the end which survives a tight limit.
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
            let _ = writeln!(
                out,
                "<span class=\"omitted\">… {} lines not shown</span>",
                grouped((self.lines - shown) as u64)
            );
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

/// Writes lines until they weigh too much; says how many. One line is always written.
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
        let _ = write!(
            out,
            "<span class=\"omitted\">… {} more characters</span>",
            grouped(beyond as u64)
        );
    }
    out.push('\n');
}

#[cfg(test)]
mod tests;
