//! Values of statements.

use super::dialect::Translated;
use super::{Error, Result};
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value};

/// Takes a value, and its name unless values are in order.
type Take<'t> = dyn FnMut(Option<&str>, &dyn ToSql) -> Result<()> + 't;

/// The values of a statement: in order, or each with its name.
pub(in crate::journal) trait Params {
    /// Passes each of them to `take`.
    fn each(self, take: &mut Take<'_>) -> Result<()>;
}

impl Params for () {
    fn each(self, _: &mut Take<'_>) -> Result<()> {
        Ok(())
    }
}

impl Params for [&(dyn ToSql + Send + Sync); 0] {
    fn each(self, _: &mut Take<'_>) -> Result<()> {
        Ok(())
    }
}

impl Params for &[&dyn ToSql] {
    fn each(self, take: &mut Take<'_>) -> Result<()> {
        self.iter().try_for_each(|value| take(None, value))
    }
}

impl Params for &[(&str, &dyn ToSql)] {
    fn each(self, take: &mut Take<'_>) -> Result<()> {
        self.iter()
            .try_for_each(|(name, value)| take(Some(name), value))
    }
}

macro_rules! arrays {
    ($($count:literal)*) => {$(
        impl<T: ToSql> Params for [T; $count] {
            fn each(self, take: &mut Take<'_>) -> Result<()> {
                self.iter().try_for_each(|value| take(None, value))
            }
        }
    )*};
}
arrays! { 1 2 3 4 5 6 }

macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: ToSql),*> Params for ($($name,)*) {
            #[allow(non_snake_case)]
            fn each(self, take: &mut Take<'_>) -> Result<()> {
                let ($($name,)*) = self;
                $(take(None, &$name)?;)*
                Ok(())
            }
        }
    )*};
}
tuples! { (A) (A B) (A B C) (A B C D) (A B C D E) (A B C D E F) (A B C D E F G) (A B C D E F G H) }

/// Binds values to a statement of SQLite.
pub(super) fn bind(statement: &mut rusqlite::Statement<'_>, params: impl Params) -> Result<()> {
    let (mut count, expected) = (0, statement.parameter_count());
    let mut is_named = false;
    params.each(&mut |name, value| {
        count += 1;
        match name {
            Some(name) => {
                is_named = true;
                statement.raw_bind_parameter(name, value)?;
            }
            None if count <= expected => statement.raw_bind_parameter(count, value)?,
            None => {}
        }
        Ok(())
    })?;
    match is_named || count == expected {
        true => Ok(()),
        false => Err(rusqlite::Error::InvalidParameterCount(count, expected).into()),
    }
}

/// The values for a translated statement, in the order of its numbers.
pub(super) fn values(sql: &Translated, params: impl Params) -> Result<Vec<Value>> {
    let mut values = Vec::new();
    params.each(&mut |name, value| {
        let value = match value.to_sql()? {
            ToSqlOutput::Owned(value) => value,
            ToSqlOutput::Borrowed(value) => Value::try_from(value)?,
            _ => return Err(Error::Sqlite(rusqlite::Error::InvalidQuery)),
        };
        match name.map(|name| sql.names.iter().position(|known| *known == name)) {
            None => values.push(value),
            Some(Some(place)) => {
                values.resize(values.len().max(place + 1), Value::Null);
                values[place] = value;
            }
            Some(None) => {}
        }
        Ok(())
    })?;
    Ok(values)
}
