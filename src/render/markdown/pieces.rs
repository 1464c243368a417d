//! Splitting a long Markdown text into pieces, to bound the cost of each.

/// A longer text is rendered in pieces: the cost of parsing nested brackets and the like is quadratic.
pub(super) const LONGEST_PIECE: usize = 8 << 10;

/// End of the first piece of a text: after its last empty line outside of a code block, else after the code block that it
/// ends in, else after its last line, else anywhere. A block of code is one piece, however long it is: it costs no more
/// than its length.
pub(super) fn end_of_piece(text: &str) -> usize {
    if text.len() <= LONGEST_PIECE {
        return text.len();
    }
    let most = text.floor_char_boundary(LONGEST_PIECE);
    let (mut at, mut fence, mut end, mut line_end) = (0, None, None, None);
    for line in text.split_inclusive('\n') {
        if at + line.len() > most && (fence.is_none() || end.is_some()) {
            break;
        }
        at += line.len();
        let (is_open, was_open) = (fence.is_some(), fence.is_some());
        fence = after(fence, line);
        if line.trim().is_empty() && !is_open {
            end = Some(at);
        }
        if line.ends_with('\n') {
            line_end = Some(at);
        }
        if at > most && was_open && fence.is_none() {
            return at;
        }
    }
    if fence.is_some() && end.is_none() && at == text.len() {
        return at;
    }
    end.or(line_end).unwrap_or(most)
}

/// A fence of a block of code.
#[derive(Clone, Copy)]
struct Fence {
    letter: u8,
    /// How often the letter stands there.
    count: usize,
    /// Its column: a fence that is further right is a part of the code.
    column: usize,
    /// Whether it is in a quote, at whose end it ends.
    is_quoted: bool,
}

/// The fence that is open after a line.
fn after(fence: Option<Fence>, line: &str) -> Option<Fence> {
    let is_quoted = line.trim_start().starts_with('>');
    let fence = fence.filter(|fence| is_quoted || !fence.is_quoted);
    let bare = match fence {
        Some(fence) if fence.is_quoted => line.trim_start_matches(['>', ' ', '\t']).trim_end(),
        Some(_) => line.trim(),
        None => without_markers(line),
    };
    let column = bare.as_ptr().addr() - line.as_ptr().addr();
    let letter = bare.bytes().next().filter(|letter| b"`~".contains(letter));
    let count = letter.map_or(0, |letter| {
        bare.bytes().take_while(|byte| *byte == letter).count()
    });
    let (Some(letter), 3..) = (letter, count) else {
        return fence;
    };
    match fence {
        Some(open) => {
            let is_its = letter == open.letter && count >= open.count && count == bare.len();
            fence.filter(|_| !is_its || column > open.column + 3)
        }
        // The language of a block has no backtick.
        None if letter == b'`' && bare[count..].contains('`') => None,
        None => Some(Fence {
            letter,
            count,
            column,
            is_quoted,
        }),
    }
}

/// A line without the marks of quotes and lists before it: a block of code may begin in one.
fn without_markers(line: &str) -> &str {
    let mut bare = line.trim();
    loop {
        let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
        let rest = match digits {
            0 => bare.strip_prefix(['>', '-', '*', '+']),
            _ => bare[digits..].strip_prefix(['.', ')']),
        };
        let is_quote = bare.starts_with('>');
        match rest {
            Some(rest) if is_quote || rest.starts_with([' ', '\t']) => bare = rest.trim_start(),
            _ => return bare,
        }
    }
}
