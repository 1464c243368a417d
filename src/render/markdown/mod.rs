//! Markdown from people and agents, rendered to safe HTML.
//!
//! There are three safeguards: HTML inside the Markdown becomes text; elements that could load a resource or look like
//! a control (images, check boxes, headings) are replaced in the event stream; and the finished HTML passes an
//! allow-list. The allow-list alone is sufficient; the others keep the result readable.
//!
//! Long because all three safeguards are reviewed together.

use super::{Html, code, hidden, text};
use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
    time::{Duration, Instant},
};

pub(super) mod copy_buttons;
mod pieces;
use pieces::end_of_piece;

/// Limit on nested quotes, lists and emphasis; deeper ones are flattened, since they are unreadable and would make the
/// sanitiser's tree as deep.
const DEEPEST: usize = 24;

/// Time limit for the pieces of one text; the rest stays plain text.
const TIME_LIMIT: Duration = Duration::from_millis(250);
/// A piece with more opening brackets than this is data and stays plain text.
const MOST_BRACKETS: usize = 500;

/// Renders Markdown.
pub fn markdown_html(text: &str) -> Html {
    html_of(text, false)
}

/// Renders Markdown that a person typed: each line break is one.
pub fn typed_html(text: &str) -> Html {
    html_of(text, true)
}

fn html_of(text: &str, typed: bool) -> Html {
    let (begun, mut out, mut rest) = (Instant::now(), Html::new(), text);
    while !rest.is_empty() {
        if begun.elapsed() > TIME_LIMIT {
            out.push_str(&plain_html(rest));
            break;
        }
        let (piece, behind) = rest.split_at(end_of_piece(rest));
        let brackets = piece.bytes().filter(|byte| *byte == b'[').count();
        out.push_str(&if brackets > MOST_BRACKETS {
            plain_html(piece)
        } else {
            piece_html(piece, typed)
        });
        rest = behind;
    }
    out
}

fn piece_html(text: &str, typed: bool) -> Html {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut raw = String::with_capacity(text.len() * 2);
    let mut events = Tamed {
        inner: Parser::new_ext(text, options),
        typed,
        waiting: None,
        depth: 0,
        dropped: Vec::new(),
    };
    pulldown_cmark::html::push_html(&mut raw, &mut events);
    copy_buttons::added(&SANITISER.clean(&raw).to_string())
}

/// Longest beginning of a text in which its first line is looked for, in bytes.
const BEGINNING: usize = 2 << 10;

/// The first line of a Markdown text without its markup, for lists; at most `most` characters.
pub fn first_line(text: &str, most: usize) -> String {
    let beginning = text.trim_start();
    let beginning = &beginning[..beginning.floor_char_boundary(BEGINNING)];
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut line = String::new();
    for event in Parser::new_ext(beginning, options) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                line.push_str(&text);
            }
            Event::End(TagEnd::TableCell) => line.push(' '),
            Event::SoftBreak
            | Event::HardBreak
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::CodeBlock
                | TagEnd::HtmlBlock
                | TagEnd::TableHead
                | TagEnd::TableRow,
            ) if !line.trim().is_empty() => break,
            _ => {}
        }
    }
    // A block of code is one text with all its lines.
    let line = line.trim().lines().next().unwrap_or_default();
    line.trim_end().chars().take(most).collect()
}

/// A Markdown text without its markup, on one line, for excerpts.
pub(super) fn plain_whole(text: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let mut plain = String::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
                plain.push_str(&text);
            }
            Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::End(
                TagEnd::Paragraph
                | TagEnd::Heading(_)
                | TagEnd::Item
                | TagEnd::CodeBlock
                | TagEnd::HtmlBlock
                | TagEnd::TableCell,
            ) => plain.push(' '),
            _ => {}
        }
    }
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ")
}

/// Plain text as HTML: paragraphs and line breaks only.
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

/// The parser's events, with dangerous or disallowed ones replaced.
struct Tamed<'a> {
    inner: Parser<'a>,
    /// A person typed it, and each line break is one.
    typed: bool,
    /// The next event to return, if one is queued.
    waiting: Option<Event<'a>>,
    depth: usize,
    /// The ends of open elements deeper than [`DEEPEST`], which must be dropped as well.
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
                    // An HTML block becomes a paragraph of text.
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
                Event::SoftBreak if self.typed => return Some(Event::HardBreak),
                Event::InlineHtml(tag) if is_line_break(&tag) => return Some(Event::HardBreak),
                Event::Html(text) | Event::InlineHtml(text) => return Some(Event::Text(text)),
                Event::TaskListMarker(done) => {
                    let (title, mark) = if done {
                        (text::task_done(), '☑')
                    } else {
                        (text::task_to_do(), '☐')
                    };
                    return Some(raw(&format!(
                        "<span class=\"task-mark\" title=\"{title}\">{mark}</span> "
                    )));
                }
                event => return Some(event),
            }
        }
    }
}

impl<'a> Tamed<'a> {
    /// An image is never loaded: it becomes a link with its description and address.
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
        let place = host.as_deref().unwrap_or(text::image_embedded());
        let words = text::image_link(alt.trim(), place);
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

/// Our own markup.
fn raw<'a>(html: &str) -> Event<'a> {
    Event::InlineHtml(CowStr::from(html.to_owned()))
}

fn start(tag: Tag<'_>) -> Event<'_> {
    match tag {
        // Headings in a message must not become headings of the page.
        Tag::Heading { level, .. } => raw(match level {
            HeadingLevel::H1 => "<p class=\"heading heading-1\">",
            HeadingLevel::H2 => "<p class=\"heading heading-2\">",
            _ => "<p class=\"heading heading-3\">",
        }),
        // The tooltip shows the real URL, since the text of a link can claim anything.
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

/// Whether the tag is part of a table and meaningless without the others.
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
