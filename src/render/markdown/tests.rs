use super::*;

fn check(markdown: &str, expected: &str) {
    assert_eq!(markdown_html(markdown).trim(), expected);
}

#[test]
fn prose_reads_as_written() {
    check(
        "a *b* **c** ~~d~~ `e`",
        "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e</code></p>",
    );
    check("# Title", "<p class=\"heading heading-1\">Title</p>");
    check("a<br/>b", "<p>a<br>\nb</p>");
}

#[test]
fn tables_and_task_lists_are_rendered_without_controls() {
    let table = markdown_html("|a|b|\n|-|-|\n|1|2|");
    assert!(
        table.contains("<th>a</th>") && table.contains("<td>2</td>"),
        "{table}"
    );
    let tasks = markdown_html("- [x] one\n- [ ] two");
    assert!(
        tasks.contains("☑</span> one") && tasks.contains("☐</span> two"),
        "{tasks}"
    );
    assert!(!tasks.contains("<input"));
}

#[test]
fn links_open_elsewhere_and_say_where() {
    check(
        "[our bank](https://evil.test/x)",
        "<p><a href=\"https://evil.test/x\" title=\"https://evil.test/x\" target=\"_blank\" \
         rel=\"noopener noreferrer nofollow\">our bank</a></p>",
    );
}

#[test]
fn links_to_scripts_data_and_our_own_pages_lose_their_address() {
    for address in [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "/logout",
        "//evil",
        "vbscript:x",
    ] {
        let html = markdown_html(&format!("[x]({address})"));
        assert!(!html.contains("href"), "{html}");
    }
}

#[test]
fn pictures_are_named_and_never_loaded() {
    let html = markdown_html("![a *cat*](https://evil.test/pixel.png)");
    assert!(html.contains(">image: a cat (evil.test)</a>"), "{html}");
    check(
        "![x](data:image/png;base64,AAAA)",
        "<p>image: x (embedded)</p>",
    );
    assert!(!html.contains("<img"));
}

#[test]
fn html_is_text() {
    check("<b>hi</b>", "<p>&lt;b&gt;hi&lt;/b&gt;</p>");
    let html =
        markdown_html("<div onclick=\"x()\">\n<form><button>Approve</button></form>\n</div>");
    assert!(
        !html.contains("<div") && !html.contains("<form") && !html.contains("<button"),
        "{html}"
    );
    assert!(
        html.contains("&lt;button&gt;Approve"),
        "nothing is lost: {html}"
    );
}

#[test]
fn fenced_code_is_highlighted_and_names_its_language() {
    let html = markdown_html("```rust\nfn f() {}\n```");
    assert!(
        html.contains("<pre data-language=\"rust\"><code>"),
        "{html}"
    );
    assert!(html.contains("hl-keyword"), "{html}");
    assert!(markdown_html("```a\"onload=x\nx\n```").contains("data-language=\"aonloadx\""));
}

#[test]
fn nested_and_unclosed_fences_stay_code() {
    let html = markdown_html(
        "````\n```html\n<script>alert(1)</script>\n```\n````\n\n```\n<img src=x onerror=y>",
    );
    assert!(
        !html.contains("<script") && !html.contains("<img"),
        "{html}"
    );
}

#[test]
fn depth_is_bounded() {
    for text in [
        ">".repeat(50_000),
        "* ".repeat(20_000),
        "*a **b ".repeat(5_000),
        "[".repeat(50_000),
    ] {
        let html = markdown_html(&text);
        assert!(
            html.matches("<blockquote>").count() <= DEEPEST
                && html.matches("<ul>").count() <= DEEPEST
        );
    }
}
