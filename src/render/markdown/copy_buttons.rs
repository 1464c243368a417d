//! A copy button for each block of code. It is our own markup, added after sanitising; the timeline handles its clicks
//! (`ui/parts/copy.rs`), and the style sheet hides it elsewhere and without JavaScript.

use super::Html;
use crate::render::text;

/// The markup before a block of code.
pub(in crate::render) const BEFORE: &str = r#"<div class="code-box">"#;
/// The markup after a block of code.
pub(in crate::render) fn after() -> String {
    let label = text::copy();
    format!(
        r#"<button type="button" class="code-copy" data-needs-script="">{label}</button></div>"#
    )
}

/// Sanitised HTML with a button after each `<pre>`.
pub(super) fn added(html: &str) -> Html {
    let mut out = Html::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, from_tag) = rest.split_at(at);
        let (tag, behind) = from_tag.split_at(end_of_tag(from_tag));
        out.push_str(before);
        if tag == "<pre>" || tag.starts_with("<pre ") {
            out.push_str(BEFORE);
        }
        out.push_str(tag);
        if tag == "</pre>" {
            out.push_str(&after());
        }
        rest = behind;
    }
    out + rest
}

/// End of the tag that the text starts with. An attribute may contain `<` and `>`.
fn end_of_tag(html: &str) -> usize {
    let mut quoted = false;
    let is_end = |byte: u8| {
        quoted ^= byte == b'"';
        byte == b'>' && !quoted
    };
    let end = html.bytes().position(is_end);
    end.map_or(html.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_of_code_has_a_button() {
        let html = added("<p>a</p><pre data-language=\"sh\"><code>ls</code></pre><pre>b</pre>");
        let after = after();
        let expected = format!(
            "<p>a</p>{BEFORE}<pre data-language=\"sh\"><code>ls</code></pre>{after}{BEFORE}<pre>b</pre>{after}"
        );
        assert_eq!(html, expected);
        assert_eq!(
            added("a &lt;pre&gt; <code>b</code>"),
            "a &lt;pre&gt; <code>b</code>"
        );
    }

    #[test]
    fn an_attribute_cannot_contain_a_button() {
        let link = "<a title=\"<pre>x</pre>\">x</a>";
        assert_eq!(added(link), link);
    }
}
