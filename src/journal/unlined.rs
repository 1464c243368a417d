//! What happens to the line of a conversation when the conversation changes or goes.

use super::engine::{self, Transaction};

/// Removes what a line is found by. Its row goes with its conversation.
pub(super) fn forget_words(transaction: &Transaction<'_>, number: i64) -> engine::Result<()> {
    for forgotten in [
        "DELETE FROM line_word WHERE rowid = ?1",
        "DELETE FROM line_tag WHERE line = ?1",
    ] {
        transaction.prepare_cached(forgotten)?.execute([number])?;
    }
    Ok(())
}

/// Marks the line of a conversation as outdated.
pub(super) fn outdate_line(
    transaction: &Transaction<'_>,
    number: i64,
    seq: i64,
) -> engine::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO unlined VALUES (?1, ?2) ON CONFLICT (conversation) DO UPDATE SET seq = excluded.seq",
        )?
        .send([number, seq])
}
