//! What a browser sends of a form: its successful controls, in the order of the page.

use super::browser::{Asked, Body};
use super::page::{Edit, Page, Upload};
use ego_tree::NodeId;
use reqwest::Method;
use reqwest::multipart::{Form, Part as Piece};
use scraper::ElementRef;
use url::form_urlencoded;

/// One field of a form.
enum Value {
    Text(String),
    File(Upload),
}

/// Everything that a button sends.
pub fn submitted_by(page: &Page, button: ElementRef<'_>) -> Asked {
    assert!(!is_disabled(button), "{button:?} is disabled");
    let kind = button.attr("type").unwrap_or("submit");
    assert_eq!(kind, "submit", "without a script {button:?} does nothing");
    let form = form_of(page, button).unwrap_or_else(|| panic!("{button:?} has no form"));
    let of = |own: &str, name: &str| button.attr(own).or_else(|| form.attr(name));
    let address = of("formaction", "action").unwrap_or_default();
    let mut url = page.url.join(address).expect("forms have addresses");
    // An empty address is that of the page.
    url.set_fragment(None);
    let values = values(page, form, button);
    let method = of("formmethod", "method").unwrap_or("get").to_lowercase();
    let encoding = of("formenctype", "enctype").unwrap_or("application/x-www-form-urlencoded");
    let body = match (&*method, encoding) {
        ("get", _) => {
            url.set_query(Some(&encoded(values)));
            return Asked::get(url);
        }
        ("post", "application/x-www-form-urlencoded") => Body::Encoded(encoded(values)),
        ("post", "multipart/form-data") => Body::Multipart(multipart(values)),
        unknown => panic!("no page sends a form by {unknown:?}"),
    };
    Asked {
        method: Method::POST,
        url,
        body,
    }
}

fn multipart(values: Vec<(String, Value)>) -> Form {
    let mut form = Form::new();
    for (name, value) in values {
        form = match value {
            Value::Text(text) => form.text(name, text),
            Value::File(file) => {
                let piece = Piece::bytes(file.bytes).file_name(file.name);
                form.part(name, piece.mime_str(file.kind).expect("it is a type"))
            }
        };
    }
    form
}

fn encoded(values: Vec<(String, Value)>) -> String {
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    for (name, value) in values {
        let text = match value {
            Value::Text(text) => text,
            Value::File(file) => file.name,
        };
        encoded.append_pair(&name, &text);
    }
    encoded.finish()
}

/// The successful controls of a form.
fn values(page: &Page, form: ElementRef<'_>, button: ElementRef<'_>) -> Vec<(String, Value)> {
    let mut values = Vec::new();
    for control in page.select("button, input, select, textarea") {
        if form_of(page, control) != Some(form) || is_disabled(control) {
            continue;
        }
        check_validity(page, control);
        let tag = control.value().name();
        let kind = control.attr("type").unwrap_or("text");
        let is_button = tag == "button" || matches!(kind, "submit" | "button" | "reset");
        let is_box = tag == "input" && matches!(kind, "checkbox" | "radio");
        if (is_button && control != button) || (is_box && !is_ticked(page, control)) {
            continue;
        }
        let Some(name) = control.attr("name").filter(|name| !name.is_empty()) else {
            continue;
        };
        let mut add = |value| values.push((name.to_owned(), value));
        if tag == "input" && kind == "file" {
            match page.edits.get(&control.id()) {
                Some(Edit::Files(files)) => files.iter().cloned().map(Value::File).for_each(add),
                _ => add(Value::File(Upload::new("", "application/octet-stream", ""))),
            }
        } else if tag != "select" || chosen(page, control).is_some() {
            let text = value(page, control).replace("\r\n", "\n");
            add(Value::Text(text.replace('\n', "\r\n")));
        }
    }
    values
}

/// The current value of a control.
pub fn value(page: &Page, control: ElementRef<'_>) -> String {
    if let Some(Edit::Text(text)) = page.edits.get(&control.id()) {
        return text.clone();
    }
    let given = control.attr("value");
    match control.value().name() {
        "textarea" => control.text().collect::<String>().replace("\r\n", "\n"),
        "select" => {
            let option = chosen(page, control).and_then(|option| page.html.tree.get(option));
            let option = option.and_then(ElementRef::wrap);
            option.map(option_value).unwrap_or_default()
        }
        _ if matches!(control.attr("type"), Some("checkbox" | "radio")) => {
            given.unwrap_or("on").to_owned()
        }
        _ => given.unwrap_or_default().to_owned(),
    }
}

/// The chosen option of a list: by default the first one.
fn chosen(page: &Page, list: ElementRef<'_>) -> Option<NodeId> {
    assert!(list.attr("multiple").is_none(), "no page has such a list");
    if let Some(Edit::Chosen(option)) = page.edits.get(&list.id()) {
        return Some(*option);
    }
    let options = || {
        let inside = list.descendent_elements();
        inside.filter(|option| option.value().name() == "option")
    };
    let selected = options().filter(|option| option.attr("selected").is_some());
    let enabled = options().find(|option| option.attr("disabled").is_none());
    selected.last().or(enabled).map(|option| option.id())
}

pub fn option_value(option: ElementRef<'_>) -> String {
    let text = || option.text().collect::<String>().trim().to_owned();
    option.attr("value").map_or_else(text, str::to_owned)
}

/// Whether a box is ticked.
pub fn is_ticked(page: &Page, control: ElementRef<'_>) -> bool {
    match page.edits.get(&control.id()) {
        Some(Edit::Ticked(is_ticked)) => *is_ticked,
        _ => control.attr("checked").is_some(),
    }
}

/// The form that a control belongs to.
pub fn form_of<'page>(page: &'page Page, control: ElementRef<'page>) -> Option<ElementRef<'page>> {
    match control.attr("form") {
        Some(id) => Some(page.by_id(id)),
        None => control
            .ancestors()
            .filter_map(ElementRef::wrap)
            .find(|around| around.value().name() == "form"),
    }
}

pub fn is_disabled(control: ElementRef<'_>) -> bool {
    let mut around = control.ancestors().filter_map(ElementRef::wrap);
    let is_off = |element: &ElementRef<'_>| element.attr("disabled").is_some();
    is_off(&control) || around.any(|one| one.value().name() == "fieldset" && is_off(&one))
}

/// A browser does not send a form with an invalid field.
fn check_validity(page: &Page, control: ElementRef<'_>) {
    let is_file = control.attr("type") == Some("file");
    let is_box = matches!(control.attr("type"), Some("checkbox" | "radio"));
    let value = value(page, control);
    let is_empty = match page.edits.get(&control.id()) {
        Some(Edit::Files(files)) => files.is_empty(),
        _ => is_file || value.is_empty(),
    };
    if control.attr("required").is_some() && !is_box {
        assert!(!is_empty, "{control:?} is required and empty");
    }
    let limit = |name: &str| {
        control
            .attr(name)
            .and_then(|limit| limit.parse::<f64>().ok())
    };
    if let ("number", Ok(number)) = (control.attr("type").unwrap_or("text"), value.parse::<f64>()) {
        assert!(
            limit("min").is_none_or(|least| number >= least),
            "{control:?} is too small"
        );
        assert!(
            limit("max").is_none_or(|most| number <= most),
            "{control:?} is too large"
        );
    }
    let length = value.encode_utf16().count() as f64;
    assert!(
        limit("maxlength").is_none_or(|most| length <= most),
        "{control:?} is too long"
    );
    assert!(
        is_empty || limit("minlength").is_none_or(|least| length >= least),
        "{control:?} is too short"
    );
}
