//! Long texts, cut as OpenHands cuts them.

/// Leaves the middle of a long text out. Half of a limit of 1 is nothing at the beginning, and everything at the end,
/// as in OpenHands.
pub(super) fn cut(text: String, most: Option<i64>) -> String {
    let length = text.chars().count();
    let Some(most) = most.and_then(|most| usize::try_from(most).ok()) else {
        return text;
    };
    if length <= most {
        return text;
    }
    let half = most / 2;
    let at = |index: usize| {
        text.char_indices()
            .nth(index)
            .map_or(text.len(), |(at, _)| at)
    };
    let end = match half {
        0 => 0,
        half => at(length - half),
    };
    format!(
        "{}\n[... Observation truncated due to length ...]\n{}",
        &text[..at(half)],
        &text[end..]
    )
}
