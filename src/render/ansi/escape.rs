//! Parsing of escape sequences: the end of each, and the few that change what is seen.

use std::iter::Peekable;
use std::str::Chars;

/// The effect of a sequence.
pub(super) enum Sequence {
    /// Colours and weight (SGR), with its parameters.
    Colours(Vec<u16>),
    /// Erases the line from the cursor to its end.
    EraseRight,
    /// Erases the whole line.
    EraseLine,
    /// Erases all from the cursor to the end.
    EraseBelow,
    /// Moves the cursor up (below 0) or down by lines; to the beginning of the line if the second part says so.
    Lines(i32, bool),
    /// Moves the cursor to a column, from 0 on.
    Column(usize),
    /// Moves the cursor left (below 0) or right.
    Columns(i32),
    /// Ignored.
    Other,
}

/// Consumes the rest of a sequence that started with `introducer`. An unterminated sequence ends with its line, so that
/// it cannot swallow the output after it.
pub(super) fn skip_sequence(introducer: char, letters: &mut Peekable<Chars<'_>>) -> Sequence {
    match introducer {
        '\u{9B}' => control_sequence(letters),
        '\u{1B}' => match letters.peek() {
            Some('[') => {
                letters.next();
                control_sequence(letters)
            }
            Some(']' | 'P' | 'X' | '^' | '_') => {
                letters.next();
                skip_text(letters)
            }
            // Character sets and the like: intermediate characters, then a final one.
            Some(' '..='/') => {
                while letters
                    .next_if(|letter| matches!(letter, ' '..='/'))
                    .is_some()
                {}
                letters.next_if(|letter| *letter != '\n');
                Sequence::Other
            }
            // Reverse index.
            Some('M') => {
                letters.next();
                Sequence::Lines(-1, false)
            }
            Some('0'..='~') => {
                letters.next();
                Sequence::Other
            }
            _ => Sequence::Other,
        },
        _ => skip_text(letters),
    }
}

/// `CSI parameters intermediates final`.
fn control_sequence(letters: &mut Peekable<Chars<'_>>) -> Sequence {
    /// No sensible program sends more parameters; further ones are consumed and dropped.
    const MOST_NUMBERS: usize = 64;
    let mut numbers = vec![0_u16];
    let mut ours = true;
    while let Some(letter) = letters.next_if(|letter| matches!(letter, ' '..='~')) {
        match letter {
            '0'..='9' => {
                let digit = letter as u16 - '0' as u16;
                if let Some(number) = numbers.last_mut() {
                    *number = number.saturating_mul(10).saturating_add(digit);
                }
            }
            ';' | ':' if numbers.len() < MOST_NUMBERS => numbers.push(0),
            ';' | ':' => {}
            ' '..='?' => ours = false,
            'm' if ours => return Sequence::Colours(numbers),
            'K' if ours && numbers == [0] => return Sequence::EraseRight,
            'K' if ours && numbers == [2] => return Sequence::EraseLine,
            'J' if ours && numbers == [0] => return Sequence::EraseBelow,
            'A' | 'B' | 'E' | 'F' if ours && numbers.len() == 1 => {
                let lines = i32::from(numbers[0].max(1));
                let lines = if matches!(letter, 'A' | 'F') {
                    -lines
                } else {
                    lines
                };
                return Sequence::Lines(lines, matches!(letter, 'E' | 'F'));
            }
            'G' | '`' if ours && numbers.len() == 1 => {
                return Sequence::Column(usize::from(numbers[0].max(1)) - 1);
            }
            'C' if ours && numbers.len() == 1 => {
                return Sequence::Columns(i32::from(numbers[0].max(1)));
            }
            'D' if ours && numbers.len() == 1 => {
                return Sequence::Columns(-i32::from(numbers[0].max(1)));
            }
            _ => return Sequence::Other,
        }
    }
    Sequence::Other
}

/// Consumes a title, a link or a private message, up to BEL or the string terminator.
fn skip_text(letters: &mut Peekable<Chars<'_>>) -> Sequence {
    while let Some(letter) = letters.next_if(|letter| *letter != '\n') {
        match letter {
            '\u{7}' | '\u{9C}' => break,
            '\u{1B}' => {
                letters.next_if_eq(&'\\');
                break;
            }
            _ => {}
        }
    }
    Sequence::Other
}
