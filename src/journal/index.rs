//! Lookups among the events of one conversation, to decide which row the next event belongs to.

use crate::conversation::RowIndex;
use rusqlite::{OptionalExtension, Transaction, params};
use std::cell::RefCell;

/// Finds the rows of related events through the database indexes, within the writing transaction.
pub(super) struct Index<'t> {
    pub(super) transaction: &'t Transaction<'t>,
    pub(super) number: i64,
    /// The trait cannot return errors: the first one is kept here and fails the batch.
    pub(super) failure: RefCell<Option<rusqlite::Error>>,
}

impl Index<'_> {
    fn row(&self, sql: &str, value: &str) -> Option<i64> {
        self.transaction
            .prepare_cached(sql)
            .and_then(|mut statement| {
                statement
                    .query_row(params![self.number, value], |found| found.get(0))
                    .optional()
            })
            .unwrap_or_else(|error| {
                self.failure.borrow_mut().get_or_insert(error);
                None
            })
    }
}

impl RowIndex for Index<'_> {
    fn row_of_key(&self, key: &str) -> Option<i64> {
        self.row(
            "SELECT row FROM event WHERE conversation = ?1 AND key = ?2 AND row IS NOT NULL",
            key,
        )
    }

    fn row_answering_key(&self, key: &str) -> Option<i64> {
        self.row(
            "SELECT row FROM event WHERE conversation = ?1 AND answers_key = ?2 AND row IS NOT NULL ORDER BY seq LIMIT 1",
            key,
        )
    }

    fn row_of_call(&self, call_id: &str) -> Option<i64> {
        self.row(
            "SELECT row FROM event WHERE conversation = ?1 AND call_id = ?2 AND row IS NOT NULL ORDER BY seq DESC LIMIT 1",
            call_id,
        )
    }
}
