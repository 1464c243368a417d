//! Plain text of what the renderer has made.

/// The text of a highlighted line: without tags, and with the renderer's few entities decoded.
pub fn plain(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut in_tag = false;
    for character in html.chars() {
        match character {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            _ => out.push(character),
        }
    }
    // The ampersand comes last: `&amp;lt;` is the text `&lt;`.
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&amp;", "&"),
    ] {
        out = out.replace(entity, character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_highlighted_line_is_copied_as_it_was_written() {
        assert_eq!(
            plain(r#"<span class="hl-a">if</span> a &lt; b &amp;&amp; c == &quot;&amp;lt;&quot;"#),
            r#"if a < b && c == "&lt;""#
        );
    }
}
