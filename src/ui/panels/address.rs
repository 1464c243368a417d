//! URLs within the page of a conversation.

use crate::store::link;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};

/// What is encoded in a value.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');

/// The URL of a panel and its selection; values may contain any characters.
pub fn panel_address(panel: &str, selected: &[(&str, &str)]) -> String {
    let mut address = format!("?panel={panel}");
    for (name, value) in selected {
        address.push_str(&format!("&{name}={}", encoded(value)));
    }
    address
}

/// Percent-encodes a query value; slashes stay readable.
pub fn encoded(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, ENCODED)
}

/// The download URL of a file.
pub fn file_address(id: &str, path: &str) -> String {
    link(&format!("c/{id}/file?path={}", encoded(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_break_out_of_its_parameter() {
        assert_eq!(
            panel_address("files", &[("file", "src/ä b&dir=#?.rs")]),
            "?panel=files&file=src/%C3%A4%20b%26dir%3D%23%3F.rs"
        );
    }
}
