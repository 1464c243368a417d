//! Prose of people and agents: Markdown in, harmless HTML out.
//!
//! Three nets behind each other: HTML inside the Markdown is text, what could fetch or look like a
//! control is replaced while the events pass by (pictures, check boxes, headings), and the finished
//! HTML goes through an allow-list. Only the last is needed; the others keep the result readable.

use super::{Html, code, hidden};
use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// Quotes, lists and emphasis inside each other beyond this are flattened: no reader follows them,
/// and the sanitiser's tree would be as deep.
const DEEPEST: usize = 24;

/// Renders Markdown.
pub fn markdown_html(text: &str) -> Html {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut raw = String::with_capacity(text.len() * 2);
    let mut events = Tamed {
        inner: Parser::new_ext(text, options),
        waiting: None,
        depth: 0,
        dropped: Vec::new(),
    };
    pulldown_cmark::html::push_html(&mut raw, &mut events);
    SANITISER.clean(&raw).to_string()
}

/// Plain text as HTML: paragraphs and line breaks, no markup at all.
pub(super) fn plain_html(text: &str) -> Html {
    format!(
        "<p>{}</p>",
        hidden::escaped(text.trim_end()).replace('\n', "<br>")
    )
}

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from([
            "a",
            "blockquote",
            "br",
            "code",
            "del",
            "em",
            "hr",
            "li",
            "mark",
            "ol",
            "p",
            "pre",
            "span",
            "strong",
            "table",
            "tbody",
            "td",
            "th",
            "thead",
            "tr",
            "ul",
        ]))
        .clean_content_tags(HashSet::from(["script", "style"]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "title"])),
            ("ol", HashSet::from(["start"])),
            ("pre", HashSet::from(["data-language"])),
            ("span", HashSet::from(["title"])),
        ]))
        .allowed_classes(HashMap::from([
            (
                "p",
                HashSet::from(["heading", "heading-1", "heading-2", "heading-3"]),
            ),
            (
                "span",
                code::CLASS_NAMES
                    .into_iter()
                    .chain(["hidden-char", "task-mark"])
                    .collect(),
            ),
        ]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .set_tag_attribute_value("a", "target", "_blank");
    builder
});

/// The events of a text, with what is dangerous or out of place replaced.
struct Tamed<'a> {
    inner: Parser<'a>,
    /// An event that comes next.
    waiting: Option<Event<'a>>,
    depth: usize,
    /// For each open element deeper than [`DEEPEST`]: its end is dropped too.
    dropped: Vec<TagEnd>,
}

impl<'a> Iterator for Tamed<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.waiting.take() {
            return Some(event);
        }
        loop {
            let event = self.inner.next()?;
            match event {
                Event::Start(Tag::Image { dest_url, .. }) => return Some(self.picture(&dest_url)),
                Event::Start(Tag::CodeBlock(kind)) => return Some(self.code_block(&kind)),
                Event::Start(Tag::HtmlBlock) => {
                    // A block of HTML becomes a paragraph of text.
                    return Some(self.html_block());
                }
                Event::Start(tag) if self.depth >= DEEPEST && !is_table_part(&tag) => {
                    self.dropped.push(tag.to_end())
                }
                Event::End(end) if self.dropped.last() == Some(&end) => {
                    self.dropped.pop();
                }
                Event::Start(tag) => {
                    self.depth += 1;
                    return Some(start(tag));
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Some(match end {
                        TagEnd::Heading(_) => raw("</p>\n"),
                        end => Event::End(end),
                    });
                }
                Event::InlineHtml(tag) if is_line_break(&tag) => return Some(Event::HardBreak),
                Event::Html(text) | Event::InlineHtml(text) => return Some(Event::Text(text)),
                Event::TaskListMarker(done) => {
                    return Some(raw(if done {
                        "<span class=\"task-mark\" title=\"done\">☑</span> "
                    } else {
                        "<span class=\"task-mark\" title=\"to do\">☐</span> "
                    }));
                }
                event => return Some(event),
            }
        }
    }
}

impl<'a> Tamed<'a> {
    /// A picture is never loaded: it becomes a link that says what it is and where it lies.
    fn picture(&mut self, address: &str) -> Event<'a> {
        let mut alt = String::new();
        let mut open = 1;
        for event in self.inner.by_ref() {
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                Event::Text(text) | Event::Code(text) => alt.push_str(&text),
                Event::SoftBreak | Event::HardBreak => alt.push(' '),
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        let host = url::Url::parse(address)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        let words = format!(
            "image: {} ({})",
            alt.trim(),
            host.as_deref().unwrap_or("embedded")
        );
        let words = hidden::escaped(&words);
        match host {
            Some(_) => raw(&format!(
                "<a href=\"{0}\" title=\"{0}\">{words}</a>",
                hidden::escaped(address)
            )),
            None => raw(&words),
        }
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'a>) -> Event<'a> {
        let text = self.text_until(|end| matches!(end, TagEnd::CodeBlock));
        let language: String = match kind {
            CodeBlockKind::Fenced(info) => {
                let word = info.split([' ', ',', '{']).next().unwrap_or_default();
                word.chars()
                    .filter(|c| c.is_ascii_alphanumeric() || "+-#._".contains(*c))
                    .take(20)
                    .collect()
            }
            CodeBlockKind::Indented => String::new(),
        };
        let attribute = if language.is_empty() {
            String::new()
        } else {
            format!(" data-language=\"{language}\"")
        };
        let code = code::code_html(text.trim_end_matches('\n'), &language);
        raw(&format!("<pre{attribute}><code>{code}</code></pre>\n"))
    }

    fn html_block(&mut self) -> Event<'a> {
        let text = self.text_until(|end| matches!(end, TagEnd::HtmlBlock));
        raw(&plain_html(&text))
    }

    fn text_until(&mut self, is_end: impl Fn(&TagEnd) -> bool) -> String {
        let mut text = String::new();
        for event in self.inner.by_ref() {
            match event {
                Event::End(end) if is_end(&end) => break,
                Event::Text(piece) | Event::Html(piece) | Event::InlineHtml(piece) => {
                    text.push_str(&piece)
                }
                _ => {}
            }
        }
        text
    }
}

/// Markup of our own.
fn raw<'a>(html: &str) -> Event<'a> {
    Event::InlineHtml(CowStr::from(html.to_owned()))
}

fn start(tag: Tag<'_>) -> Event<'_> {
    match tag {
        // Headings of a message are not headings of the page.
        Tag::Heading { level, .. } => raw(match level {
            HeadingLevel::H1 => "<p class=\"heading heading-1\">",
            HeadingLevel::H2 => "<p class=\"heading heading-2\">",
            _ => "<p class=\"heading heading-3\">",
        }),
        // The address is in the tooltip: the words of a link may say anything.
        Tag::Link {
            link_type,
            dest_url,
            id,
            ..
        } => Event::Start(Tag::Link {
            link_type,
            title: dest_url.clone(),
            dest_url,
            id,
        }),
        tag => Event::Start(tag),
    }
}

/// Parts of a table only make sense together.
fn is_table_part(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::TableHead | Tag::TableRow | Tag::TableCell)
}

fn is_line_break(html: &str) -> bool {
    matches!(
        html.to_ascii_lowercase().replace([' ', '/'], "").as_str(),
        "<br>"
    )
}

#[cfg(test)]
mod tests;
