//! Moving the cursor to lines above, as progress bars of several lines do.
//!
//! Only lines that are kept can be written over, and only those near the end, as on a terminal.

use super::Screen;

/// How far up the cursor moves at most, in lines: a terminal has not many more, and each move costs as much.
const HEIGHT: usize = 100;
impl Screen {
    /// Moves the cursor up or down, as far as there are lines.
    pub(super) fn move_by(&mut self, lines: i32, to_start: bool) {
        let column = if to_start { 0 } else { self.line.column };
        for _ in 0..lines.unsigned_abs().min(HEIGHT as u32) {
            let is_moved = if lines < 0 { self.up() } else { self.down() };
            if !is_moved {
                break;
            }
        }
        self.line.column = column;
    }

    fn up(&mut self) -> bool {
        if self.below.len() >= HEIGHT {
            return false;
        }
        let above = if let Some(line) = self.tail.pop_back() {
            self.tail_cells -= line.cells.len();
            line
        } else if self.lines == self.head.len()
            && let Some(line) = self.head.pop()
        {
            self.head_cells -= line.cells.len();
            line
        } else {
            // Lines in between are not kept.
            return false;
        };
        self.lines -= 1;
        let line = std::mem::replace(&mut self.line, above);
        self.below.push(line);
        true
    }

    fn down(&mut self) -> bool {
        let Some(next) = self.below.pop() else {
            return false;
        };
        self.end_line();
        self.line = next;
        true
    }
}
