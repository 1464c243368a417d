//! The list of conversations: a line for each, and pages of those that somebody may see.
//!
//! The transaction that changes a conversation marks its line as outdated, and [`Journal::keep_lines`] writes it anew.
//! What is left by a process that ended in between is made again at the next start ([`Journal::unlined`]).
//!
//! Long because one query puts rights, filters, order and cursor together.

use super::conversations::{COLUMNS, number_of, read_known};
use super::engine::{self, OptionalExtension, ToSql, Transaction, Value, params};
use super::unlined::forget_words;
use super::{Journal, JournalError, Known, database::Durability};

/// Up to so many lines that match a filter are sorted. What more lines match is found soon in the order of the list.
const RARE: i64 = 2_000;
/// Shortest text that the index of words finds, in characters.
const SHORTEST: usize = 3;

/// A line of the list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// Id of the conversation.
    pub id: String,
    /// The entry of the list, as JSON.
    pub shown: String,
    /// The title, in lower case.
    pub title: String,
    /// All that a search looks through, in lower case.
    pub words: String,
    /// Label of its backend.
    pub backend: String,
    /// Its repository or folder.
    pub place: Option<String>,
    /// The repository or folder that it is grouped by.
    pub home: String,
    /// Its tags, as people write them.
    pub tags: Vec<String>,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of the last change, milliseconds since the Unix epoch.
    pub updated_at: i64,
    /// Whether a person is needed.
    pub needs: bool,
    /// Whether an approval is pending.
    pub asks: bool,
    /// Whether its sandbox is not stopped.
    pub up: bool,
    /// Whether its sandbox runs or is being started.
    pub runs: bool,
    /// Word for what its agent does.
    pub state: String,
    /// Whether an approval has ended without an answer.
    pub lapsed: bool,
    /// Whether it is archived.
    pub archived: bool,
    /// The newest `seq` that it is made of; `None` if it says more than the journal knows.
    pub seq: Option<i64>,
}

/// Whose list it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sight {
    /// Of somebody who sees all conversations.
    Everything,
    /// Of the person with this name.
    Of(String),
    /// What the person with this name has created.
    CreatedBy(String),
}

/// Lines that can be read in the order of the list.
struct Source {
    /// The table, with an index for those that need a person.
    needing: &'static str,
    /// The table that has what the list is sorted by.
    table: &'static str,
    /// The lines of it; `#` stands for a value of `shelved`.
    condition: &'static str,
}

/// Of everybody: the lines of an audience.
macro_rules! audience {
    ($word:literal) => {
        Source {
            needing: "line INDEXED BY line_needing",
            table: "line",
            condition: concat!("line.shelved = # AND line.audience = '", $word, "'"),
        }
    };
}

/// What a page of the list is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LineOrder {
    /// The last change, newest first.
    #[default]
    Change,
    /// The creation, newest first.
    Creation,
    /// The title.
    Title,
    /// The repository or folder, then the last change.
    Home,
    /// The backend, then the last change.
    Backend,
}

/// Whether archived conversations are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Archived {
    /// All others are.
    #[default]
    No,
    /// They are, and no others.
    Only,
    /// They are, among the others.
    Too,
}

/// The place of a line in the list. Places sort as the lines do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// What is sorted by before the time; empty if that is nothing.
    pub text: String,
    /// The negated time; 0 if the list is sorted by title.
    pub at: i64,
    /// Id of the conversation.
    pub id: String,
}

/// Which lines a page has. Empty texts ask for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineFilter {
    /// A part of the words, in lower case.
    pub words: String,
    /// The state.
    pub state: String,
    /// Only those with an approval that has ended without an answer.
    pub lapsed: bool,
    /// Whether archived ones are among them.
    pub archived: Archived,
    /// The repository or folder.
    pub place: String,
    /// A tag, as people write it.
    pub tag: String,
    /// Label of the backend.
    pub backend: String,
}

/// What a query is made of: its conditions, their values, and for each filter the lines that it leaves.
#[derive(Default)]
struct Conditions {
    all: Vec<String>,
    /// The values of `shelved`.
    shelved: &'static [&'static str],
    /// What is behind the place at which the page begins: one of them.
    behind: &'static [&'static str],
    values: Vec<(&'static str, Value)>,
    candidates: Vec<&'static str>,
}

impl Sight {
    /// Where what is seen is read, in order; each line is in one of them.
    fn sources(&self) -> &'static [Source] {
        match self {
            Self::Everything => &[audience!("all"), audience!("some"), audience!("starter")],
            Self::Of(name) if name.is_empty() => &[audience!("all")],
            Self::Of(_) => &[
                audience!("all"),
                Source {
                    needing: "reader INDEXED BY reader_needing CROSS JOIN line ON line.number = reader.line",
                    table: "reader",
                    condition: "reader.name = :name AND reader.shelved = #",
                },
            ],
            Self::CreatedBy(_) => &[Source {
                needing: "line INDEXED BY line_needing_by_creator",
                table: "line",
                condition: "line.creator = :name AND line.shelved = #",
            }],
        }
    }

    fn values(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Of(name) | Self::CreatedBy(name) => vec![(":name", Value::Text(name.clone()))],
            Self::Everything => Vec::new(),
        }
    }

    /// The rule as a condition for a line that is found otherwise.
    fn condition(&self) -> &'static str {
        match self {
            Self::Everything => "true",
            Self::Of(name) if name.is_empty() => "+line.audience = 'all'",
            Self::Of(_) => {
                "(+line.audience = 'all' OR EXISTS
                 (SELECT 1 FROM reader WHERE reader.name = :name AND reader.line = line.number))"
            }
            Self::CreatedBy(_) => "+line.creator = :name",
        }
    }
}

impl Source {
    /// The lines in the order of the list.
    fn select(&self, needing: bool, shelved: &str, more: &str) -> String {
        let Self {
            table, condition, ..
        } = self;
        let (from, needs) = match (needing, *table) {
            (true, _) => (self.needing, format!(" AND {table}.needs = 1")),
            (false, "line") => ("line", String::new()),
            (false, _) => (
                "reader CROSS JOIN line ON line.number = reader.line",
                String::new(),
            ),
        };
        let (condition, more) = (condition.replace('#', shelved), more.replace('@', table));
        format!(
            "SELECT line.shown, {table}.updated_at AS updated_at, {table}.created_at AS created_at, {table}.title AS title,
               {table}.home AS home, {table}.backend AS backend, {table}.id AS id FROM {from} WHERE {condition}{needs}{more}"
        )
    }
}

impl LineOrder {
    fn columns(self) -> &'static str {
        match self {
            Self::Change => "updated_at DESC, id",
            Self::Creation => "created_at DESC, id",
            Self::Title => "title, id",
            Self::Home => "home, updated_at DESC, id",
            Self::Backend => "backend, updated_at DESC, id",
        }
    }

    /// The lines behind `:text`, `:at` and `:last`, each in one of the parts; `@` stands for the table that is sorted.
    fn behind(self) -> &'static [&'static str] {
        match self {
            Self::Change => &["@.updated_at <= :at AND (@.updated_at < :at OR @.id > :last)"],
            Self::Creation => &["@.created_at <= :at AND (@.created_at < :at OR @.id > :last)"],
            Self::Title => &["@.title >= :text AND (@.title > :text OR @.id > :last)"],
            // The rest of the group, and the groups behind it.
            Self::Home => &[
                "@.home = :text AND @.updated_at <= :at AND (@.updated_at < :at OR @.id > :last)",
                "@.home > :text",
            ],
            Self::Backend => &[
                "@.backend = :text AND @.updated_at <= :at AND (@.updated_at < :at OR @.id > :last)",
                "@.backend > :text",
            ],
        }
    }
}

impl LineFilter {
    fn conditions(&self) -> Conditions {
        let mut made = Conditions {
            shelved: match self.archived {
                Archived::No => &["0"],
                Archived::Only => &["2"],
                Archived::Too => &["0", "2"],
            },
            ..Conditions::default()
        };
        if !self.words.is_empty() {
            made.add(":words", &self.words, "instr(line.words, :words) > 0", None);
            if self.words.chars().count() >= SHORTEST {
                let quoted = format!("\"{}\"", self.words.replace('"', "\"\""));
                made.values.push((":match", Value::Text(quoted)));
                made.candidates
                    .push("SELECT rowid FROM line_word WHERE words MATCH :match");
            }
        }
        let fields = [
            (
                ":state",
                &self.state,
                "+line.state = :state",
                "SELECT number FROM line WHERE state = :state AND state <> ''",
            ),
            (
                ":place",
                &self.place,
                "+line.place = :place",
                "SELECT number FROM line WHERE place = :place",
            ),
            (
                ":tag",
                &self.tag,
                "EXISTS (SELECT 1 FROM line_tag WHERE line_tag.tag = :tag AND line_tag.line = line.number)",
                "SELECT line FROM line_tag WHERE tag = :tag",
            ),
            (
                ":backend",
                &self.backend,
                "+line.backend = :backend",
                "SELECT number FROM line WHERE backend = :backend",
            ),
        ];
        for (name, value, condition, candidates) in fields {
            if !value.is_empty() {
                made.add(name, value, condition, Some(candidates));
            }
        }
        if self.lapsed {
            made.all.push("line.lapsed = 1".to_owned());
            made.candidates
                .push("SELECT number FROM line WHERE lapsed = 1");
        }
        made
    }
}

impl Conditions {
    fn add(
        &mut self,
        name: &'static str,
        value: &str,
        condition: &str,
        candidates: Option<&'static str>,
    ) {
        self.values.push((name, Value::Text(value.to_owned())));
        self.all.push(condition.to_owned());
        self.candidates.extend(candidates);
    }

    /// The conditions, each after an AND.
    fn sql(&self) -> String {
        self.all.iter().map(|one| format!(" AND {one}")).collect()
    }

    /// The same, for lines of the table `line` that are found otherwise.
    fn of_line(&self, sight: &Sight) -> String {
        let (shelved, rule) = (self.shelved.join(", "), sight.condition());
        let behind = match self.behind {
            [] => String::new(),
            behind => format!(" AND ({})", behind.join(" OR ")),
        };
        let sql = format!(
            "+line.shelved IN ({shelved}) AND {rule}{}{behind}",
            self.sql()
        );
        sql.replace('@', "line")
    }

    /// The first filter that leaves few lines.
    fn rare(&self, transaction: &Transaction<'_>) -> engine::Result<Option<&'static str>> {
        for candidates in &self.candidates {
            let sql = format!(
                "SELECT count(*) FROM (SELECT 1 FROM ({candidates}) AS each LIMIT {}) AS found",
                RARE + 1
            );
            let mut statement = transaction.prepare_cached(&sql)?;
            let count: i64 = statement.query_row(&*bound(&sql, &self.values), |row| row.get(0))?;
            if count <= RARE {
                return Ok(Some(*candidates));
            }
        }
        Ok(None)
    }
}

/// The values that a query names.
fn bound<'v>(sql: &str, values: &'v [(&'static str, Value)]) -> Vec<(&'static str, &'v dyn ToSql)> {
    let named = values.iter().filter(|(name, _)| {
        let ends = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_alphanumeric());
        let mut found = sql.match_indices(name);
        found.any(|(at, _)| ends(&sql[at + name.len()..]))
    });
    named
        .map(|(name, value)| (*name, value as &dyn ToSql))
        .collect()
}

impl Journal {
    /// Writes lines of the list; those of conversations that are not in the journal are dropped.
    pub async fn keep_lines(&self, lines: Vec<Line>) -> Result<(), JournalError> {
        self.database
            .write(Durability::Ordinary, move |transaction| {
                for line in &lines {
                    if let Some(number) = number_of(transaction, &line.id)? {
                        keep_line(transaction, number, line)?;
                    }
                }
                Ok(())
            })
            .await
    }

    /// Conversations that have changed since their lines were made, the newest first, at most `limit`.
    pub async fn unlined(&self, limit: u32) -> Result<Vec<Known>, JournalError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM conversation WHERE number IN
               (SELECT conversation FROM unlined ORDER BY conversation DESC LIMIT ?1) ORDER BY number DESC"
        );
        self.database.list(sql, [limit], read_known).await
    }

    /// A page of the list, each entry as JSON: at most `limit` lines behind a place.
    pub async fn lines(
        &self,
        sight: Sight,
        filter: LineFilter,
        order: LineOrder,
        (after, limit): (Option<Place>, u32),
    ) -> Result<Vec<String>, JournalError> {
        self.database
            .read(move |transaction| {
                let mut conditions = filter.conditions();
                conditions.values.extend(sight.values());
                let rare = conditions.rare(transaction)?;
                if let Some(after) = after {
                    conditions.behind = order.behind();
                    let at = Value::Integer(after.at.saturating_neg());
                    conditions.values.extend([
                        (":at", at),
                        (":text", Value::Text(after.text)),
                        (":last", Value::Text(after.id)),
                    ]);
                }
                let sql = select(&sight, &conditions, rare, (order, false), limit);
                shown(transaction, &sql, &conditions.values)
            })
            .await
    }

    /// The newest lines that need a person, and those that the person `pinner` has pinned, each at most `limit`.
    pub async fn lines_at_top(
        &self,
        sight: Sight,
        filter: LineFilter,
        (pinner, limit): (i64, u32),
    ) -> Result<(Vec<String>, Vec<String>), JournalError> {
        self.database
            .read(move |transaction| {
                let mut conditions = filter.conditions();
                conditions.values.extend(sight.values());
                conditions.values.push((":person", Value::Integer(pinner)));
                let rare = conditions.rare(transaction)?;
                let needing = select(&sight, &conditions, rare, (LineOrder::Change, true), limit);
                let pinned = format!(
                    "SELECT shown FROM pin CROSS JOIN line ON line.id = pin.conversation
                     WHERE pin.person = :person AND {} ORDER BY updated_at DESC, line.id LIMIT {limit}",
                    conditions.of_line(&sight)
                );
                Ok((
                    shown(transaction, &needing, &conditions.values)?,
                    shown(transaction, &pinned, &conditions.values)?,
                ))
            })
            .await
    }

    /// Number of conversations of each of these backends whose sandbox runs or is being started, at most `limit` each.
    pub async fn running(
        &self,
        backends: Vec<String>,
        limit: u32,
    ) -> Result<Vec<usize>, JournalError> {
        self.database
            .read(move |transaction| {
                let mut count = transaction.prepare_cached(
                    "SELECT count(*) FROM (SELECT 1 FROM line WHERE runs = 1 AND backend = ?1 LIMIT ?2) AS found",
                )?;
                let counts = backends.iter();
                let counts = counts.map(|one| {
                    count.query_row(params![one, limit], |row| row.get::<_, i64>(0))
                });
                counts.map(|count| Ok(usize::try_from(count?).unwrap_or(0))).collect()
            })
            .await
    }

    /// The lines of these conversations, each as JSON; those that are not listed are left out.
    pub async fn lines_of(&self, ids: Vec<String>) -> Result<Vec<String>, JournalError> {
        self.database
            .read(move |transaction| {
                let mut statement = transaction
                    .prepare_cached("SELECT shown FROM line WHERE id = ?1 AND shelved & 1 = 0")?;
                let mut found = Vec::new();
                for id in &ids {
                    found.extend(statement.query_row([id], |row| row.get(0)).optional()?);
                }
                Ok(found)
            })
            .await
    }

    /// The lines with a pending approval, of backends in use.
    pub async fn asking_lines(&self) -> Result<Vec<String>, JournalError> {
        let sql = "SELECT shown FROM line WHERE asks = 1 AND shelved & 1 = 0 ORDER BY updated_at DESC, id";
        self.database.list(sql, [], |row| row.get(0)).await
    }

    /// Ids of a backend's conversations with a sandbox that is up, after the id `after`, at most `limit`.
    pub async fn lines_up(
        &self,
        backend: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<String>, JournalError> {
        let (backend, after) = (backend.to_owned(), after.to_owned());
        let sql =
            "SELECT id FROM line WHERE up = 1 AND backend = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
        self.database
            .list(sql, (backend, after, limit), |row| row.get(0))
            .await
    }

    /// Lists the conversations of these backends and no others. Costs nothing if they are those of before.
    pub async fn list_backends(&self, in_use: Vec<String>) -> Result<(), JournalError> {
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let mut next = transaction.prepare_cached(
                    "SELECT backend FROM line WHERE backend > ?1 ORDER BY backend LIMIT 1",
                )?;
                let mut change = transaction.prepare_cached(
                    "UPDATE line SET shelved = (shelved & 2) + ?2 WHERE backend = ?1 AND shelved IN (1 - ?2, 3 - ?2)",
                )?;
                let mut backend = String::new();
                while let Some(label) = next
                    .query_row([&backend], |row| row.get::<_, String>(0))
                    .optional()?
                {
                    change.execute(params![label, !in_use.contains(&label)])?;
                    backend = label;
                }
                Ok(())
            })
            .await
    }
}

/// The query of a page, or of those that need a person. `rare` finds all that match.
fn select(
    sight: &Sight,
    conditions: &Conditions,
    rare: Option<&str>,
    (order, needing): (LineOrder, bool),
    limit: u32,
) -> String {
    let lines = match rare {
        Some(candidates) => {
            let needs = if needing { " AND +line.needs = 1" } else { "" };
            format!(
                "SELECT shown, updated_at, created_at, title, home, backend, id FROM line
                 WHERE line.number IN ({candidates}) AND {}{needs}",
                conditions.of_line(sight)
            )
        }
        None => {
            let more = conditions.sql();
            let behind = conditions
                .behind
                .iter()
                .map(|part| format!("{more} AND {part}"));
            let mut parts: Vec<String> = behind.collect();
            if parts.is_empty() {
                parts.push(more);
            }
            let sources = sight.sources().iter();
            let all =
                sources.flat_map(|source| conditions.shelved.iter().map(move |one| (source, one)));
            let all = all.flat_map(|(source, shelved)| {
                let parts = parts.iter();
                parts.map(move |part| source.select(needing, shelved, part))
            });
            all.collect::<Vec<_>>().join(" UNION ALL ")
        }
    };
    format!("{lines} ORDER BY {} LIMIT {limit}", order.columns())
}

fn shown(
    transaction: &Transaction<'_>,
    sql: &str,
    values: &[(&'static str, Value)],
) -> engine::Result<Vec<String>> {
    let mut statement = transaction.prepare_cached(sql)?;
    let rows = statement.query_map(&*bound(sql, values), |row| row.get(0))?;
    rows.collect()
}

fn keep_line(transaction: &Transaction<'_>, number: i64, line: &Line) -> engine::Result<()> {
    let before: Option<String> =
        transaction.value("SELECT words FROM line WHERE number = ?1", [number])?;
    transaction
        .prepare_cached(
            "INSERT INTO line (number, id, shown, title, words, backend, place, created_at, updated_at, needs, asks, up, runs,
               state, home, lapsed, shelved, creator, audience)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, 2 * ?17, ifnull(starter, ''),
               CASE WHEN audience IS NULL THEN 'all' WHEN audience IN ('all', 'some') THEN audience ELSE 'starter' END
             FROM (SELECT 1) AS one LEFT JOIN sharing ON sharing.conversation = ?2 WHERE true
             ON CONFLICT (number) DO UPDATE SET shown = excluded.shown, title = excluded.title, words = excluded.words,
               backend = excluded.backend, place = excluded.place, created_at = excluded.created_at,
               updated_at = excluded.updated_at, needs = excluded.needs, asks = excluded.asks, up = excluded.up, runs = excluded.runs,
               state = excluded.state, home = excluded.home, lapsed = excluded.lapsed, shelved = (line.shelved & 1) + excluded.shelved",
        )?
        .execute(params![
            number, line.id, line.shown, line.title, line.words, line.backend, line.place, line.created_at,
            line.updated_at, line.needs, line.asks, line.up, line.runs, line.state, line.home, line.lapsed, line.archived,
        ])?;
    // A pending approval brings it back.
    transaction
        .prepare_cached(
            "UPDATE conversation SET archived = ?2 WHERE number = ?1 AND archived <> ?2",
        )?
        .execute(params![number, line.archived])?;
    if before.as_ref() != Some(&line.words) {
        forget_words(transaction, number)?;
        transaction
            .prepare_cached("INSERT INTO line_word (rowid, words) VALUES (?1, ?2)")?
            .execute(params![number, line.words])?;
        let mut tags = transaction
            .prepare_cached("INSERT INTO line_tag VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
        for tag in &line.tags {
            tags.execute(params![tag, number])?;
        }
    }
    if let Some(seq) = line.seq {
        transaction
            .prepare_cached("DELETE FROM unlined WHERE conversation = ?1 AND seq <= ?2")?
            .execute([number, seq])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::tests::sample::journal_in;

    /// How SQLite finds the lines of each sight, in each order.
    #[tokio::test]
    async fn everybodys_list_is_read_in_order_by_an_index() {
        // It is about the file.
        let _file = crate::journal::engine::in_a_file();
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let journal = journal_in(folder.path()).await;
        let sights = [
            Sight::Everything,
            Sight::Of("bob".to_owned()),
            Sight::Of(String::new()),
            Sight::CreatedBy("bob".to_owned()),
        ];
        let orders = [
            LineOrder::Change,
            LineOrder::Creation,
            LineOrder::Title,
            LineOrder::Home,
            LineOrder::Backend,
        ];
        let orders = orders.map(|order| (order, false));
        let orders = orders.into_iter().chain([(LineOrder::Change, true)]);
        let archived = [Archived::No, Archived::Only, Archived::Too];
        for (sight, order) in sights
            .iter()
            .flat_map(|sight| orders.clone().map(move |order| (sight, order)))
        {
            for (goes_on, archived) in [false, true]
                .into_iter()
                .flat_map(|goes_on| archived.map(|archived| (goes_on, archived)))
            {
                let filter = LineFilter {
                    archived,
                    ..LineFilter::default()
                };
                let mut conditions = filter.conditions();
                if goes_on {
                    conditions.behind = order.0.behind();
                }
                conditions.values.extend(sight.values());
                for name in [":at", ":text", ":last"] {
                    conditions.values.push((name, Value::Integer(0)));
                }
                let sql = select(sight, &conditions, None, order, 51);
                let (explained, values) = (format!("EXPLAIN QUERY PLAN {sql}"), conditions.values);
                let plan = journal.database.read(move |transaction| {
                    let mut statement = transaction.prepare(&explained)?;
                    let bound = bound(&explained, &values);
                    let rows = statement.query_map(&*bound, |row| row.get::<_, String>(3))?;
                    rows.collect::<engine::Result<Vec<_>>>()
                });
                let plan = plan.await.expect("it is SQL");
                let is_bad = |step: &String| step.contains("TEMP B-TREE") || step.contains("SCAN");
                assert!(
                    !plan.iter().any(is_bad),
                    "{sight:?} {order:?} {archived:?}\n{sql}\n{plan:#?}"
                );
            }
        }
    }
    /// Each filter that leaves few lines finds them by an index.
    #[tokio::test]
    async fn what_a_filter_leaves_is_found_by_an_index() {
        // It is about the file.
        let _file = crate::journal::engine::in_a_file();
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let journal = journal_in(folder.path()).await;
        let text = || "x".to_owned();
        let filter = LineFilter {
            words: "words".to_owned(),
            state: text(),
            lapsed: true,
            archived: Archived::Too,
            place: text(),
            tag: text(),
            backend: text(),
        };
        let conditions = filter.conditions();
        assert_eq!(conditions.candidates.len(), 6);
        for candidates in conditions.candidates.clone() {
            let explained = format!("EXPLAIN QUERY PLAN {candidates}");
            let values = conditions.values.clone();
            let plan = journal.database.read(move |transaction| {
                let mut statement = transaction.prepare(&explained)?;
                let bound = bound(&explained, &values);
                let rows = statement.query_map(&*bound, |row| row.get::<_, String>(3))?;
                rows.collect::<engine::Result<Vec<_>>>()
            });
            let plan = plan.await.expect("it is SQL");
            let is_index =
                |step: &String| step.contains("INDEX") || step.contains("USING PRIMARY KEY");
            assert!(plan.iter().all(is_index), "{candidates}\n{plan:#?}");
        }
    }
}
