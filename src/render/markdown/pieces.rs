//! Splitting a long Markdown text into pieces, to bound the cost of each.

/// A longer text is rendered in pieces: the cost of parsing nested brackets and the like is quadratic.
pub(super) const LONGEST_PIECE: usize = 8 << 10;

/// End of the first piece of a text: after its last empty line outside of a code block, else after its last line, else
/// anywhere.
pub(super) fn end_of_piece(text: &str) -> usize {
    if text.len() <= LONGEST_PIECE {
        return text.len();
    }
    let most = text.floor_char_boundary(LONGEST_PIECE);
    let (mut at, mut in_code, mut end, mut line_end) = (0, false, None, None);
    for line in text[..most].split_inclusive('\n') {
        at += line.len();
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            in_code = !in_code;
        }
        if bare.is_empty() && !in_code {
            end = Some(at);
        }
        if line.ends_with('\n') {
            line_end = Some(at);
        }
    }
    end.or(line_end).unwrap_or(most)
}
