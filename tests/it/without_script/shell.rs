//! The frame of every page: its appearance, the way to the content, and elements that need a script.

use super::part::css;
use super::visitor::Visitor;
use std::fs;
use std::path::Path;

#[tokio::test]
async fn without_a_choice_the_appearance_follows_the_system() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/").await;
    let page = css("body:not([data-theme])");
    visitor.shows(page);
    assert!(visitor.page.root().attr("data-theme").is_none());
    visitor
        .browser
        .cookies
        .insert("theme".into(), "dark".into());
    visitor.reload().await;
    assert_eq!(visitor.page.root().attr("data-theme"), Some("dark"));
    // The colours of the style sheet are those of the system, unless the page says otherwise.
    let tokens = style("tokens.css");
    assert!(
        tokens.contains("color-scheme: light dark"),
        "the style sheet follows no system"
    );
}

#[tokio::test]
async fn the_appearance_is_chosen_without_a_script_and_kept() {
    let mut visitor = Visitor::alone().await;
    let (id, kept) = (visitor.say_hello().await, "data-diffs");
    visitor.open(&format!("/c/{id}?panel=tasks")).await;
    for (choice, value) in [("Side by side", Some("side")), ("One column", None)] {
        visitor.unfold(css(".you > summary"));
        visitor.press(css(".you").button(choice)).await;
        assert_eq!(visitor.path(), format!("/c/{id}?panel=tasks"));
        assert_eq!(visitor.page.root().attr(kept), value, "{choice}");
        visitor.open("/inbox").await;
        assert_eq!(visitor.page.root().attr(kept), value, "{choice}");
        visitor.open(&format!("/c/{id}?panel=tasks")).await;
    }
    // It is offered where a window has room for it alone.
    assert!(style("parts/diff.css").contains("@media (min-width: 75rem)"));
    let menu = style("parts/menu.css");
    assert!(
        menu.contains("@media (max-width: 74.99rem) {\n  .menu__group--wide { display: none; }\n}")
    );
}

fn style(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("style")
        .join(name);
    fs::read_to_string(path).expect("the style sheet is readable")
}

#[tokio::test]
async fn the_first_tab_stop_skips_to_the_content() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/").await;
    let stops = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
    let mut stops = visitor
        .page
        .select(stops)
        .into_iter()
        .filter(|stop| stop.attr("tabindex") != Some("-1") && visitor.page.is_shown(*stop));
    let first = stops.next().expect("there is one");
    assert_eq!(visitor.page.text(first), "Skip to content");
    visitor.follow("Skip to content").await;
    let id = visitor.page.url.fragment().expect("it leads into the page");
    let main = visitor.page.by_id(id);
    assert_eq!(main.value().name(), "main");
    // So it takes the focus.
    assert_eq!(main.attr("tabindex"), Some("-1"));
}

#[test]
fn the_style_sheet_hides_elements_that_need_a_script() {
    let style = style("base.css");
    let rule = "@media (scripting: none) {\n  [data-needs-script], \
                .menu:has(.menu__item):not(:has(.menu__item:not([data-needs-script]))) { display: none !important; }\n}";
    assert!(
        style.contains(rule),
        "the visitor of these tests assumes this rule"
    );
}
