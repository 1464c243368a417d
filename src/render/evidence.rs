//! Evidence of what was approved as one HTML file that needs no server, and that carries its JSON.

use super::Html;
use super::hidden::{escape, escape_revealing};
use std::fmt::Write;

/// What precedes the JSON in the file, and what follows it.
pub const EVIDENCE_DATA: (&str, &str) = (
    "<script type=\"application/json\" id=\"evidence\">",
    "</script>",
);

const STYLE: &str = "\
:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}\
body{max-width:60rem;margin:0 auto;padding:1rem}\
article{border:1px solid;border-radius:.5rem;padding:0 1rem 1rem;margin:1rem 0}\
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:.5rem;max-height:40rem;overflow:auto}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;overflow-wrap:anywhere}\
dd{margin:0;white-space:pre-wrap}\
li{margin:.5rem 0}\
@media(max-width:30rem){dl{display:block}dt{margin-top:.5rem;font-weight:bold}}\
.hidden-char{outline:1px solid}";

/// A part of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvidenceSection {
    /// Its heading.
    pub heading: String,
    /// Names and values.
    pub facts: Vec<(String, String)>,
    /// Labels and texts.
    pub texts: Vec<(String, String)>,
    /// The points of a list.
    pub points: Vec<String>,
}

/// The file: a title, remarks, sections, and `json`.
pub fn evidence_html(
    title: &str,
    remarks: &[String],
    sections: &[EvidenceSection],
    json: &str,
) -> Html {
    let mut out = String::with_capacity(json.len() * 2);
    out.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width\">\n");
    out.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>");
    escape(&mut out, title);
    let _ = write!(
        out,
        "</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>"
    );
    escape_revealing(&mut out, title);
    out.push_str("</h1>\n");
    for remark in remarks {
        out.push_str("<p>");
        escape_revealing(&mut out, remark);
        out.push_str("</p>\n");
    }
    for section in sections {
        out.push_str("<article>\n<h2>");
        escape_revealing(&mut out, &section.heading);
        out.push_str("</h2>\n");
        if !section.facts.is_empty() {
            out.push_str("<dl>\n");
        }
        for (name, value) in &section.facts {
            out.push_str("<dt>");
            escape(&mut out, name);
            out.push_str("</dt><dd>");
            escape_revealing(&mut out, value);
            out.push_str("</dd>\n");
        }
        if !section.facts.is_empty() {
            out.push_str("</dl>\n");
        }
        if !section.points.is_empty() {
            out.push_str("<ul>\n");
            for point in &section.points {
                out.push_str("<li>");
                escape_revealing(&mut out, point);
                out.push_str("</li>\n");
            }
            out.push_str("</ul>\n");
        }
        for (label, text) in &section.texts {
            out.push_str("<h3>");
            escape(&mut out, label);
            out.push_str("</h3>\n<pre tabindex=\"0\">");
            escape_revealing(&mut out, text);
            out.push_str("</pre>\n");
        }
        out.push_str("</article>\n");
    }
    let (before, after) = EVIDENCE_DATA;
    out.push_str("</main>\n");
    out.push_str(before);
    // Nothing in it ends the element.
    out.push_str(&json.replace('<', "\\u003c"));
    out.push_str(after);
    out.push_str("\n</body>\n</html>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_evidence_is_markup_and_its_json_stays_whole() {
        let section = EvidenceSection {
            heading: "<b>".to_owned(),
            facts: vec![("by".to_owned(), "a\u{202e}b".to_owned())],
            texts: vec![("Shown".to_owned(), "</pre><script>x</script>".to_owned())],
            points: vec!["<i>".to_owned()],
        };
        let json = r#"{"a":"</script><script>y"}"#;
        let html = evidence_html("T<t>", &["&".to_owned()], &[section], json);
        assert_eq!(html.matches("<script").count(), 1, "{html}");
        assert!(
            !html.contains('\u{202e}') && html.contains("T&lt;t&gt;"),
            "{html}"
        );
        let (before, after) = EVIDENCE_DATA;
        let data = html
            .split_once(before)
            .and_then(|(_, rest)| rest.split_once(after));
        let value: serde_json::Value =
            serde_json::from_str(data.expect("it is there").0).expect("JSON");
        assert_eq!(value["a"], "</script><script>y");
    }
}
