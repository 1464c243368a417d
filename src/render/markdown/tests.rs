//! Markdown is rendered as written, and nothing in it is executed or loaded.
//!
//! Long because each kind of markup is tested.

use super::pieces::LONGEST_PIECE;
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
fn what_a_person_typed_stays_as_it_is() {
    for text in [
        "2*3*4",
        "__init__.py and snake_case_name",
        "C:\\*.txt \\d+\\.",
        "&lt;b&gt; <b>",
        "- a\n  b\n3. c\n\n# d\n> e\n---",
        "[x](y) ![z](w) `code` ~~a~~",
        "  indented  twice",
        "```\nnot closed",
    ] {
        let html = typed_html(text);
        let shown = html
            .replace("<p class=\"typed\" dir=\"auto\">", "")
            .replace("</p>\n", "\n\n");
        let shown = shown.replace("&lt;", "<").replace("&gt;", ">");
        let shown = shown.replace("&#39;", "'").replace("&amp;", "&");
        assert_eq!(shown.trim_end(), text);
    }
    assert_eq!(
        typed_html("one\n\n```text\nx\ny\n```\nsee https://a.example/b"),
        format!(
            "<p class=\"typed\" dir=\"auto\">one</p>\n{}<pre data-language=\"text\"><code>x\ny</code></pre>{}\n\
             <p class=\"typed\" dir=\"auto\">see <a href=\"https://a.example/b\" title=\"https://a.example/b\" \
             target=\"_blank\" rel=\"noopener noreferrer nofollow\">https://a.example/b</a></p>\n",
            copy_buttons::BEFORE,
            copy_buttons::after()
        )
    );
    check("one\ntwo", "<p>one\ntwo</p>");
}

#[test]
fn bare_addresses_are_links() {
    let html = markdown_html(
        "See https://a.example/b_c_d(e)?x=1&y=2. **http://localhost:5173/** [x](https://b.example) `https://c.example`",
    );
    assert_eq!(html.matches("<a ").count(), 3, "{html}");
    assert!(
        html.contains("href=\"https://a.example/b_c_d(e)?x=1&amp;y=2\""),
        "{html}"
    );
    assert!(
        html.contains("<strong><a href=\"http://localhost:5173/\""),
        "{html}"
    );
    assert!(
        html.contains("rel=\"noopener noreferrer nofollow\""),
        "{html}"
    );
    assert!(html.contains("<code>https://c.example</code>"), "{html}");
}

#[test]
fn marks_of_emphasis_in_an_address_belong_to_it() {
    for address in [
        "https://a.example/__init__.py",
        "https://a.example/a/__tests__/x.js",
        "https://a.example/_foo_/bar",
        "https://a.example/*.js",
        "https://a.example/~user/~~x~~/y",
    ] {
        let html = markdown_html(&format!("see {address} and {address}."));
        let link = format!("<a href=\"{address}\"");
        assert_eq!(html.matches(&link).count(), 2, "{html}");
        assert!(html.contains(&format!(">{address}</a> and ")), "{html}");
    }
    let html = markdown_html(
        "**https://a.example/x** [a](https://b.example/_x_)**bold** `https://c.example/_y_` *x https://d.example/z*",
    );
    assert!(
        html.contains("<strong><a href=\"https://a.example/x\""),
        "{html}"
    );
    assert!(html.contains("href=\"https://b.example/_x_\""), "{html}");
    assert!(html.contains("<strong>bold</strong>"), "{html}");
    assert!(
        html.contains("<code>https://c.example/_y_</code>"),
        "{html}"
    );
    assert!(
        html.contains("<em>x <a href=\"https://d.example/z\""),
        "{html}"
    );
}

#[test]
fn an_address_without_a_scheme_may_begin_with_any_letter() {
    for text in ["www.日", "见www.例え.jp", "www.ไทย", "www.한국.kr", "www."] {
        assert!(markdown_html(text).contains("www."), "{text}");
    }
}

#[test]
fn bold_beside_letters_without_spaces_is_bold() {
    let text = "这是**「重点」**内容。\n\n**不变。**源码\n\n* **具体：**说明\n\nこれは**重要（注意）**です。\n\n\
                **강조(참고)**입니다.\n\n**`code`**を ~~「x」~~は ระบบ**(ข้อ)**ครับ";
    let html = markdown_html(text);
    assert_eq!(html.matches("<strong>").count(), 7, "{html}");
    assert_eq!(html.matches("<del>").count(), 1, "{html}");
    assert!(
        !html.contains("**") && !html.contains('\u{16FE2}'),
        "{html}"
    );
    // The mark is of such a script, and the letter is not.
    let text = "**注意：**please `run`\n\n**步骤1：**npm install\n\n请看**（可选）**API\n\nError**「重要」**です\n\n说**\"重点\"**内容\n\n***「太い」***次 **끝.**다음";
    let html = markdown_html(text);
    assert_eq!(html.matches("<strong>").count(), 7, "{html}");
    assert!(!html.contains('*'), "{html}");
    let html = markdown_html("__「重点」__内容\n\n**「x」**a\n\n**ABC。**DEF");
    assert_eq!(html.matches("<strong>").count(), 3, "{html}");
    // Code and addresses are as they were.
    let html = markdown_html("中`**「x」**中` [中**](https://a.example/中**「x)");
    assert!(html.contains("<code>**「x」**中</code>"), "{html}");
    assert!(!html.contains("%F0%96%BF%A2"), "{html}");
    check("a**\"b\"**c", "<p>a**\"b\"**c</p>");
}

#[test]
fn a_long_block_of_code_stays_one_and_what_follows_is_prose() {
    let lines: String = (0..300)
        .map(|n| format!("line_{n:03} = compute({n})  # **not bold** and _not italic_\n\n"))
        .collect();
    for (open, close) in [("```py", "```"), ("~~~~", "~~~~~")] {
        let html = markdown_html(&format!(
            "Here:\n\n{open}\n{lines}{close}\n\nDone: **bold end**.\n"
        ));
        assert_eq!(html.matches("<pre").count(), 1, "{open}");
        assert_eq!(html.matches("<strong>").count(), 1, "{open}");
        assert!(!html.contains("<em>") && html.contains("299"), "{open}");
    }
    // Fences in it, in a list and in a quote.
    let inner = format!("    ```sh\n    **not bold**\n    ```\n{lines}");
    for (open, close, begin) in [
        ("```md", "```", ""),
        ("````md\n```\n**not bold**\n```", "````", ""),
        ("- ```py", "  ```", "  "),
        ("10. ```py", "    ```", "    "),
        ("> ```py", "> ```", "> "),
    ] {
        let code: String = inner
            .lines()
            .map(|line| format!("{begin}{line}\n"))
            .collect();
        let text = format!(
            "{open}\n{code}{close}\n\nDone: **bold end**.\n\n{}",
            "a b\n\n".repeat(1500)
        );
        let html = markdown_html(&text);
        assert_eq!(html.matches("<pre").count(), 1, "{open}");
        assert_eq!(html.matches("<strong>").count(), 1, "{open}");
        assert_eq!(html.matches("<p>a b</p>").count(), 1500, "{open}");
    }
    // One that never closes ends with the text.
    let html = markdown_html(&format!("```py\n{lines}"));
    assert_eq!(html.matches("<pre").count(), 1);
    assert!(!html.contains("<strong>"));
}

#[test]
fn each_block_has_the_direction_of_its_letters() {
    let html = markdown_html(
        "مرحبا `x`\n\n1. أولا\n2. English\n\n> שלום\n\nEnglish שלום\n\n- `app.py` הוא\n",
    );
    assert!(html.contains("<p dir=\"rtl\">مرحبا"), "{html}");
    assert!(html.contains("<ol start=\"1\" dir=\"rtl\">"), "{html}");
    assert!(html.contains("<li dir=\"ltr\">English"), "{html}");
    assert!(html.contains("<blockquote dir=\"rtl\">\n<p>שלום"), "{html}");
    assert!(html.contains("<p>English שלום"), "{html}");
    assert!(html.contains("<ul dir=\"rtl\">"), "{html}");
    assert!(markdown_html("<p dir=rtl>x").contains("&lt;p dir=rtl"));
}

#[test]
fn an_excerpt_is_plain_text_on_one_line() {
    for (markdown, plain) in [
        ("## Done\n\n- **one**\n- [two](http://x/)", "Done one two"),
        ("```py\nprint(1)\n```\nafter", "print(1) after"),
        ("|a|b|\n|-|-|\n|1|2|", "a b 1 2"),
        ("_a_b **c", "_a_b **c"),
        ("", ""),
    ] {
        assert_eq!(plain_whole(markdown), plain);
    }
}

#[test]
fn the_first_line_is_plain_text() {
    for (markdown, line) in [
        (
            "Number **12** is _fine_, as `notes` says.\nMore",
            "Number 12 is fine, as notes says.",
        ),
        ("## Done\n\n- one", "Done"),
        ("- [x] one\n- two", "one"),
        (
            "[docs](http://x/) and [[scenario:hello]]",
            "docs and [[scenario:hello]]",
        ),
        ("```py\nprint(1)\nprint(2)\n```", "print(1)"),
        ("|a|b|\n|-|-|\n|1|2|", "a b"),
        ("<b>bold</b>", "<b>bold</b>"),
        ("", ""),
    ] {
        assert_eq!(first_line(markdown, 160), line);
    }
    assert_eq!(first_line(&"ä".repeat(5000), 3), "äää");
}

#[test]
fn tables_and_task_lists_are_rendered_without_controls() {
    let table = markdown_html("|a|b|\n|-|-|\n|1|2|");
    assert!(
        table.contains("<th>a</th>") && table.contains("<td>2</td>"),
        "{table}"
    );
    let table = markdown_html(
        "|الاسم|b|\n|:-|-:|\n|قيمة|<td style=\"text-align: right\">|\n\n|a|\n|-|\n|1|",
    );
    assert!(
        table.contains("<table dir=\"rtl\">") && table.contains("<table><thead>"),
        "{table}"
    );
    assert!(
        table.contains("<th align=\"left\">") && table.contains("<td align=\"right\">&lt;td style"),
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
        // Each piece closes all elements that it opens.
        let depth = |name: &str| {
            let (mut open, mut most) = (0, 0);
            for part in html.split('<') {
                open += usize::from(part.starts_with(&format!("{name}>")));
                most = most.max(open);
                open -= usize::from(part.starts_with(&format!("/{name}>")));
            }
            most
        };
        assert!(depth("blockquote") <= DEEPEST && depth("ul") <= DEEPEST);
    }
}

#[test]
fn many_hidden_characters_in_code_are_not_an_element_each() {
    let code = |number| markdown_html(&format!("```\n{}\n```", "a\u{7}".repeat(number)));
    assert_eq!(code(100).matches("\"hidden-char\"").count(), 100);
    // Each would take a kilobyte while the HTML is checked.
    assert_eq!(
        code(50_000).matches('<').count(),
        code(50_000).matches("<br>").count() + 2
    );
}

#[test]
fn no_text_costs_the_square_of_its_length() {
    for piece in [
        "[",
        "![",
        "[[]",
        "[a](",
        "[a][",
        "*",
        "_a",
        "*a_",
        "**a",
        "~~a",
        "`",
        "`a``",
        "<",
        "<a ",
        "<!--",
        "&",
        "> ",
        "- ",
        "1. ",
        "|",
        "a|",
        "\\",
        "#",
        "\n> ",
        "\n- a\n ",
        "((",
        "[^a]: ",
        "[a]: b\n",
        "<http:a>",
        "a\n-\n",
        "|a|\n|-|\n",
        "\t",
        "\n",
        "[x](y",
        "{\"a\":",
        "[[\n",
    ] {
        let text = piece.repeat((256 << 10) / piece.len());
        let begun = Instant::now();
        let html = markdown_html(&text);
        // Unoptimised, one piece may take a second; quadratic cost at this length took minutes.
        let took = begun.elapsed();
        eprintln!("{took:?} {} {piece:?}", html.len());
        assert!(took < Duration::from_secs(30), "{piece:?} took {took:?}");
    }
}

#[test]
fn a_long_text_is_cut_between_paragraphs_and_never_in_code() {
    let code = format!("```sh\n{}```\n\n", "echo\n\n".repeat(300));
    let text = format!("{}{code}last", "word *strong*\n\n".repeat(500));
    assert!(text.len() > LONGEST_PIECE);
    let html = markdown_html(&text);
    assert_eq!(html.matches("<em>").count(), 500);
    assert_eq!(html.matches("<pre").count(), 1);
    assert!(
        html.trim_end().ends_with("<p>last</p>"),
        "{}",
        &html[html.len() - 80..]
    );
    let one_line = "ä".repeat(LONGEST_PIECE);
    assert_eq!(markdown_html(&one_line).matches('ä').count(), LONGEST_PIECE);
}

#[test]
fn blocks_that_are_never_closed_cost_no_more_than_their_length() {
    let begun = std::time::Instant::now();
    let html = typed_html(&"```rust\n\n".repeat(20_000));
    assert!(!html.contains("<pre") && begun.elapsed().as_secs() < 5);
}
