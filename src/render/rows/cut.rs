//! Truncating long texts.

use serde_json::Value;

/// At most `most` bytes, cut at a character boundary and at the end of a line if one is near; returns whether text was
/// cut.
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

/// At most `lines` lines and `bytes` bytes; returns whether text was cut.
pub(super) fn to_lines(text: &str, lines: usize, bytes: usize) -> (&str, bool) {
    let (kept, shortened) = to_bytes(text, bytes);
    let body = kept.strip_suffix('\n').unwrap_or(kept);
    match body.match_indices('\n').nth(lines.saturating_sub(1)) {
        Some((end, _)) => (&kept[..end], true),
        None => (kept, shortened),
    }
}

/// Indented JSON, limited to somewhat more than `most` bytes, since indenting can multiply the size.
pub(super) fn indented(value: &Value, most: usize) -> String {
    struct Bounded(Vec<u8>, usize);
    impl std::io::Write for Bounded {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.0.len() > self.1 {
                return Err(std::io::ErrorKind::WriteZero.into());
            }
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut text = Bounded(Vec::new(), most);
    // A truncated text is longer than `most`, and the caller cuts it again.
    let _ = serde_json::to_writer_pretty(&mut text, value);
    String::from_utf8_lossy(&text.0).into_owned()
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
