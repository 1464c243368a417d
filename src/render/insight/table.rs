//! Tables, facts and legends as HTML.

use super::super::Html;
use super::super::hidden::{escape, escaped, plain_line};
use super::{money, share, text};
use crate::conversation::{Measure, Spent};
use crate::render::grouped;
use std::fmt::Write;

/// Longest text in a cell, in characters.
const CELL: usize = 120;

/// A column: its heading, and whether its cells are numbers.
pub(super) type Column = (&'static str, bool);

/// How the tables of a page are sorted, and the addresses of the same page with other orders.
pub(super) struct Sorting<'s> {
    pub(super) by: Measure,
    /// The address of the page up to the name of a measure.
    pub(super) address: &'s str,
}

impl Sorting<'_> {
    /// The attribute and the content of the heading of a measure.
    fn heading(&self, heading: &str) -> Option<(&'static str, Html)> {
        let at = headings().iter().position(|(known, _)| *known == heading)?;
        let measure = Measure::ALL[at];
        let order = match measure == self.by {
            true => r#" aria-sort="descending""#,
            false => "",
        };
        let address = escaped(&format!("{}{}", self.address, measure.word()));
        let heading = escaped(heading);
        Some((order, format!(r#"<a href="{address}">{heading}</a>"#)))
    }
}

/// A table in a region that scrolls. The cells are HTML, already safe; the first of a row is its id, or empty.
pub(super) fn table(
    name: &str,
    columns: &[Column],
    rows: &[(String, Vec<Html>)],
    sorting: Option<&Sorting<'_>>,
) -> Html {
    let name = escaped(name);
    let mut html = format!(
        r#"<div class="table-scroll" tabindex="0" role="region" aria-label="{name}"><table class="table"><thead><tr>"#
    );
    for (heading, is_number) in columns {
        let class = if *is_number { " class=\"number\"" } else { "" };
        let link = sorting.and_then(|sorting| sorting.heading(heading));
        let (order, content) = link.unwrap_or_else(|| ("", escaped(heading)));
        let _ = write!(html, r#"<th scope="col"{class}{order}>{content}</th>"#);
    }
    html.push_str("</tr></thead><tbody>");
    for (id, cells) in rows {
        match id.as_str() {
            "" => html.push_str("<tr>"),
            id => {
                let _ = write!(html, r#"<tr id="{id}">"#);
            }
        }
        for (at, (cell, (_, is_number))) in cells.iter().zip(columns).enumerate() {
            let class = if *is_number { " class=\"number\"" } else { "" };
            let _ = match at {
                0 => write!(html, r#"<th scope="row"{class}>{cell}</th>"#),
                _ => write!(html, "<td{class}>{cell}</td>"),
            };
        }
        html.push_str("</tr>");
    }
    html.push_str("</tbody></table></div>");
    html
}

/// Text of an agent or a backend on one line, safe.
pub(super) fn line(text: &str) -> Html {
    escaped(&plain_line(text, CELL))
}

/// A list of facts.
pub(super) fn facts(facts: &[(&str, String)]) -> Html {
    let mut html = String::from(r#"<dl class="facts number">"#);
    for (name, value) in facts {
        let _ = write!(
            html,
            r#"<div class="facts__row"><dt>{}</dt><dd>{}</dd></div>"#,
            escaped(name),
            escaped(value)
        );
    }
    html.push_str("</dl>");
    html
}

/// A section of the page.
pub(super) fn section(title: &str, content: &str) -> Html {
    let mut html = String::from(r#"<section class="card"><h2 class="card__title">"#);
    escape(&mut html, title);
    html.push_str("</h2>");
    html.push_str(content);
    html.push_str("</section>");
    html
}

/// A remark.
pub(super) fn hint(text: &str) -> Html {
    format!(r#"<p class="muted">{}</p>"#, escaped(text))
}

/// A table that opens.
pub(super) fn folded(table: &str) -> Html {
    let name = escaped(text::table());
    format!(r#"<details class="knowledge plot-table"><summary>{name}</summary>{table}</details>"#)
}

/// The columns of [`cells`].
pub(super) fn headings() -> [Column; 4] {
    [
        (text::cost(), true),
        (text::input_tokens(), true),
        (text::output_tokens(), true),
        (text::cached(), true),
    ]
}

/// Cost and tokens as cells.
pub(super) fn cells(spent: &Spent) -> [Html; 4] {
    [
        money(spent.cost),
        grouped(spent.prompt_tokens),
        grouped(spent.completion_tokens),
        share(spent.cached()),
    ]
}
