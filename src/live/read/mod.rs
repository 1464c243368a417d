//! Reads the JSON that this server writes, with little code: serde_json's own reader was a tenth of the first load.
//!
//! The text comes from serde_json and the same types, so the names of a struct are expected in the order of its fields. A
//! missing name gets the default of its field, and an unknown one is skipped: a page that is older than its server can
//! mostly be read. What only describes itself is refused (untagged and flattened types).

mod contents;
mod cursor;
#[cfg(test)]
mod tests;

use contents::{Fields, Items, Variant};
use cursor::Reader;
use serde::de::{DeserializeOwned, Deserializer, Error, Visitor};
use std::fmt;

/// Reads a value. Errors: it is not the JSON that [`serde_json::to_string`] makes of a `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    let mut reader = Reader { text, at: 0 };
    let value = T::deserialize(&mut reader)?;
    (reader.peek() == 0 && reader.at == text.len())
        .then_some(value)
        .ok_or(Unreadable)
}

/// A text is not what the server sends. It says no more: that would be code for each field, and nobody reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreadable;

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the response cannot be read")
    }
}

impl std::error::Error for Unreadable {}

impl Error for Unreadable {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Numbers, each read as the widest of its kind.
macro_rules! numbers {
    ($($name:ident $visit:ident $kind:ident),*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
            visitor.$visit(self.$kind()?)
        }
    )*};
}

/// What is not read as what it says it is.
macro_rules! as_others {
    ($($name:ident $other:ident),*) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
            self.$other(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Reader<'_> {
    type Error = Unreadable;

    numbers! {
        deserialize_i64 visit_i64 integer, deserialize_u64 visit_u64 integer,
        deserialize_f64 visit_f64 float, deserialize_string visit_string string
    }

    as_others! {
        deserialize_i8 deserialize_i64, deserialize_i16 deserialize_i64, deserialize_i32 deserialize_i64,
        deserialize_u8 deserialize_u64, deserialize_u16 deserialize_u64, deserialize_u32 deserialize_u64,
        deserialize_f32 deserialize_f64, deserialize_char deserialize_string,
        deserialize_str deserialize_string, deserialize_identifier deserialize_string,
        deserialize_bytes deserialize_any, deserialize_byte_buf deserialize_any
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unreadable> {
        Err(Unreadable)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self.token() {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(Unreadable),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        if self.peek() == b'n' {
            self.token();
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self.token() {
            "null" => visitor.visit_unit(),
            _ => Err(Unreadable),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        self.skip()?;
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        let mut items = Items::after(b'[', self, b']')?;
        let value = visitor.visit_seq(&mut items)?;
        // A tuple does not ask whether another element follows.
        let has_more = items.continues()?;
        (!has_more).then_some(value).ok_or(Unreadable)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_map(Items::after(b'{', self, b'}')?)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        let mut fields = Fields::new(Items::after(b'{', self, b'}')?, names);
        let value = visitor.visit_seq(&mut fields)?;
        fields.finish()?;
        Ok(value)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        let has_content = self.takes(b'{');
        let value = visitor.visit_enum(Variant {
            reader: self,
            names,
        })?;
        if has_content {
            self.expect(b'}')?;
        }
        Ok(value)
    }
}
