//! Pictures that events carry, ready to be served.

use super::{Journal, JournalError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its media type, one of four that cannot hold a script.
    pub media_type: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Journal {
    /// Picture `number` of an event. `None` when there is none, or it is not of a kind that is served:
    /// the bytes themselves must begin as PNG, JPEG, GIF or WebP do.
    pub async fn picture(
        &self,
        conversation: &str,
        seq: i64,
        number: usize,
    ) -> Result<Option<Picture>, JournalError> {
        let images = self.images(conversation, seq).await?;
        Ok(images.get(number).and_then(|url| decode(url)))
    }
}

/// Decodes a `data:` URL. What it calls itself does not count.
fn decode(url: &str) -> Option<Picture> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    if !head.ends_with(";base64") {
        return None;
    }
    let bytes = STANDARD.decode(data.trim()).ok()?;
    let media_type = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => "image/webp",
        _ => return None,
    };
    Some(Picture { media_type, bytes })
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn a_png_is_decoded_whatever_it_calls_itself() {
        let picture = decode("data:image/svg+xml;base64,iVBORw0KGgo=")
            .expect("these are the first bytes of a PNG");
        assert_eq!(picture.media_type, "image/png");
    }

    #[test]
    fn what_could_hold_a_script_is_not_served() {
        assert_eq!(decode("data:image/png;base64,PHN2Zz4="), None);
        assert_eq!(decode("data:text/html,<p>"), None);
        assert_eq!(decode("https://example.org/a.png"), None);
    }
}
