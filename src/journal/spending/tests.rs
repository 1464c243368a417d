//! The kept sums are those of a plain sum over all conversations, whatever happens to these.
//!
//! Long because the plain sum and the changes stand here beside what they are compared with.

use super::super::sharing::SharingRecord;
use super::super::tests::sample::journal_in;
use super::super::usage::Spending;
use super::*;
use crate::conversation::IMPORTED;
use crate::conversation::{Metrics, Session, Usage};
use crate::journal::ConversationMeta;
use crate::journal::engine;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};

const DAY: i64 = 86_400_000;
const PEOPLE: [&str; 3] = ["ada", "bob", ""];

/// What can happen to one of a few conversations.
#[derive(Debug, Clone)]
enum Change {
    Made {
        imported: bool,
    },
    Spent {
        day: i64,
        model: usize,
        eighths: u32,
        tokens: u64,
    },
    Created {
        by: usize,
        private: bool,
    },
    /// An approval that waited so many minutes, and was answered on a day or not yet.
    Asked {
        token: usize,
        minutes: i64,
        day: Option<i64>,
    },
    Deleted,
}

fn change() -> impl Strategy<Value = (i64, Change)> {
    let change = prop_oneof![
        2 => any::<bool>().prop_map(|imported| Change::Made { imported }),
        8 => (0..6_i64, 0..2_usize, 0..3_u32, 0..3_u64).prop_map(|(day, model, eighths, tokens)| {
            Change::Spent { day, model, eighths, tokens }
        }),
        2 => (0..PEOPLE.len(), any::<bool>()).prop_map(|(by, private)| Change::Created { by, private }),
        4 => (0..2_usize, -1..3_i64, proptest::option::of(0..6_i64)).prop_map(|(token, minutes, day)| {
            Change::Asked { token, minutes, day }
        }),
        1 => Just(Change::Deleted),
    ];
    (0..8_i64, change)
}

fn apply(
    transaction: &Transaction<'_>,
    sessions: &mut HashMap<i64, Session>,
    number: i64,
    change: &Change,
) -> engine::Result<()> {
    let id = format!("c{number}");
    match change {
        Change::Made { imported } => {
            let backend = if *imported { IMPORTED } else { "b" };
            transaction.execute(
                "INSERT INTO conversation (number, id, backend, title, runtime, created_at, updated_at)
                 VALUES (?1, ?2, ?3, '', '', 0, 0) ON CONFLICT (id) DO UPDATE SET backend = excluded.backend",
                (number, id, backend),
            )?;
        }
        Change::Spent {
            day,
            model,
            eighths,
            tokens,
        } => {
            let is_there = "SELECT 1 FROM conversation WHERE number = ?1";
            if !transaction.exists(is_there, [number])? {
                return Ok(());
            }
            let session = sessions.entry(number).or_default();
            let before = session.metrics.clone();
            let metrics = &mut session.metrics;
            // Exact, so that the order of a sum does not matter.
            let cost = f64::from(*eighths) / 8.0;
            metrics.cost += cost;
            metrics.prompt_tokens += tokens;
            metrics.completion_tokens += tokens / 2;
            metrics.cache_read_tokens += tokens / 2;
            let name = ["one", "other"][*model].to_owned();
            let known = metrics.usages.iter().position(|usage| usage.name == name);
            let at = known.unwrap_or_else(|| {
                let model = name.clone();
                metrics.usages.push(Usage {
                    name,
                    model,
                    ..Usage::default()
                });
                metrics.usages.len() - 1
            });
            metrics.usages[at].cost += cost;
            let mut spent = Spending::default();
            spent.add(&before, session, day * DAY);
            spent.put(transaction, number)?;
        }
        Change::Created { by, private } => {
            transaction.execute(
                "INSERT INTO sharing (conversation, starter, audience) VALUES (?1, ?2, ?3)
                 ON CONFLICT (conversation) DO UPDATE SET starter = excluded.starter, audience = excluded.audience",
                (id, PEOPLE[*by], if *private { "starter" } else { "all" }),
            )?;
        }
        Change::Asked {
            token,
            minutes,
            day,
        } => {
            let token = ["t", "u"][*token];
            let asked = day.unwrap_or(0) * DAY - minutes * 60_000;
            transaction.execute(
                "INSERT INTO approval (conversation, token, question, shown, asked_at, state)
                 SELECT number, ?2, '', '', ?3, 'open' FROM conversation WHERE number = ?1 ON CONFLICT DO NOTHING",
                (number, token, asked),
            )?;
            transaction.execute(
                "UPDATE approval SET answered_at = ?3 WHERE conversation = ?1 AND token = ?2",
                (number, token, day.map(|day| day * DAY)),
            )?;
        }
        Change::Deleted => {
            sessions.remove(&number);
            // Long ones are hidden before.
            if number % 2 == 1 {
                let hidden = "UPDATE conversation SET id = 'deleted ' || number WHERE number = ?1";
                transaction.execute(hidden, [number])?;
            }
            transaction.execute("DELETE FROM conversation WHERE number = ?1", [number])?;
        }
    }
    Ok(())
}

/// The report by reading everything.
fn plain(
    transaction: &Transaction<'_>,
    since: i64,
    creator: Option<&str>,
    measure: Measure,
    listed: usize,
) -> engine::Result<OverallReport> {
    let mut statement = transaction.prepare(
        "SELECT cost, CAST(prompt_tokens AS DOUBLE PRECISION), CAST(completion_tokens AS DOUBLE PRECISION), CAST(cache_read_tokens AS DOUBLE PRECISION),
           day, model, number, id, backend = 'Imported', ifnull(starter, '')
         FROM usage JOIN conversation ON conversation.number = usage.conversation
         LEFT JOIN sharing ON sharing.conversation = conversation.id",
    )?;
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let record: (i64, String, String, String, Spent) = (
            row.get(4)?,
            row.get(5)?,
            row.get(7)?,
            row.get(9)?,
            read_spent(&row)?,
        );
        let key: (bool, i64) = (row.get(8)?, row.get(6)?);
        all.entry(key).or_default().push(record);
    }
    let (mut known, mut sums) = (HashSet::new(), Overall::default());
    let mut conversations: HashMap<String, Spent> = HashMap::new();
    for ((imported, _), records) in all {
        let mut total = Spent::default();
        records.iter().for_each(|record| total.add(&record.4));
        let is_new = known.insert((
            total.cost.to_bits(),
            total.prompt_tokens,
            total.completion_tokens,
            total.cache_read_tokens,
        ));
        for (day, model, id, by, spent) in records {
            let is_theirs = creator.is_none_or(|name| name.eq_ignore_ascii_case(&by));
            if (is_new || !imported) && is_theirs && day >= since {
                sums.add(day, &model, &by, &spent);
                conversations.entry(id).or_default().add(&spent);
            }
        }
    }
    let mut statement = transaction.prepare(
        "SELECT answered_at, asked_at, ifnull(starter, '') FROM approval
         JOIN conversation ON conversation.number = approval.conversation
         LEFT JOIN sharing ON sharing.conversation = conversation.id WHERE answered_at IS NOT NULL",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (answered, asked, by): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let is_theirs = creator.is_none_or(|name| name.eq_ignore_ascii_case(&by));
        if is_theirs && answered / DAY >= since {
            sums.wait((answered - asked).max(0) as u64);
        }
    }
    let count = conversations.len() as u64;
    let mut conversations: Vec<_> = conversations.into_iter().collect();
    conversations.sort_by(|one, other| measure.chooses().order(one, other));
    conversations.truncate(listed);
    conversations.sort_by(|one, other| measure.order(one, other));
    Ok(OverallReport {
        conversations,
        count,
        ..sums.report(measure)
    })
}

/// The report from what is kept.
fn kept(
    transaction: &Transaction<'_>,
    since: i64,
    creator: Option<&str>,
    measure: Measure,
    listed: usize,
    compared: usize,
) -> engine::Result<OverallReport> {
    let of = Of {
        transaction,
        since,
        creator,
    };
    of.report(measure, listed, compared)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn kept_sums_are_those_of_a_plain_sum_whatever_happens(changes in vec(change(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let checked = runtime.block_on(async {
            let folder = tempfile::TempDir::new().expect("a temporary folder");
            let journal = journal_in(folder.path()).await;
            let work = move |transaction: &Transaction<'_>| {
                let mut sessions = HashMap::new();
                for (at, (number, change)) in changes.iter().enumerate() {
                    apply(transaction, &mut sessions, *number, change)?;
                    // Each in turn, so that all meet all.
                    let measure = Measure::ALL[at % 4];
                    let since = (at as i64 * 5) % 7 - 1;
                    for creator in [None, Some("ADA"), Some("bob")] {
                        let expected = plain(transaction, since, creator, measure, 3)?;
                        let found = kept(transaction, since, creator, measure, 3, 100)?;
                        if found != expected {
                            return Ok(Err(format!("{change:?}: {found:#?} instead of {expected:#?}")));
                        }
                        let in_haste = kept(transaction, since, creator, measure, 3, at % 5)?;
                        if in_haste.is_highest && in_haste != expected {
                            return Ok(Err(format!("in haste: {in_haste:#?} instead of {expected:#?}")));
                        }
                    }
                }
                for (number, _) in changes {
                    apply(transaction, &mut sessions, number, &Change::Deleted)?;
                }
                let left = "SELECT (SELECT count(*) FROM spender) + (SELECT count(*) FROM spending) + (SELECT count(*) FROM spenders)
                  + (SELECT count(*) FROM waited)";
                let left: i64 = transaction.one(left, [])?;
                Ok(if left == 0 { Ok(()) } else { Err(format!("{left} rows are left")) })
            };
            let durability = super::super::database::Durability::Ordinary;
            journal.database.write(durability, work).await
        });
        let checked = checked.expect("it is SQL");
        prop_assert!(checked.is_ok(), "{}", checked.unwrap_err());
    }
}

/// A journal with conversations, each of which has spent so many dollars on a day: `(id, number, day, dollars)`.
async fn journal_of(spent: &[(&str, i64, f64)]) -> (Journal, tempfile::TempDir) {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let journal = journal_in(folder.path()).await;
    for (id, day, cost) in spent {
        let meta = ConversationMeta {
            id: (*id).to_owned(),
            backend: "b".to_owned(),
            ..ConversationMeta::default()
        };
        journal.describe(vec![meta]).await.expect("healthy");
        let (id, day, cost) = ((*id).to_owned(), *day, *cost);
        let spends = move |transaction: &Transaction<'_>| {
            let number = super::super::conversations::number_of(transaction, &id)?;
            let mut session = Session::default();
            session.metrics.cost = cost;
            session.metrics.prompt_tokens = u64::MAX;
            let mut spent = Spending::default();
            spent.add(&Metrics::default(), &session, day * DAY);
            spent.put(transaction, number.expect("it is there"))
        };
        let durability = super::super::database::Durability::Ordinary;
        journal
            .database
            .write(durability, spends)
            .await
            .expect("healthy");
    }
    (journal, folder)
}

fn creator(id: &str, name: &str) -> SharingRecord {
    SharingRecord {
        conversation: id.to_owned(),
        creator: name.to_owned(),
        audience: "all".to_owned(),
        with: Vec::new(),
    }
}

#[tokio::test]
async fn spending_follows_its_creator_and_goes_with_its_conversation() {
    let (journal, _folder) = journal_of(&[("a", 1, 2.0), ("b", 2, 4.0)]).await;
    let cost = async |name: Option<&str>| {
        let report = journal.spending(0, name.map(str::to_owned), Measure::Cost);
        let report = report.await.expect("healthy");
        (report.total.cost, report.count)
    };
    assert_eq!(cost(None).await, (6.0, 2));
    assert_eq!(cost(Some("")).await, (0.0, 0), "nobody created them");
    for (name, other) in [("ada", "bob"), ("bob", "ada")] {
        journal
            .keep_sharing(creator("a", name))
            .await
            .expect("healthy");
        assert_eq!(cost(Some(name)).await, (2.0, 1));
        assert_eq!(cost(Some(other)).await, (0.0, 0));
    }
    journal.forget("b").await.expect("healthy");
    assert_eq!(cost(None).await, (2.0, 1));
    journal.forget("a").await.expect("healthy");
    assert_eq!(cost(None).await, (0.0, 0));
    assert_eq!(cost(Some("bob")).await, (0.0, 0));
}

#[tokio::test]
async fn absurd_totals_keep_nobody_from_being_counted() {
    let spent: Vec<_> = ["a", "b", "c"].map(|id| (id, 1, f64::MAX)).to_vec();
    let (journal, _folder) = journal_of(&spent).await;
    let report = journal
        .spending(0, None, Measure::Cost)
        .await
        .expect("healthy");
    assert_eq!((report.count, report.conversations.len()), (3, 3));
    assert!(report.total.cost.is_finite());
    for id in ["a", "b"] {
        journal.forget(id).await.expect("healthy");
    }
    let report = journal
        .spending(0, None, Measure::Cost)
        .await
        .expect("healthy");
    assert_eq!(report.total, report.conversations[0].1);
}

#[tokio::test]
async fn what_is_imported_again_costs_nothing_again() {
    let (journal, _folder) = journal_of(&[]).await;
    let values = "INSERT INTO conversation (number, id, backend, title, runtime, created_at, updated_at)
           VALUES (1, 'first', 'Imported', '', '', 0, 0), (2, 'again', 'Imported', '', '', 0, 0),
             (3, 'exported', 'Imported', '', '', 0, 0), (4, 'live', 'b', '', '', 0, 0), (5, 'equal', 'b', '', '', 0, 0);
         INSERT INTO usage VALUES (1, 1, '', 0.1, 1, 1, 0), (1, 2, '', 0.2, 1, 1, 0),
           (2, 1, 'm', 0.3, 2, 2, 0), (3, 1, '', 5, 7, 7, 0), (4, 1, 'm', 5, 7, 7, 0), (5, 1, 'm', 5, 7, 7, 0)";
    let durability = super::super::database::Durability::Ordinary;
    let stored = journal
        .database
        .write(durability, |transaction| transaction.execute_batch(values));
    stored.await.expect("it is SQL");
    let ids = async || {
        let report = journal
            .spending(0, None, Measure::Cost)
            .await
            .expect("healthy");
        let mut ids: Vec<_> = report.conversations.into_iter().map(|(id, _)| id).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids().await, ["equal", "first", "live"]);
    journal.forget("first").await.expect("healthy");
    assert_eq!(
        ids().await,
        ["again", "equal", "live"],
        "it is the first one now"
    );
}

#[tokio::test]
async fn what_was_spent_before_sums_were_kept_is_in_them() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let old = crate::journal::database::database_of_version(19, folder.path());
    old.execute_batch(
        "INSERT INTO conversation (number, id, backend, title, runtime, created_at, updated_at)
           VALUES (1, 'a', 'b', '', '', 0, 0), (2, 'b', 'b', '', '', 0, 0), (3, 'again', 'Imported', '', '', 0, 0);
         INSERT INTO sharing (conversation, starter, audience) VALUES ('a', 'ada', 'all');
         INSERT INTO usage VALUES (1, 1, 'm', 0.5, 1, 1, 0), (1, 2, 'm', 1, 1, 1, 0), (2, 1, '', 5, 7, 7, 0),
           (3, 1, '', 5, 7, 7, 0);
         INSERT INTO approval (conversation, token, question, shown, asked_at, state, answered_at)
           VALUES (1, 't', '', '', 86400000, 'approved', 86460000), (2, 't', '', '', 0, 'rejected', 9000), (2, 'u', '', '', 0, 'open', NULL)",
    )
    .expect("it is SQL");
    drop(old);
    let journal = journal_in(folder.path()).await;
    let same = journal.database.read(|transaction| {
        for (since, creator) in [(0, None), (2, None), (0, Some("ada"))] {
            let expected = plain(transaction, since, creator, Measure::Cost, 30)?;
            assert_eq!(
                kept(transaction, since, creator, Measure::Cost, 30, 100)?,
                expected
            );
        }
        Ok(())
    });
    same.await.expect("it is SQL");
}

#[tokio::test]
async fn a_report_over_all_is_read_by_indexes() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let (journal, _folder) = journal_of(&[]).await;
    let plans = journal.database.read(|transaction| {
        let mut plans = Vec::new();
        for whose in ["creator = :creator", ":creator IS NULL"] {
            let mut all = vec![
                sums_sql(whose),
                waited_sql(whose),
                days_sql(whose),
                SINCE.to_owned(),
            ];
            all.extend(Measure::ALL.map(|by| day_sql(by, whose)));
            for sql in all {
                let names = [
                    ":since", ":creator", ":most", ":day", ":count", ":from", ":id",
                ];
                let explained = format!("EXPLAIN QUERY PLAN {sql}");
                let explained = names
                    .iter()
                    .fold(explained, |sql, name| sql.replace(name, "?1"));
                let mut statement = transaction.prepare(&explained)?;
                let steps = statement.query_map([0], |row| row.get::<_, String>(3))?;
                plans.push((sql, steps.collect::<engine::Result<Vec<_>>>()?));
            }
        }
        Ok(plans)
    });
    for (sql, steps) in plans.await.expect("it is SQL") {
        let reads_all = |step: &String| {
            (step.starts_with("SCAN") && step != "SCAN at") || step.contains("TEMP B-TREE")
        };
        assert!(!steps.iter().any(reads_all), "{sql}: {steps:#?}");
    }
}
