//! Pictures inside of an exported page.

use super::text;
use crate::conversation::{Card, Row};
use crate::render::hidden::escaped;
use crate::render::picture::Picture;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

/// The pictures of a row. The addresses of its view name the event and the number of each.
pub(super) struct Pictures<'r> {
    row: &'r Row,
    /// Bytes that are left for pictures of the whole file.
    room: &'r mut usize,
}

impl<'r> Pictures<'r> {
    pub(super) fn of(row: &'r Row, room: &'r mut usize) -> Self {
        Self { row, room }
    }

    /// The picture at an address as a `data:` URL; `None` if it cannot be shown or does not fit.
    fn data(&mut self, address: &str) -> Option<String> {
        let mut parts = address.rsplit('/');
        let number: usize = parts.next()?.parse().ok()?;
        let seq: i64 = parts.nth(1)?.parse().ok()?;
        let picture = Picture::decode(self.images(seq)?.get(number)?)?;
        let data = STANDARD.encode(&picture.bytes);
        *self.room = self.room.checked_sub(data.len())?;
        Some(format!("data:{};base64,{data}", picture.media_type))
    }

    fn images(&self, wanted: i64) -> Option<&'r [String]> {
        let row = self.row;
        let executions = match &row.card {
            Card::Message { message, .. } => return Some(&message.images),
            Card::Call(call) => &call.executions[..],
            Card::Orphan(execution) => std::slice::from_ref(execution),
            _ => return None,
        };
        let found = executions.iter().find(|execution| execution.seq == wanted);
        found.map(|execution| &execution.result.images[..])
    }

    /// Writes the picture at an address, or the remark that it is left out.
    pub(super) fn write(&mut self, out: &mut String, address: &str, alt: &str, class: &str) {
        match self.data(address) {
            Some(data) => {
                let _ = write!(out, "<img{class} src=\"{data}\" alt=\"{}\">", escaped(alt));
            }
            None => {
                let _ = write!(
                    out,
                    "<span class=\"muted\">{}</span>",
                    text::image_left_out()
                );
            }
        }
    }
}
