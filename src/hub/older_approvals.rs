//! Approvals that an older version has stored: read once, so that rules can be tried on them.

use super::rule_book::{DAY, DAYS};
use super::{HubError, HubResult, RuleBook};
use crate::clock::now;
use crate::conversation::Card;
use crate::journal::{NewReading, Unread};
use crate::render::is_whole;
use crate::rules::{self, Reading, VERSION};
use std::time::Duration;
use tokio::time::sleep;

/// Approvals that are read together, and the pause between two times.
const SLICE: u32 = 50;
const PAUSE: Duration = Duration::from_millis(50);

impl RuleBook {
    /// Reads the approvals that an older version stored, so that rules can be tried on them.
    pub(super) async fn read_older(&self) {
        let since = now() - DAYS * DAY;
        loop {
            let unread = self.rules.journal.unread_approvals(since, VERSION, SLICE);
            let unread = match unread.await {
                Ok(unread) if unread.is_empty() => return,
                Ok(unread) => unread,
                Err(error) => return gave_up(&error.into()),
            };
            for one in unread {
                if let Err(error) = self.read_one(one).await {
                    return gave_up(&error);
                }
            }
            sleep(PAUSE).await;
        }
    }

    async fn read_one(&self, unread: Unread) -> HubResult {
        #[derive(serde::Deserialize)]
        struct Shown {
            id: i64,
        }
        let Unread {
            conversation,
            token,
            shown,
        } = unread;
        let ids: Vec<Shown> = serde_json::from_str(&shown).unwrap_or_default();
        let ids: Vec<i64> = ids.into_iter().map(|one| one.id).collect();
        let (journal, first) = (
            &self.rules.journal,
            ids.first().copied().unwrap_or_default(),
        );
        let count = ids.len();
        let rows = journal.rows_by_id(&conversation, ids).await?;
        let calls = rows.iter().filter_map(|row| match &row.card {
            Card::Call(row) => Some(rules::read(&row.call)),
            _ => None,
        });
        let actions: Vec<_> = calls.collect();
        let is_complete = actions.len() == count;
        let reading = Reading { actions };
        let renderer = &self.actors.context.renderer;
        let card = renderer.asked(&conversation, rows).await?;
        let reading = reading.as_shown(&shown, is_complete && card.iter().all(is_whole));
        let read = NewReading {
            token,
            row: first,
            version: VERSION,
            reading: serde_json::to_string(&reading).expect("readings are plain data"),
        };
        Ok(journal.keep_reading(&conversation, read).await?)
    }
}

fn gave_up(error: &HubError) {
    tracing::warn!(%error, "older approvals could not be read for rules; they are read at the next start");
}
