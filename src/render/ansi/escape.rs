//! The effect of control characters and escape sequences, which `anstyle-parse` finds.

use super::{Cell, Screen};
use anstyle_parse::{Params, Parser, Perform};

impl Screen {
    /// Interprets a line without its end. A sequence without an end ends with it, so that it cannot swallow the output behind.
    pub(super) fn interpret(&mut self, line: &str) {
        let mut parser: Parser = Parser::default();
        for letter in line.chars() {
            // The controls of Latin 1 are short for an escape and an ASCII letter.
            let control = match letter {
                '\u{80}'..='\u{9F}' => Some(letter as u8 - 0x40),
                _ => None,
            };
            if let Some(control) = control {
                parser.advance(self, 0x1B);
                parser.advance(self, control);
            } else {
                for byte in letter.encode_utf8(&mut [0; 4]).bytes() {
                    parser.advance(self, byte);
                }
            }
        }
    }
}

impl Perform for Screen {
    fn print(&mut self, letter: char) {
        if !letter.is_control() || letter == '\t' {
            let style = self.style;
            self.line.put(Cell { letter, style }, self.widest);
        }
    }

    fn execute(&mut self, control: u8) {
        match control {
            b'\t' => self.print('\t'),
            b'\r' => self.line.column = 0,
            0x08 => self.line.column = self.line.column.saturating_sub(1),
            _ => {}
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _: bool, letter: u8) {
        // Reverse index.
        if intermediates.is_empty() && letter == b'M' {
            self.move_by(-1, false);
        }
    }

    fn csi_dispatch(&mut self, numbers: &Params, intermediates: &[u8], _: bool, letter: u8) {
        let numbers: Vec<u16> = numbers.iter().flatten().copied().collect();
        match (letter, numbers.as_slice()) {
            _ if !intermediates.is_empty() => {}
            (b'm', _) => self.style.apply(&numbers),
            (b'K', [0]) => self.line.cells.truncate(self.line.column),
            (b'K', [2]) => self.line.cells.clear(),
            (b'J', [0]) => {
                self.line.cells.truncate(self.line.column);
                self.below.clear();
            }
            (_, [number]) => {
                let count = (*number).max(1);
                let column = &mut self.line.column;
                match letter {
                    b'A' | b'F' => self.move_by(-i32::from(count), letter == b'F'),
                    b'B' | b'E' => self.move_by(i32::from(count), letter == b'E'),
                    b'C' => *column += usize::from(count),
                    b'D' => *column = column.saturating_sub(count.into()),
                    b'G' | b'`' => *column = usize::from(count) - 1,
                    _ => {}
                }
            }
            _ => {}
        }
    }
}
