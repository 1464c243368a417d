//! A page as a browser without JavaScript has it: its elements, their names, and what was typed into it.
//!
//! There is no layout. What is shown is decided in [`super::shown`].

use super::part::Part;
use ego_tree::NodeId;
use reqwest::StatusCode;
use scraper::{ElementRef, Html, Selector};
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

    pub fn title(&self) -> String {
        let titles = self.select("head > title");
        let [title] = titles[..] else {
            panic!("{} has {} titles", self.url, titles.len());
        };
        title.text().collect()
    }

    /// What a browser loads by itself must come from this server.
    fn check_addresses(&self) {
        let loaded = "[src], [srcset], [poster], [background], link[href], object, embed, iframe";
        for element in self.select(loaded) {
            let address = element.attr("src").or(element.attr("href"));
            let address = address.unwrap_or_else(|| panic!("{element:?} has no address"));
            let url = self.url.join(address).expect("pages have valid addresses");
            let is_within = matches!(url.scheme(), "data" | "blob");
            assert!(
                is_within || url.origin() == self.url.origin(),
                "{} loads {address}",
                self.url
            );
        }
    }

    /// A browser unfolds what the target of an address is in.
    pub fn unfold_target(&mut self) {
        let target = self.url.fragment().filter(|target| !target.is_empty());
        let Some(target) = target else { return };
        let around = self.by_id(target).ancestors().filter_map(ElementRef::wrap);
        let folded = around.filter(|one| one.value().name() == "details");
        let folded = folded.filter(|one| one.attr("open").is_none());
        let folded: Vec<_> = folded.map(|one| one.id()).collect();
        self.toggled.extend(folded);
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
            "input" | "select" | "textarea" => self.label(element),
            "a" | "button" | "summary" | "h1" | "h2" | "h3" | "h4" => self.words(element),
            _ => String::new(),
        }
    }

    /// The text of the labels of a field.
    fn label(&self, field: ElementRef<'_>) -> String {
        let labels = self.select("label").into_iter();
        let labels = labels.filter(|label| match label.attr("for") {
            Some(id) => field.attr("id") == Some(id),
            None => label.descendants().any(|inside| inside.id() == field.id()),
        });
        let texts = labels.map(|label| self.words(label));
        texts.collect::<Vec<_>>().join(" ")
    }

    pub fn by_id(&self, id: &str) -> ElementRef<'_> {
        let all = self.root().descendent_elements();
        let found: Vec<_> = all
            .filter(|element| element.attr("id") == Some(id))
            .collect();
        match found[..] {
            [element] => element,
            _ => panic!("{} has {} elements {id:?}", self.url, found.len()),
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
            let names = self.select(selector).into_iter();
            let names = names.map(|element| self.name(element));
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

pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
