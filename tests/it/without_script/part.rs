//! A part of a page, named as a person names it: by its text, label or heading.
//!
//! A part is a description, not an element, so it is written once and found again on every page. Only what is shown can
//! be found.

use super::page::Page;
use scraper::{ElementRef, Selector};
use std::fmt;

/// A description of elements.
#[derive(Clone, Debug)]
pub struct Part(Vec<Step>);

#[derive(Clone, Debug)]
enum Step {
    /// All descendants that match a selector.
    Css(String),
    /// All descendants of this kind with exactly this name.
    Named(Kind, String),
    /// Those with this in their text.
    Containing(String),
    /// Those with exactly this text.
    Saying(String),
    /// Those with such a descendant.
    With(Part),
    /// One of them, in the order of the page; `None` is the last.
    At(Option<usize>),
}

/// What a name belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Link,
    Button,
    /// A field, a list of choices or a box.
    Field,
    Heading,
    /// The visible end of something that folds open, such as a menu.
    Summary,
    /// A group of the page with a name: a region, a navigation, a form or a dialog.
    Region,
}

impl Kind {
    fn selector(self) -> &'static str {
        match self {
            Self::Link => "a[href]",
            Self::Button => "button, input[type=submit]",
            Self::Field => {
                "input:not([type=hidden], [type=submit], [type=button]), select, textarea"
            }
            Self::Heading => "h1, h2, h3, h4",
            Self::Summary => "summary",
            Self::Region => "section, nav, aside, form, dialog, table, ul, ol, figure, svg, [role]",
        }
    }
}

/// Elements by a selector, where they have no name.
pub fn css(selector: &str) -> Part {
    Part(vec![]).css(selector)
}

pub fn link(name: &str) -> Part {
    Part(vec![]).link(name)
}

pub fn button(name: &str) -> Part {
    Part(vec![]).button(name)
}

pub fn field(label: &str) -> Part {
    Part(vec![]).field(label)
}

pub fn heading(text: &str) -> Part {
    Part(vec![]).heading(text)
}

pub fn region(name: &str) -> Part {
    Part(vec![]).then(Step::Named(Kind::Region, name.into()))
}

impl Part {
    fn then(mut self, step: Step) -> Self {
        self.0.push(step);
        self
    }

    pub fn css(self, selector: &str) -> Self {
        self.then(Step::Css(selector.into()))
    }

    pub fn link(self, name: &str) -> Self {
        self.then(Step::Named(Kind::Link, name.into()))
    }

    pub fn button(self, name: &str) -> Self {
        self.then(Step::Named(Kind::Button, name.into()))
    }

    pub fn field(self, label: &str) -> Self {
        self.then(Step::Named(Kind::Field, label.into()))
    }

    pub fn heading(self, text: &str) -> Self {
        self.then(Step::Named(Kind::Heading, text.into()))
    }

    pub fn summary(self, name: &str) -> Self {
        self.then(Step::Named(Kind::Summary, name.into()))
    }

    pub fn containing(self, text: &str) -> Self {
        self.then(Step::Containing(text.into()))
    }

    pub fn saying(self, text: &str) -> Self {
        self.then(Step::Saying(text.into()))
    }

    pub fn with(self, part: Self) -> Self {
        self.then(Step::With(part))
    }

    pub fn first(self) -> Self {
        self.at(0)
    }

    pub fn last(self) -> Self {
        self.then(Step::At(None))
    }

    pub fn at(self, index: usize) -> Self {
        self.then(Step::At(Some(index)))
    }

    /// The elements on this page, in its order.
    pub fn of<'page>(&self, page: &'page Page) -> Vec<ElementRef<'page>> {
        self.within(page, page.root())
    }

    fn within<'page>(&self, page: &'page Page, root: ElementRef<'page>) -> Vec<ElementRef<'page>> {
        let mut found = vec![root];
        for step in &self.0 {
            found = step.apply(page, found);
        }
        found
    }
}

impl Step {
    fn apply<'page>(
        &self,
        page: &'page Page,
        mut found: Vec<ElementRef<'page>>,
    ) -> Vec<ElementRef<'page>> {
        match self {
            Self::Css(selector) => below(page, &found, selector),
            Self::Named(kind, name) => {
                let mut named = below(page, &found, kind.selector());
                named.retain(|element| page.name(*element) == *name);
                named
            }
            Self::Containing(text) => {
                found.retain(|element| page.text(*element).contains(text));
                found
            }
            Self::Saying(text) => {
                found.retain(|element| page.text(*element) == *text);
                found
            }
            Self::With(part) => {
                found.retain(|element| !part.within(page, *element).is_empty());
                found
            }
            Self::At(index) => {
                let index = index.or(found.len().checked_sub(1));
                let one = index.and_then(|index| found.get(index).copied());
                one.into_iter().collect()
            }
        }
    }
}

/// The shown descendants that match a selector, each of them once.
fn below<'page>(
    page: &'page Page,
    roots: &[ElementRef<'page>],
    selector: &str,
) -> Vec<ElementRef<'page>> {
    let selector = Selector::parse(selector).expect("tests write selectors");
    let mut found: Vec<ElementRef<'page>> = Vec::new();
    for root in roots {
        for element in root.select(&selector) {
            if page.is_shown(element) && !found.contains(&element) {
                found.push(element);
            }
        }
    }
    found
}

/// What a page says anywhere.
impl From<&str> for Part {
    fn from(text: &str) -> Self {
        css("body").containing(text)
    }
}

impl From<&Self> for Part {
    fn from(part: &Self) -> Self {
        part.clone()
    }
}

/// A part, or the name of one where its kind is known.
pub trait Named {
    fn part(self, kind: Kind) -> Part;
}

impl Named for &str {
    fn part(self, kind: Kind) -> Part {
        Part(vec![Step::Named(kind, self.into())])
    }
}

impl Named for Part {
    fn part(self, _: Kind) -> Part {
        self
    }
}

impl Named for &Part {
    fn part(self, _: Kind) -> Part {
        self.clone()
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str(" ")?;
            }
            match step {
                Step::Css(selector) => write!(formatter, "{selector}"),
                Step::Named(kind, name) => write!(formatter, "{kind:?} {name:?}"),
                Step::Containing(text) => write!(formatter, "containing {text:?}"),
                Step::Saying(text) => write!(formatter, "saying {text:?}"),
                Step::With(part) => write!(formatter, "with ({part})"),
                Step::At(Some(index)) => write!(formatter, "number {index}"),
                Step::At(None) => write!(formatter, "last"),
            }?;
        }
        Ok(())
    }
}
