//! What was spent in a period, against budgets, and which budgets were reached and lifted.
//!
//! Days are those of `usage` and `spending`: since the Unix epoch, UTC. A cost that a model does not report is 0 beside its
//! tokens: it is unknown, and counted apart.

use super::conversations::number_of;
use super::engine::{self, Row, ToSql, Transaction, params};
use super::{Journal, JournalError, database::Durability};

/// Setting: the budgets, as JSON.
pub(crate) const BUDGETS: &str = "budgets";

/// What was spent, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpentIn {
    /// On the day.
    pub day: f64,
    /// In the month.
    pub month: f64,
    /// Whether some of the month's costs are unknown.
    pub unknown: bool,
}

/// What was spent in a conversation, and in all that share its creator or its repository.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SpentAround {
    /// In the conversation.
    pub conversation: SpentIn,
    /// In all conversations of its creator.
    pub person: SpentIn,
    /// In all conversations of its repository.
    pub repository: SpentIn,
}

/// A budget that a conversation has reached, or nearly.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetRecord {
    /// The word for what it is for.
    pub scope: &'static str,
    /// The word for its period.
    pub period: &'static str,
    /// The first day of the period.
    pub began: i64,
    /// 80 or 100.
    pub percent: u32,
    /// What was spent, in US dollars.
    pub spent: f64,
    /// The budget, in US dollars.
    pub amount: f64,
}

/// One that was not lifted.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenBudget {
    /// Id of the conversation.
    pub conversation: String,
    /// Its title.
    pub title: String,
    /// The word for what it is for.
    pub scope: String,
    /// The word for its period.
    pub period: String,
    /// What was spent, in US dollars.
    pub spent: f64,
    /// The budget, in US dollars.
    pub amount: f64,
}

/// The sums of rows with a cost and tokens: since a day (`?2`), since the first of the month (`?3`), and how many of them have
/// tokens and no cost.
const SUMS: &str = "SELECT coalesce(sum(CASE WHEN day >= ?2 THEN cost ELSE 0 END), 0), coalesce(sum(cost), 0),
    coalesce(sum(CASE WHEN cost = 0 AND prompt_tokens + completion_tokens > 0 THEN 1 ELSE 0 END), 0)";

impl Journal {
    /// What was spent around a conversation on a day, and since the first day of its month.
    pub async fn spent_around(
        &self,
        conversation: &str,
        (day, month): (i64, i64),
    ) -> Result<SpentAround, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(SpentAround::default());
                };
                let repository: Option<String> = transaction
                    .one("SELECT repository FROM conversation WHERE number = ?1", [number])?;
                let creator: Option<String> = transaction
                    .value("SELECT starter FROM sharing WHERE conversation = ?1", [&id])?;
                let of = |from: &str, key: &dyn ToSql| spent(transaction, from, key, day, month);
                Ok(SpentAround {
                    conversation: of("usage WHERE conversation = ?1", &number)?,
                    person: match creator.filter(|name| !name.is_empty()) {
                        Some(name) => of("spending WHERE creator = ?1", &name)?,
                        None => SpentIn::default(),
                    },
                    repository: match repository.filter(|name| !name.is_empty()) {
                        Some(name) => of(
                            "usage JOIN conversation ON number = usage.conversation WHERE repository = ?1",
                            &name,
                        )?,
                        None => SpentIn::default(),
                    },
                })
            })
            .await
    }

    /// What was spent by a person.
    pub async fn spent_by(
        &self,
        creator: &str,
        (day, month): (i64, i64),
    ) -> Result<SpentIn, JournalError> {
        let creator = creator.to_owned();
        self.database
            .read(move |transaction| {
                spent(
                    transaction,
                    "spending WHERE creator = ?1",
                    &creator,
                    day,
                    month,
                )
            })
            .await
    }

    /// Notes the budgets that a conversation has reached. Returns for each of them whether it was lifted.
    pub async fn note_budgets(
        &self,
        conversation: &str,
        reached: Vec<BudgetRecord>,
        now: i64,
    ) -> Result<Vec<bool>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(vec![false; reached.len()]);
                };
                let mut note = transaction.prepare_cached(
                    "INSERT INTO budget_reached (conversation, scope, period, began, percent, spent, amount, at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                     ON CONFLICT (conversation, scope, period, began) DO UPDATE SET
                       percent = excluded.percent, spent = excluded.spent, amount = excluded.amount",
                )?;
                let mut lifted = transaction.prepare_cached(
                    "SELECT lifted_at IS NOT NULL FROM budget_reached
                     WHERE conversation = ?1 AND scope = ?2 AND period = ?3 AND began = ?4",
                )?;
                let mut all = Vec::with_capacity(reached.len());
                for one in &reached {
                    let BudgetRecord {
                        scope,
                        period,
                        began,
                        percent,
                        spent,
                        amount,
                    } = one;
                    note.execute(params![number, scope, period, began, percent, spent, amount, now])?;
                    all.push(lifted.query_row(params![number, scope, period, began], |row| row.get(0))?);
                }
                Ok(all)
            })
            .await
    }

    /// Lifts the budgets of a conversation that are used up, until their periods end. Returns how many.
    pub async fn lift_budgets(
        &self,
        conversation: &str,
        by: &str,
        now: i64,
    ) -> Result<usize, JournalError> {
        let sql = "UPDATE budget_reached SET lifted_at = ?3, lifted_by = ?2 WHERE percent >= 100 AND lifted_at IS NULL
                     AND conversation = (SELECT number FROM conversation WHERE id = ?1)";
        let lifted = (conversation.to_owned(), by.to_owned(), now);
        self.database.execute(Durability::OnDisk, sql, lifted).await
    }

    /// Forgets which budgets were reached and not lifted: they have changed.
    pub async fn forget_budgets(&self) -> Result<(), JournalError> {
        let sql = "DELETE FROM budget_reached WHERE lifted_at IS NULL";
        self.database
            .execute(Durability::OnDisk, sql, ())
            .await
            .map(drop)
    }

    /// The budgets of this day and month that were reached, or nearly, and not lifted: newest first, at most `limit`.
    pub async fn open_budgets(
        &self,
        (day, month): (i64, i64),
        limit: u32,
    ) -> Result<Vec<OpenBudget>, JournalError> {
        let sql = "SELECT id, title, scope, period, spent, amount FROM budget_reached
                   JOIN conversation ON conversation.number = budget_reached.conversation
                   WHERE lifted_at IS NULL AND began >= ?2 AND ((period = 'day' AND began = ?1) OR (period = 'month' AND began = ?2))
                   ORDER BY at DESC, id LIMIT ?3";
        let open = |row: &Row<'_>| {
            Ok(OpenBudget {
                conversation: row.get(0)?,
                title: row.get(1)?,
                scope: row.get(2)?,
                period: row.get(3)?,
                spent: row.get(4)?,
                amount: row.get(5)?,
            })
        };
        self.database.list(sql, (day, month, limit), open).await
    }
}

fn spent(
    transaction: &Transaction<'_>,
    from: &str,
    key: &dyn ToSql,
    day: i64,
    month: i64,
) -> engine::Result<SpentIn> {
    transaction.query_row(
        &format!("{SUMS} FROM {from} AND day >= ?3"),
        params![key, day, month],
        |row| {
            Ok(SpentIn {
                day: row.get(0)?,
                month: row.get(1)?,
                unknown: row.get::<_, i64>(2)? > 0,
            })
        },
    )
}
