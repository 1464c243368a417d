//! Images in events: four formats that cannot contain scripts, detected by their first bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its media type.
    pub media_type: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// Decodes a `data:` URL. The declared media type is ignored; `None` if the data is not in a supported format.
    pub fn decode(url: &str) -> Option<Self> {
        let bytes = STANDARD.decode(payload(url)?).ok()?;
        Some(Self {
            media_type: media_type(&bytes)?,
            bytes,
        })
    }

    /// The media type of a file that is a picture; `None` if the file is not in a supported format.
    pub fn kind_of(file: &[u8]) -> Option<&'static str> {
        media_type(file)
    }
}

/// Whether the beginning of the URL looks like an image that [`Picture::decode`] accepts.
pub(super) fn begins_as_picture(url: &str) -> bool {
    /// 16 base64 characters are 12 bytes: enough for the longest signature.
    const LETTERS: usize = 16;
    let Some(start) = payload(url).and_then(|data| data.get(..LETTERS)) else {
        return false;
    };
    STANDARD
        .decode(start)
        .is_ok_and(|bytes| media_type(&bytes).is_some())
}

fn payload(url: &str) -> Option<&str> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    head.ends_with(";base64").then(|| data.trim())
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, rest @ ..] if rest.starts_with(b"WEBP") => {
            Some("image/webp")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Picture, begins_as_picture};

    #[test]
    fn a_png_is_decoded_whatever_it_calls_itself() {
        let url = "data:image/svg+xml;base64,iVBORw0KGgoAAAANSUhEUg==";
        let picture = Picture::decode(url).expect("these are the first bytes of a PNG");
        assert_eq!(picture.media_type, "image/png");
        assert!(begins_as_picture(url));
    }

    #[test]
    fn a_file_is_a_picture_by_its_first_bytes() {
        assert_eq!(Picture::kind_of(b"\x89PNG\r\n\x1a\n"), Some("image/png"));
        assert_eq!(Picture::kind_of(b"<svg onload=alert(1)>"), None);
        assert_eq!(Picture::kind_of(b""), None);
    }

    #[test]
    fn what_could_hold_a_script_is_no_picture() {
        for url in [
            "data:image/png;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+",
            "data:image/png;base64,not base64 at all, you see",
            "data:text/html,<p>a long enough text</p>",
            "https://example.org/a.png",
            "javascript:alert(1)//aaaaaaaaaaaaaaaaaaa",
            "",
        ] {
            assert_eq!(Picture::decode(url), None, "{url}");
            assert!(!begins_as_picture(url), "{url}");
        }
    }
}
