//! Moving a journal from a file to a server.
//!
//! Each table is copied in the order of its rows, in transactions of some thousand rows, so that what an interrupted call has
//! left is continued: the rows that are there are the first ones. Nothing but this uses the server meanwhile. At the end all
//! rows are compared, and the chain of the audit log is verified.
//!
//! Long because copying and comparing have to agree about each value.

use super::JournalError;
use super::audit;
use super::copies::open;
use super::database::{known_versions, migrate_server, newest_version};
use super::engine::{
    self, Access, Connection, Location, Place, Row, Server, Value, ValueRef, params, stored_text,
};
use super::error::of_engine;
use sha2::{Digest as _, Sha256};
use std::path::Path;
use std::sync::Arc;

/// Rows of one transaction, and bytes after which it ends earlier.
const AT_ONCE: (usize, usize) = (5_000, 8 << 20);

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moved {
    /// Number of tables.
    pub tables: usize,
    /// Number of their rows.
    pub rows: i64,
    /// Number of entries of the audit log.
    pub entries: i64,
}

/// A table of both.
struct Table {
    name: String,
    /// Its columns, without those that are calculated.
    columns: String,
    count: usize,
    rows: i64,
}

/// Copies the journal in the folder `from`, which nobody uses, to a database without one, or goes on with it. `say` is told
/// of progress. Blocks.
///
/// Errors: [`JournalError::Open`] if one of them cannot be opened, [`JournalError::OtherVersion`] if the version of the file is not
/// known, [`JournalError::Broken`] with a sentence if it has to be converted before, or the database is in use, or differs at
/// the end.
pub fn move_to_server(
    from: &Path,
    to: Arc<Server>,
    mut say: impl FnMut(&str),
) -> Result<Moved, JournalError> {
    let mut file = open(Location::Folder(from.to_owned()))?;
    let found = file.schema_version().map_err(of_engine)?;
    let newest = newest_version();
    let known = known_versions();
    if !known.contains(&found) {
        return Err(JournalError::OtherVersion { found, known });
    }
    if found != newest {
        let text = format!(
            "its journal is of version {found}, and only one of version {newest} is moved: run handrail user list --data-dir {}, which \
             converts it and keeps a copy, and then this again",
            from.display()
        );
        return Err(JournalError::Broken(text.into()));
    }
    let path = to.name().into();
    let place = Place::Server(to);
    let connected = place.connect(Access::Write).and_then(|mut server| {
        server.check()?;
        server.serve(newest)?;
        Ok(server)
    });
    let mut server = connected.map_err(|source| JournalError::Open {
        path,
        source: source.into(),
    })?;
    migrate_server(&mut server)?;
    server.take_time(true).map_err(of_engine)?;
    let source = file.begin_read(false).map_err(of_engine)?;
    let tables = tables(&source).map_err(of_engine)?;
    begin(&mut server, &tables)?;
    for table in &tables {
        copy(&source, &mut server, table, &mut say).map_err(of_engine)?;
    }
    end(&source, &mut server, &tables).map_err(of_engine)?;
    let mut moved = Moved {
        tables: tables.len(),
        ..Moved::default()
    };
    for table in &tables {
        let here = sums(&source, table).map_err(of_engine)?;
        let there = server
            .begin_read(false)
            .and_then(|there| sums(&there, table));
        let there = there.map_err(of_engine)?;
        if here != there {
            let text = format!(
                "the rows of {} differ: drop the schema handrail, and move it again",
                table.name
            );
            return Err(JournalError::Broken(text.into()));
        }
        moved.rows += here.0;
    }
    let chain = server
        .begin_read(false)
        .and_then(|transaction| audit::verify(&transaction, None))
        .map_err(of_engine)?;
    if let Some(number) = chain.broken_at {
        let text = format!("entry {number} of the audit log does not match its hash");
        return Err(JournalError::Broken(text.into()));
    }
    moved.entries = chain.entries;
    // From now on a server can use it.
    server
        .execute_batch("DROP TABLE moving")
        .map_err(of_engine)?;
    Ok(moved)
}

/// The tables of a file, those that others refer to first.
fn tables(file: &Connection) -> engine::Result<Vec<Table>> {
    let names: Vec<String> = file.values(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
           AND name NOT LIKE 'word%' AND name NOT LIKE 'line\\_word%' ESCAPE '\\' AND name <> 'unindexed' ORDER BY rowid",
        [],
    )?;
    let table = |name: String| {
        let columns: Vec<String> = file.values(
            "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid",
            [&name],
        )?;
        let rows = file.query_row(&format!("SELECT count(*) FROM {name}"), [], |row| {
            row.get(0)
        })?;
        Ok(Table {
            count: columns.len(),
            columns: columns.join(", "),
            name,
            rows,
        })
    };
    names.into_iter().map(table).collect()
}

/// Marks the database as one that is being filled, if it is empty or was marked before. Triggers rest: what they would
/// write is copied.
fn begin(server: &mut Connection, tables: &[Table]) -> Result<(), JournalError> {
    let begun = server.begin_change(true).and_then(|transaction| {
        let count = |sql: &str| transaction.one::<i64>(sql, []);
        if !transaction.has_table("moving")? {
            for name in ["conversation", "person", "audit", "setting"] {
                if count(&format!("SELECT count(*) FROM {name}"))? > 0 {
                    return Ok(false);
                }
            }
            transaction.execute_batch("CREATE TABLE moving (begun bigint)")?;
        }
        for table in tables {
            transaction
                .execute_batch(&format!("ALTER TABLE {} DISABLE TRIGGER USER", table.name))?;
        }
        transaction.commit()?;
        Ok(true)
    });
    match begun.map_err(of_engine)? {
        true => Ok(()),
        false => Err(JournalError::Broken(
            "the database is in use: give one without the schema handrail".into(),
        )),
    }
}

fn copy(
    source: &Connection,
    server: &mut Connection,
    table: &Table,
    say: &mut impl FnMut(&str),
) -> engine::Result<()> {
    let Table {
        name,
        columns,
        count,
        rows,
    } = table;
    let mut done: i64 = server.query_row(&format!("SELECT count(*) FROM {name}"), [], |row| {
        row.get(0)
    })?;
    let order = match source.prepare(&format!("SELECT rowid FROM {name}")) {
        Ok(_) => "rowid".to_owned(),
        // The columns of its key, in which it is stored.
        Err(_) => {
            let sql = "SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_table_xinfo(?1) WHERE pk > 0 ORDER BY pk)";
            source.one(sql, [name])?
        }
    };
    let mut query = source.prepare(&format!(
        "SELECT {columns} FROM {name} ORDER BY {order} LIMIT -1 OFFSET ?1"
    ))?;
    let mut found = query.query([done])?;
    let (mut batch, mut batched) = (String::new(), 0);
    loop {
        let row = found.next()?;
        if let Some(row) = &row {
            for column in 0..*count {
                batch.push_str(if column == 0 { "" } else { "\t" });
                write_value(&mut batch, row.get_ref(column)?);
            }
            batch.push('\n');
            batched += 1;
        }
        let is_over = row.is_none();
        if batched > 0 && (is_over || batched == AT_ONCE.0 || batch.len() >= AT_ONCE.1) {
            let transaction = server.begin_change(true)?;
            transaction.copy_in(
                &format!("COPY {name} ({columns}) FROM STDIN"),
                std::mem::take(&mut batch),
            )?;
            transaction.commit()?;
            done += batched as i64;
            batched = 0;
            say(&format!("{name}: {done} of {rows}"));
        }
        if is_over {
            return Ok(());
        }
    }
}

/// A value in the text format of COPY.
fn write_value(out: &mut String, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => out.push_str("\\N"),
        ValueRef::Integer(value) => out.push_str(&value.to_string()),
        ValueRef::Real(value) => out.push_str(&value.to_string()),
        ValueRef::Text(text) => {
            for letter in stored_text(&String::from_utf8_lossy(text)).chars() {
                match letter {
                    '\\' => out.push_str("\\\\"),
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    letter => out.push(letter),
                }
            }
        }
        ValueRef::Blob(bytes) => {
            out.push_str("\\\\x");
            out.push_str(&data_encoding::HEXLOWER.encode(bytes));
        }
    }
}

/// Has triggers work again, numbers go on behind the last ones that the file has given, also to what is deleted since, and the
/// index of words filled as after an update.
fn end(source: &Connection, server: &mut Connection, tables: &[Table]) -> engine::Result<()> {
    let given: Vec<(String, i64)> =
        source.list("SELECT name, seq FROM sqlite_sequence", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let transaction = server.begin_change(true)?;
    for Table { name, .. } in tables {
        transaction.execute_batch(&format!("ALTER TABLE {name} ENABLE TRIGGER USER"))?;
    }
    transaction.execute_batch(
        "DO $$
         DECLARE one record;
         BEGIN
           FOR one IN SELECT table_name AS name, column_name AS col FROM information_schema.columns
                      WHERE table_schema = 'handrail' AND is_identity = 'YES' LOOP
             EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1, false) FROM %I',
               'handrail.' || one.name, one.col, one.col, one.name);
           END LOOP;
         END $$;
         INSERT INTO line_word SELECT number, words FROM line ON CONFLICT DO NOTHING;
         UPDATE unindexed SET after = (SELECT coalesce(pg_catalog.max(id), 0) FROM event),
           up_to = (SELECT coalesce(pg_catalog.max(id), 0) FROM event), of = (SELECT coalesce(pg_catalog.max(id), 0) FROM event)",
    )?;
    for (table, last) in given.iter().filter(|(_, last)| *last > 0) {
        transaction.query_row(
            "SELECT setval(to_regclass(sequence), greatest(?2, nextval(to_regclass(sequence)) - 1))
             FROM pg_get_serial_sequence('handrail.' || ?1, 'number') AS sequence",
            params![table, last],
            |_| Ok(()),
        )?;
    }
    transaction.commit()?;
    server.execute_batch("ANALYZE")
}

/// The number of the rows of a table, and the sum of their hashes, whatever their order.
fn sums(connection: &Connection, table: &Table) -> engine::Result<(i64, u128)> {
    let Table {
        name,
        columns,
        count,
        ..
    } = table;
    let mut query = connection.prepare(&format!("SELECT {columns} FROM {name}"))?;
    let mut rows = query.stream([])?;
    let (mut number, mut sum) = (0, 0_u128);
    while let Some(row) = rows.next()? {
        let hash = hash_of(&row, *count)?;
        (number, sum) = (number + 1, sum.wrapping_add(hash));
    }
    Ok((number, sum))
}

fn hash_of(row: &Row<'_>, count: usize) -> engine::Result<u128> {
    let mut hash = Sha256::new();
    let mut text = String::new();
    for column in 0..count {
        text.clear();
        // Numbers are the same whatever their type.
        match row.get::<_, Value>(column)? {
            Value::Real(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                write_value(&mut text, ValueRef::Integer(value as i64));
            }
            value => write_value(&mut text, ValueRef::from(&value)),
        }
        hash.update(text.as_bytes());
        hash.update(b"\t");
    }
    let hash = hash.finalize();
    let first: [u8; 16] = hash[..16].try_into().expect("it has 32 bytes");
    Ok(u128::from_be_bytes(first))
}
