//! What arrays, objects, structs and enums contain.

use super::Unreadable;
use super::cursor::Reader;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};

/// The inside of an array or object.
pub(super) struct Items<'r, 'a> {
    reader: &'r mut Reader<'a>,
    end: u8,
    is_first: bool,
    ended: bool,
}

impl<'r, 'a> Items<'r, 'a> {
    /// The inside, after `begin`. Errors: something else is next.
    pub fn after(begin: u8, reader: &'r mut Reader<'a>, end: u8) -> Result<Self, Unreadable> {
        reader.expect(begin)?;
        Ok(Self {
            reader,
            end,
            is_first: true,
            ended: false,
        })
    }

    /// Whether another item follows, which begins at the cursor.
    pub fn continues(&mut self) -> Result<bool, Unreadable> {
        self.ended = self.ended || self.reader.takes(self.end);
        if !self.ended && !std::mem::take(&mut self.is_first) {
            self.reader.expect(b',')?;
        }
        Ok(!self.ended)
    }
}

impl<'de> SeqAccess<'de> for &mut Items<'_, '_> {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Unreadable> {
        if self.continues()? {
            seed.deserialize(&mut *self.reader).map(Some)
        } else {
            Ok(None)
        }
    }
}

impl<'de> MapAccess<'de> for Items<'_, '_> {
    type Error = Unreadable;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Unreadable> {
        (&mut *self).next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, Unreadable> {
        self.reader.expect(b':')?;
        seed.deserialize(&mut *self.reader)
    }
}

/// The fields of a struct, in the order of their names.
pub(super) struct Fields<'r, 'a> {
    items: Items<'r, 'a>,
    names: &'static [&'static str],
    /// How many of them were asked for.
    asked: usize,
    /// The name before the cursor: one that was not asked for yet.
    found: Option<&'a str>,
}

impl<'r, 'a> Fields<'r, 'a> {
    /// The fields with these names in an object.
    pub fn new(items: Items<'r, 'a>, names: &'static [&'static str]) -> Self {
        Self {
            items,
            names,
            asked: 0,
            found: None,
        }
    }

    /// Passes the rest after the last field. Errors: a field stands in it.
    pub fn finish(mut self) -> Result<(), Unreadable> {
        self.asked = self.names.len();
        self.finds_next().map(drop)
    }

    /// Whether the next field, after whose name the cursor then stands, is the one that is asked for next. Passes what no
    /// field has. Errors: a field stands twice or too late.
    fn finds_next(&mut self) -> Result<bool, Unreadable> {
        let (asked, rest) = self.names.split_at(self.asked);
        self.asked += usize::from(!rest.is_empty());
        loop {
            let found = match self.found.take() {
                Some(found) => found,
                None if self.items.continues()? => {
                    let found = self.items.reader.raw()?;
                    self.items.reader.expect(b':')?;
                    found
                }
                None => return Ok(false),
            };
            if rest.first() == Some(&found) {
                return Ok(true);
            }
            if asked.contains(&found) {
                return Err(Unreadable);
            }
            if rest.contains(&found) {
                self.found = Some(found);
                return Ok(false);
            }
            self.items.reader.skip()?;
        }
    }
}

impl<'de> SeqAccess<'de> for Fields<'_, '_> {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Unreadable> {
        if self.finds_next()? {
            seed.deserialize(&mut *self.items.reader).map(Some)
        } else {
            Ok(None)
        }
    }
}

/// A variant of an enum, by its index in the names.
pub(super) struct Variant<'r, 'a> {
    pub reader: &'r mut Reader<'a>,
    pub names: &'static [&'static str],
}

impl<'de> EnumAccess<'de> for Variant<'_, '_> {
    type Error = Unreadable;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self), Unreadable> {
        let found = self.reader.raw()?;
        let index = self.names.iter().position(|name| *name == found);
        let index = index.ok_or(Unreadable)? as u64;
        let variant = seed.deserialize(IntoDeserializer::<Unreadable>::into_deserializer(index))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, '_> {
    type Error = Unreadable;

    fn unit_variant(self) -> Result<(), Unreadable> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, Unreadable> {
        self.reader.expect(b':')?;
        seed.deserialize(self.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Unreadable> {
        self.reader.expect(b':')?;
        self.reader.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.reader.expect(b':')?;
        self.reader.deserialize_struct("", names, visitor)
    }
}
