//! URLs within the page of a conversation.

/// The URL of a panel and its selection; values may contain any characters.
pub fn panel_address(panel: &str, selected: &[(&str, &str)]) -> String {
    let mut address = format!("?panel={panel}");
    for (name, value) in selected {
        address.push_str(&format!("&{name}={}", encoded(value)));
    }
    address
}

/// Percent-encodes a query value; slashes stay readable.
pub fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
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
