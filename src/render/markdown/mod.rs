//! Markdown from people and agents, rendered to safe HTML.
//!
//! There are three safeguards: HTML inside the Markdown becomes text; elements that could load a resource or look like
//! a control (images, check boxes, headings) are replaced in the event stream; and the finished HTML passes an
//! allow-list. The allow-list alone is sufficient; the others keep the result readable.
//!
//! Long because all three safeguards are reviewed together.

use super::{Html, code, hidden, text};
use crate::conversation::is_rtl;
use ammonia::{Builder, UrlRelative};
use pulldown_cmark::{
    CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream,
};
use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::LazyLock,
    time::{Duration, Instant},
};

mod cjk;
pub(super) mod copy_buttons;
mod links;
mod pieces;
mod typed;
use pieces::end_of_piece;
pub use typed::typed_html;

/// Limit on nested quotes, lists and emphasis; deeper ones are flattened, since they are unreadable and would make the
/// sanitiser's tree as deep.
const DEEPEST: usize = 24;

/// Time limit for the pieces of one text; the rest stays plain text. A development build takes many times as long.
const TIME_LIMIT: Duration = match cfg!(debug_assertions) {
    true => Duration::from_secs(10),
    false => Duration::from_millis(250),
};
/// The same for pieces that are code, each of which has a limit for its colours: it must not cost the prose behind it.
const TIME_FOR_CODE: Duration = match cfg!(debug_assertions) {
    true => Duration::from_secs(20),
    false => Duration::from_secs(1),
};
/// A piece with more opening brackets than this is data and stays plain text.
const MOST_BRACKETS: usize = 500;
/// The same of hidden characters: in code each becomes an element.
const MOST_HIDDEN: usize = 2_000;

/// Renders Markdown.
pub fn markdown_html(text: &str) -> Html {
    let (mut out, mut rest) = (Html::new(), text);
    let (mut prose, mut code) = (Duration::ZERO, Duration::ZERO);
    while !rest.is_empty() {
        if prose > TIME_LIMIT || code > TIME_FOR_CODE {
            out.push_str(&plain_html(rest));
            break;
        }
        let begun = Instant::now();
        let (piece, behind) = rest.split_at(end_of_piece(rest));
        let brackets = piece.bytes().filter(|byte| *byte == b'[').count();
        let is_hidden = hidden::hides_more_than(piece, MOST_HIDDEN);
        out.push_str(&if brackets > MOST_BRACKETS || is_hidden {
            plain_html(piece)
        } else {
            piece_html(piece)
        });
        rest = behind;
        match piece.trim_start().starts_with(['`', '~']) {
            true => code += begun.elapsed(),
            false => prose += begun.elapsed(),
        }
    }
    out
}

fn piece_html(text: &str) -> Html {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS | Options::ENABLE_STRIKETHROUGH;
    let shielded = links::shielded(text);
    let (text, is_marked) = cjk::prepared(shielded.as_deref().unwrap_or(text));
    let inner: VecDeque<Event<'_>> =
        TextMergeStream::new(Parser::new_ext(&text, options)).collect();
    let mut raw = String::with_capacity(text.len() * 2);
    let mut events = Tamed {
        tables: VecDeque::new(),
        directions: directions(&inner),
        inner,
        waiting: VecDeque::new(),
        links: 0,
        depth: 0,
        dropped: Vec::new(),
    };
    pulldown_cmark::html::push_html(&mut raw, &mut events);
    if !events.tables.is_empty() {
        raw = with_tables(&raw, events.tables);
    }
    if is_marked {
        raw = cjk::unmarked(&raw);
    }
    if shielded.is_some() {
        raw = links::unshielded(&raw);
    }
    copy_buttons::added(&SANITISER.clean(&raw).to_string())
}

/// HTML whose tables have these directions, and cells whose alignment is an attribute, which the allow-list can tell from
/// other styles. Only our own markup has a `<` in it.
fn with_tables(html: &str, directions: VecDeque<Option<bool>>) -> String {
    let mut parts = html.split("<table>");
    let mut made = parts.next().unwrap_or_default().to_owned();
    let directions = directions.into_iter().chain(std::iter::repeat(None));
    for (part, direction) in parts.zip(directions) {
        made.push_str("<table");
        made.push_str(word_of(direction));
        made.push('>');
        made.push_str(part);
    }
    for cell in ["td", "th"] {
        for side in ["left", "center", "right"] {
            let styled = format!("<{cell} style=\"text-align: {side}\">");
            made = made.replace(&styled, &format!("<{cell} align=\"{side}\">"));
        }
    }
    made
}

/// The direction of each block, in order of their beginnings: where it differs from that of the block around it.
///
/// The first letter of a block decides, without its code. A list decides as a whole, because its numbers stand on one
/// side.
fn directions(events: &VecDeque<Event<'_>>) -> VecDeque<Option<bool>> {
    let (mut found, mut open, mut in_code) = (Vec::<Option<bool>>::new(), Vec::new(), false);
    for event in events {
        match event {
            Event::Start(tag) if is_block(tag) => {
                open.push(found.len());
                found.push(None);
            }
            Event::End(end) if is_end_of_block(end) => drop(open.pop()),
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Text(text) if !open.is_empty() && !in_code => {
                let undecided = || open.iter().filter(|at| found[**at].is_none());
                if undecided().next().is_some()
                    && let Some(is_rtl) = text.chars().find_map(is_rtl)
                {
                    for at in &open {
                        found[*at].get_or_insert(is_rtl);
                    }
                }
            }
            _ => {}
        }
    }
    // A block of the same direction as the one around it needs no word.
    let (mut around, mut at) = (vec![false], 0);
    let mut said = VecDeque::with_capacity(found.len());
    for event in events {
        match event {
            Event::Start(tag) if is_block(tag) => {
                let outer = around.last().copied().unwrap_or_default();
                let own = found[at].unwrap_or(outer);
                said.push_back((own != outer).then_some(own));
                around.push(own);
                at += 1;
            }
            Event::End(end) if is_end_of_block(end) => drop(around.pop()),
            _ => {}
        }
    }
    said
}

/// Whether an element is a block of prose, whose direction its letters decide.
fn is_block(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Paragraph
            | Tag::Heading { .. }
            | Tag::BlockQuote(_)
            | Tag::List(_)
            | Tag::Item
            | Tag::Table(_)
    )
}

/// As [`is_block`], for its end.
fn is_end_of_block(end: &TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Paragraph
            | TagEnd::Heading(_)
            | TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::Item
            | TagEnd::Table
    )
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
            ("blockquote", HashSet::from(["dir"])),
            ("li", HashSet::from(["dir"])),
            ("ol", HashSet::from(["dir", "start"])),
            ("p", HashSet::from(["dir"])),
            ("pre", HashSet::from(["data-language"])),
            ("span", HashSet::from(["title"])),
            ("table", HashSet::from(["dir"])),
            ("td", HashSet::from(["align"])),
            ("th", HashSet::from(["align"])),
            ("ul", HashSet::from(["dir"])),
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
    inner: VecDeque<Event<'a>>,
    /// See [`directions`].
    directions: VecDeque<Option<bool>>,
    /// Those of the tables so far.
    tables: VecDeque<Option<bool>>,
    /// The next events to return, if some are queued.
    waiting: VecDeque<Event<'a>>,
    /// Number of open links.
    links: usize,
    depth: usize,
    /// The ends of open elements deeper than [`DEEPEST`], which must be dropped as well.
    dropped: Vec<TagEnd>,
}

impl<'a> Iterator for Tamed<'a> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(event);
        }
        loop {
            let event = self.inner.pop_front()?;
            let direction = match &event {
                Event::Start(tag) if is_block(tag) => self.directions.pop_front().flatten(),
                _ => None,
            };
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
                    self.links += usize::from(matches!(tag, Tag::Link { .. }));
                    if matches!(tag, Tag::Table(_)) {
                        self.tables.push_back(direction);
                    }
                    return Some(start(tag, direction));
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    let is_link = matches!(end, TagEnd::Link);
                    self.links = self.links.saturating_sub(usize::from(is_link));
                    return Some(match end {
                        TagEnd::Heading(_) => raw("</p>\n"),
                        end => Event::End(end),
                    });
                }
                Event::InlineHtml(tag) if is_line_break(&tag) => return Some(Event::HardBreak),
                Event::Html(text) | Event::InlineHtml(text) => return Some(Event::Text(text)),
                Event::Text(text) if self.links == 0 => return Some(self.linked(text)),
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
    /// A text with its addresses as links.
    fn linked(&mut self, text: CowStr<'a>) -> Event<'a> {
        let found = links::addresses(&text);
        let mut from = 0;
        for address in found {
            if address.start > from {
                let before = CowStr::from(text[from..address.start].to_owned());
                self.waiting.push_back(Event::Text(before));
            }
            self.waiting.push_back(raw(&link(&text[address.clone()])));
            from = address.end;
        }
        if from == 0 {
            return Event::Text(text);
        }
        if from < text.len() {
            let behind = CowStr::from(text[from..].to_owned());
            self.waiting.push_back(Event::Text(behind));
        }
        let first = self.waiting.pop_front();
        first.expect("a text with an address has parts")
    }

    /// An image is never loaded: it becomes a link with its description and address.
    fn picture(&mut self, address: &str) -> Event<'a> {
        let mut alt = String::new();
        let mut open = 1;
        while let Some(event) = self.inner.pop_front() {
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
        let info = match kind {
            CodeBlockKind::Fenced(info) => info,
            CodeBlockKind::Indented => "",
        };
        raw(&pre(info, &text))
    }

    fn html_block(&mut self) -> Event<'a> {
        let text = self.text_until(|end| matches!(end, TagEnd::HtmlBlock));
        raw(&plain_html(&text))
    }

    fn text_until(&mut self, is_end: impl Fn(&TagEnd) -> bool) -> String {
        let mut text = String::new();
        while let Some(event) = self.inner.pop_front() {
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

/// A block of code with its copy button; `info` names its language.
fn code_block_html(info: &str, text: &str) -> Html {
    copy_buttons::added(&pre(info, text))
}

fn pre(info: &str, text: &str) -> Html {
    let word = info.split([' ', ',', '{']).next().unwrap_or_default();
    let language: String = word
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "+-#._".contains(*c))
        .take(20)
        .collect();
    let attribute = if language.is_empty() {
        String::new()
    } else {
        format!(" data-language=\"{language}\"")
    };
    let code = code::code_html(text.trim_end_matches('\n'), &language);
    format!("<pre{attribute}><code>{code}</code></pre>\n")
}

/// Our own markup.
fn raw<'a>(html: &str) -> Event<'a> {
    Event::InlineHtml(CowStr::from(html.to_owned()))
}

/// A link that shows its address.
fn link(address: &str) -> Html {
    let target = hidden::escaped(&links::target(address));
    let shown = hidden::escaped(address);
    format!("<a href=\"{target}\" title=\"{target}\">{shown}</a>")
}

/// A direction as an attribute.
fn word_of(direction: Option<bool>) -> &'static str {
    match direction {
        None => "",
        Some(true) => " dir=\"rtl\"",
        Some(false) => " dir=\"ltr\"",
    }
}

/// The beginning of an element; `direction` if it has one of its own: right to left, or left to right.
fn start(tag: Tag<'_>, direction: Option<bool>) -> Event<'_> {
    let dir = word_of(direction);
    match tag {
        // Headings in a message must not become headings of the page.
        Tag::Heading { level, .. } => raw(&match level {
            HeadingLevel::H1 => format!("<p class=\"heading heading-1\"{dir}>"),
            HeadingLevel::H2 => format!("<p class=\"heading heading-2\"{dir}>"),
            _ => format!("<p class=\"heading heading-3\"{dir}>"),
        }),
        Tag::Paragraph if !dir.is_empty() => raw(&format!("<p{dir}>")),
        Tag::Item if !dir.is_empty() => raw(&format!("<li{dir}>")),
        Tag::BlockQuote(_) if !dir.is_empty() => raw(&format!("<blockquote{dir}>\n")),
        Tag::List(None) if !dir.is_empty() => raw(&format!("<ul{dir}>\n")),
        Tag::List(Some(first)) if !dir.is_empty() => raw(&format!("<ol start=\"{first}\"{dir}>\n")),
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
