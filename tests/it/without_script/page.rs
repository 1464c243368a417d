//! A page as a browser without JavaScript shows it: its texts, the names of its parts, and what was typed into it.
//!
//! There is no layout. Shown is what neither the markup nor the style sheet's rule for elements that need a script hides.

use super::part::Part;
use ego_tree::NodeId;
use reqwest::StatusCode;
use scraper::{ElementRef, Html, Node, Selector};
use std::collections::{HashMap, HashSet};
use std::time::Instant;
use url::Url;

/// A file that a person has chosen.
#[derive(Clone, Debug)]
pub struct Upload {
    pub name: String,
    pub kind: &'static str,
    pub bytes: Vec<u8>,
}

impl Upload {
    pub fn new(name: &str, kind: &'static str, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            kind,
            bytes: bytes.into(),
        }
    }
}

/// What a person has changed in a field.
pub enum Edit {
    Text(String),
    Ticked(bool),
    /// The chosen option.
    Chosen(NodeId),
    Files(Vec<Upload>),
}

/// Whether something must be in view now, or may be inside of something that can be folded open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Now,
    OnDemand,
}

/// A loaded page.
pub struct Page {
    pub url: Url,
    pub status: StatusCode,
    /// When it was asked for, and when it had arrived.
    pub asked_at: Instant,
    pub loaded_at: Instant,
    pub html: Html,
    /// What the server sent.
    pub source: String,
    pub edits: HashMap<NodeId, Edit>,
    /// Folded elements that a person has opened or closed.
    pub toggled: HashSet<NodeId>,
}

/// Elements that begin a line of their own.
const BLOCKS: &str = "|address|article|aside|blockquote|body|br|button|dd|details|dialog|div|dl|dt|fieldset|figcaption|\
                      figure|footer|form|h1|h2|h3|h4|h5|h6|header|hr|li|main|nav|ol|option|p|pre|section|select|\
                      summary|table|tbody|td|textarea|th|thead|tr|ul|";

fn is_block(name: &str) -> bool {
    BLOCKS.contains(&format!("|{name}|"))
}

impl Page {
    pub fn new(url: Url, status: StatusCode, asked_at: Instant, source: String) -> Self {
        let page = Self {
            url,
            status,
            asked_at,
            loaded_at: Instant::now(),
            html: Html::parse_document(&source),
            source,
            edits: HashMap::new(),
            toggled: HashSet::new(),
        };
        page.check_addresses();
        page
    }

    pub fn root(&self) -> ElementRef<'_> {
        self.html.root_element()
    }

    /// All elements that match a selector, shown or not.
    pub fn select(&self, selector: &str) -> Vec<ElementRef<'_>> {
        let selector = Selector::parse(selector).expect("tests write selectors");
        self.root().select(&selector).collect()
    }

    /// The title of the page.
    pub fn title(&self) -> String {
        let titles = self.select("head > title");
        let [title] = titles[..] else {
            panic!("{} has {} titles", self.url, titles.len());
        };
        title.text().collect()
    }

    /// What a browser loads by itself must come from this server.
    fn check_addresses(&self) {
        let loaded =
            "img[src], script[src], iframe, object, embed, video, audio, link[href], source";
        for element in self.select(loaded) {
            let address = element.attr("src").or(element.attr("href"));
            let address = address.unwrap_or_else(|| panic!("{element:?} has no address"));
            let url = self.url.join(address).expect("pages have valid addresses");
            let is_inside = matches!(url.scheme(), "data" | "blob");
            assert!(
                is_inside || url.origin() == self.url.origin(),
                "{} loads {address}",
                self.url
            );
        }
    }

    /// Whether an element is shown.
    pub fn is_shown(&self, element: ElementRef<'_>, when: Shown) -> bool {
        let mut inside = element;
        loop {
            if is_hidden(inside) {
                return false;
            }
            let Some(around) = inside.parent().and_then(ElementRef::wrap) else {
                return true;
            };
            if when == Shown::Now && self.is_folded(around) && !is_summary(inside, around) {
                return false;
            }
            inside = around;
        }
    }

    /// Whether this is a `<details>` that is closed.
    fn is_folded(&self, element: ElementRef<'_>) -> bool {
        let is_open = element.attr("open").is_some() != self.toggled.contains(&element.id());
        element.value().name() == "details" && !is_open
    }

    /// The shown text of an element, with single spaces.
    pub fn text(&self, element: ElementRef<'_>) -> String {
        let mut text = String::new();
        if self.is_shown(element, Shown::Now) {
            self.append(element, &mut text, &|_| false);
        }
        squeezed(&text)
    }

    /// The shown text of an element with its line breaks, which are in a `<pre>`, a `<br>` and wherever the style sheet
    /// keeps them.
    pub fn lines(&self, element: ElementRef<'_>) -> String {
        let mut text = String::new();
        self.append(element, &mut text, &|_| false);
        text
    }

    fn append(
        &self,
        element: ElementRef<'_>,
        text: &mut String,
        is_left_out: &impl Fn(ElementRef<'_>) -> bool,
    ) {
        let is_block = is_block(element.value().name());
        if is_block {
            text.push('\n');
        }
        let is_folded = self.is_folded(element);
        for child in element.children() {
            match child.value() {
                Node::Text(part) if !is_folded => text.push_str(part),
                Node::Element(_) => {
                    let child = ElementRef::wrap(child).expect("it is an element");
                    let is_shown = !is_folded || is_summary(child, element);
                    if is_shown && !is_hidden(child) && !is_left_out(child) {
                        self.append(child, text, is_left_out);
                    }
                }
                _ => {}
            }
        }
        if is_block {
            text.push('\n');
        }
    }

    /// The accessible name of an element: what a person calls it.
    pub fn name(&self, element: ElementRef<'_>) -> String {
        if let Some(ids) = element.attr("aria-labelledby") {
            let texts = ids.split_whitespace().map(|id| self.words(self.by_id(id)));
            return texts.collect::<Vec<_>>().join(" ");
        }
        if let Some(label) = element.attr("aria-label") {
            return squeezed(label);
        }
        match element.value().name() {
            "input" if element.attr("type") == Some("submit") => {
                squeezed(element.attr("value").unwrap_or_default())
            }
            "input" | "select" | "textarea" => self.label(element),
            "a" | "button" | "summary" | "h1" | "h2" | "h3" | "h4" => {
                let text = self.words(element);
                match element.attr("title") {
                    Some(title) if text.is_empty() => squeezed(title),
                    _ => text,
                }
            }
            _ => String::new(),
        }
    }

    /// The text of the labels of a field.
    fn label(&self, field: ElementRef<'_>) -> String {
        let labels = self.select("label").into_iter().filter(|label| {
            let named = label.attr("for");
            named.map_or_else(
                || label.descendants().any(|inside| inside.id() == field.id()),
                |id| field.attr("id") == Some(id),
            )
        });
        let texts = labels.map(|label| self.words(label));
        texts.collect::<Vec<_>>().join(" ")
    }

    /// The text of a name: without pictures, and without what is in a field.
    fn words(&self, element: ElementRef<'_>) -> String {
        let is_left_out = |inside: ElementRef<'_>| {
            let is_field = matches!(inside.value().name(), "select" | "textarea" | "svg");
            is_field || inside.attr("aria-hidden") == Some("true")
        };
        let mut text = String::new();
        self.append(element, &mut text, &is_left_out);
        let pictures = Selector::parse("img[alt]").expect("it is a selector");
        for picture in element.select(&pictures) {
            text.push(' ');
            text.push_str(picture.attr("alt").unwrap_or_default());
        }
        squeezed(&text)
    }

    pub fn by_id(&self, id: &str) -> ElementRef<'_> {
        let mut found = self
            .root()
            .descendent_elements()
            .filter(|element| element.attr("id") == Some(id));
        match (found.next(), found.next()) {
            (Some(element), None) => element,
            (None, _) => panic!("{} has no element {id:?}", self.url),
            _ => panic!("{} has several elements {id:?}", self.url),
        }
    }

    /// The only element of a part. A part that is absent or ambiguous fails the test.
    pub fn one(&self, part: &Part) -> ElementRef<'_> {
        let found = part.of(self);
        match found[..] {
            [element] => element,
            [] => panic!("there is no {part} at {}", self.report()),
            _ => {
                let html = found.iter().map(ElementRef::html);
                let html = html.collect::<Vec<_>>().join("\n");
                panic!("there are {} of {part}:\n{html}", found.len());
            }
        }
    }

    /// What is on the page, for the report of a failed test.
    pub fn report(&self) -> String {
        let names = |selector: &str| {
            let shown = self
                .select(selector)
                .into_iter()
                .filter(|element| self.is_shown(*element, Shown::OnDemand));
            let names = shown.map(|element| self.name(element));
            names.collect::<Vec<_>>().join(" | ")
        };
        format!(
            "{} ({})\nlinks: {}\nbuttons: {}\nfields: {}\nmenus: {}\ntext: {}",
            self.url,
            self.status,
            names("a[href]"),
            names("button"),
            names("input:not([type=hidden]), select, textarea"),
            names("summary"),
            self.text(self.root()),
        )
    }
}

/// Whether the markup or the style sheet hides an element itself, whatever is around it.
fn is_hidden(element: ElementRef<'_>) -> bool {
    let name = element.value().name();
    let is_never_shown = matches!(name, "head" | "script" | "style" | "template" | "datalist");
    is_never_shown
        || element.attr("hidden").is_some()
        // `style/base.css` hides it where scripting is off, which `shell.rs` checks.
        || element.attr("data-needs-script").is_some()
        || (name == "dialog" && element.attr("open").is_none())
        || is_menu_of_nothing(element)
}

/// Whether all items of a menu need a script: the same rule hides it.
fn is_menu_of_nothing(element: ElementRef<'_>) -> bool {
    let is_menu = element.value().classes().any(|class| class == "menu");
    let items = Selector::parse(".menu__item").expect("it is a selector");
    let mut items = element.select(&items).filter(|_| is_menu).peekable();
    items.peek().is_some() && items.all(|item| item.attr("data-needs-script").is_some())
}

/// Whether an element is the visible end of a `<details>`.
fn is_summary(element: ElementRef<'_>, details: ElementRef<'_>) -> bool {
    let mut children = details.child_elements();
    children.find(|child| child.value().name() == "summary") == Some(element)
}

pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
