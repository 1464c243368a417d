//! What of a page is shown, and its text.
//!
//! Hidden is what the markup hides, what is folded, and what the style sheet hides where scripting is off; `shell.rs`
//! checks that it does.

use super::page::{Page, squeezed};
use scraper::{ElementRef, Node, Selector};

/// Elements that begin a line of their own.
const BLOCKS: [&str; 42] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "button",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "section",
    "select",
    "summary",
    "table",
    "tbody",
    "td",
    "textarea",
    "th",
    "thead",
    "tr",
    "ul",
];

impl Page {
    /// Whether an element is shown.
    pub fn is_shown(&self, element: ElementRef<'_>) -> bool {
        let mut inside = element;
        while !is_hidden(inside) {
            let Some(around) = inside.parent().and_then(ElementRef::wrap) else {
                return true;
            };
            if self.is_folded(around) && !is_summary(inside, around) {
                return false;
            }
            inside = around;
        }
        false
    }

    /// Whether this is a `<details>` that is closed. A visitor opens every command, to read its output.
    fn is_folded(&self, element: ElementRef<'_>) -> bool {
        let is_open = element.attr("open").is_some() != self.toggled.contains(&element.id());
        let is_command = matches!(element.attr("data-kind"), Some("shell" | "cell"));
        element.value().name() == "details" && !is_open && !is_command
    }

    /// The shown text of an element, with single spaces.
    pub fn text(&self, element: ElementRef<'_>) -> String {
        match self.is_shown(element) {
            true => squeezed(&self.lines(element)),
            false => String::new(),
        }
    }

    /// The shown text within an element, with its line breaks.
    pub fn lines(&self, element: ElementRef<'_>) -> String {
        let mut text = String::new();
        self.append(element, &mut text, &|_| false);
        text
    }

    /// The text of a name: without what is hidden from screen readers, and without what is in a field, but with the texts
    /// that stand for pictures.
    pub(super) fn words(&self, element: ElementRef<'_>) -> String {
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

    fn append(
        &self,
        element: ElementRef<'_>,
        text: &mut String,
        is_left_out: &impl Fn(ElementRef<'_>) -> bool,
    ) {
        let is_block = BLOCKS.contains(&element.value().name());
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
}

/// Whether the markup or the style sheet hides an element itself, whatever is around it.
fn is_hidden(element: ElementRef<'_>) -> bool {
    let name = element.value().name();
    let is_never_shown = matches!(name, "head" | "script" | "style" | "template" | "datalist");
    is_never_shown
        || element.attr("hidden").is_some()
        || element.attr("data-needs-script").is_some()
        || (name == "dialog" && element.attr("open").is_none())
        || is_menu_of_nothing(element)
}

/// Whether all items of a menu need a script.
fn is_menu_of_nothing(element: ElementRef<'_>) -> bool {
    let is_menu = element.value().classes().any(|class| class == "menu");
    if !is_menu {
        return false;
    }
    let items = Selector::parse(".menu__item").expect("it is a selector");
    let mut items = element.select(&items).peekable();
    items.peek().is_some() && items.all(|item| item.attr("data-needs-script").is_some())
}

/// Whether an element is the visible end of a `<details>`.
fn is_summary(element: ElementRef<'_>, details: ElementRef<'_>) -> bool {
    let mut children = details.child_elements();
    children.find(|child| child.value().name() == "summary") == Some(element)
}
