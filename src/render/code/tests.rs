//! Highlighted code keeps its text, however long or strange.

use super::*;

#[test]
fn tokens_get_classes_and_the_text_stays() {
    // Compiles the expressions of its language, for which a busy machine may take longer than a text has.
    let _ = code_html("def f(x):\n    return \"a<b\"  # why", "app.py");
    let html = code_html("def f(x):\n    return \"a<b\"  # why", "app.py");
    assert!(
        html.contains("<span class=\"hl-function\">f</span>"),
        "{html}"
    );
    assert!(
        html.contains("<span class=\"hl-string\">&quot;a&lt;b&quot;</span>"),
        "{html}"
    );
    assert!(
        html.contains("<span class=\"hl-comment\"># why</span>"),
        "{html}"
    );
}

#[test]
fn every_class_in_use_is_in_the_list_of_names() {
    for class in CLASSES.iter().filter_map(|(_, class)| *class) {
        assert!(
            CLASS_NAMES.contains(&format!("hl-{class}").as_str()),
            "{class}"
        );
    }
}

#[test]
fn a_very_long_line_and_a_very_large_text_stay_plain() {
    assert!(!code_html(&"x = 1; ".repeat(500), "py").contains("<span"));
    assert!(!code_html(&"x = 'a'\n".repeat(60_000), "py").contains("<span"));
}

#[test]
fn an_unknown_language_is_plain_text() {
    assert_eq!(code_html("a & b", "brainfog"), "a &amp; b");
    assert_eq!(code_html("a & b", ""), "a &amp; b");
}

#[test]
fn a_file_has_one_line_per_line() {
    let view = file_view("src/main.rs", "fn main() {\n}\n", 10);
    assert_eq!(
        (view.first, view.total, view.lines.len(), view.cut),
        (10, 2, 2, false)
    );
}

#[test]
fn marks_cut_through_tokens_without_breaking_them() {
    let line = "let a = \"xyz\";";
    let tokens = scan(line, "rs").remove(0);
    let html = paint(line, &tokens, std::slice::from_ref(&(6..10)));
    assert_eq!(
        html.matches("<mark>").count(),
        html.matches("</mark>").count()
    );
    assert!(
        html.contains("<span class=\"hl-string\"><mark>&quot;x</mark>yz&quot;</span>"),
        "{html}"
    );
}
