//! Budgets in memory, and the periods and sums that they are compared with.

use super::{HubResult, lock};
use crate::clock::now;
use crate::journal::{BUDGETS, Journal, SpentAround, SpentIn};
use crate::people::{Amounts, Budgets, ByScope};
use std::sync::Mutex;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// The budgets in memory.
pub(super) struct Limits {
    known: Mutex<Budgets>,
}

impl Limits {
    /// Reads them.
    pub(super) async fn load(journal: &Journal) -> HubResult<Self> {
        let stored = journal.setting(BUDGETS).await?.unwrap_or_default();
        let known = Budgets::read(&stored).unwrap_or_else(|| {
            tracing::error!(
                "the stored budgets cannot be read: none apply until an owner saves them again"
            );
            Budgets::default()
        });
        Ok(Self {
            known: Mutex::new(known),
        })
    }

    /// Takes over what was stored.
    pub(super) fn set(&self, budgets: Budgets) {
        *lock(&self.known) = budgets;
    }

    /// The budgets as they are now.
    pub(super) fn now(&self) -> Budgets {
        *lock(&self.known)
    }
}

/// The present day and the first one of its month, in days since the Unix epoch, UTC.
pub(super) fn today() -> (i64, i64) {
    let day = now().div_euclid(DAY);
    (day, first_of_month(day))
}

/// The first day of the month of a day.
fn first_of_month(day: i64) -> i64 {
    let seconds = day.saturating_mul(DAY / 1000);
    let date = jiff::Timestamp::from_second(seconds)
        .map(|at| at.to_zoned_datetime(jiff::tz::TimeZone::UTC));
    date.map_or(day, |date| day + 1 - i64::from(date.day()))
}

/// What was spent, as budgets count it.
pub(super) fn spent(around: &SpentAround) -> ByScope {
    let of = |spent: SpentIn| Amounts {
        day: spent.day,
        month: spent.month,
    };
    ByScope {
        conversation: of(around.conversation),
        person: of(around.person),
        repository: of(around.repository),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_begins_with_its_first_day() {
        // 1970-01-31, 1970-02-01 and 2024-02-29.
        assert_eq!((first_of_month(30), first_of_month(31)), (0, 31));
        assert_eq!(first_of_month(19_782), 19_754);
    }
}
