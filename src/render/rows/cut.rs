//! Taking the front of a text that is too long.

/// At most `most` bytes, never inside a letter and at the end of a line if one is near; says whether
/// something is missing.
pub(super) fn to_bytes(text: &str, most: usize) -> (&str, bool) {
    if text.len() <= most {
        return (text, false);
    }
    let kept = &text[..text.floor_char_boundary(most)];
    match kept.rfind('\n') {
        Some(end) if end > most / 2 => (&kept[..end], true),
        _ => (kept, true),
    }
}

/// At most `lines` lines and `bytes` bytes.
pub(super) fn to_lines(text: &str, lines: usize, bytes: usize) -> (&str, bool) {
    let (kept, shortened) = to_bytes(text, bytes);
    let body = kept.strip_suffix('\n').unwrap_or(kept);
    match body.match_indices('\n').nth(lines.saturating_sub(1)) {
        Some((end, _)) => (&kept[..end], true),
        None => (kept, shortened),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_said_and_never_goes_through_a_letter() {
        assert_eq!(to_bytes("äää", 3), ("ä", true));
        assert_eq!(to_bytes("one\ntwo", 5), ("one", true));
        assert_eq!(to_bytes("short", 5), ("short", false));
    }

    #[test]
    fn lines_are_counted_without_the_feed_at_the_end() {
        assert_eq!(to_lines("a\nb\n", 2, 100), ("a\nb\n", false));
        assert_eq!(to_lines("a\nb\nc\n", 2, 100), ("a\nb", true));
        assert_eq!(to_lines("aaaa", 2, 2), ("aa", true));
    }
}
