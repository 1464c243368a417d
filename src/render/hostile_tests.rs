//! Whatever the input, the output contains no markup but our own.

use super::markdown::{copy_buttons, typed_html};
use super::*;
use proptest::prelude::*;

/// Asserts that every tag of `html` is on this list, with our spelling and attributes.
pub(super) fn assert_harmless(html: &str) {
    const ALLOWED: [&str; 21] = [
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
    ];
    const ATTRIBUTES: [&str; 8] = [
        "class",
        "data-language",
        "dir",
        "href",
        "rel",
        "start",
        "target",
        "title",
    ];
    // The copy buttons are our own, to the letter.
    let html = html
        .replace(copy_buttons::BEFORE, "")
        .replace(&copy_buttons::after(), "");
    let mut rest = html.as_str();
    while let Some(at) = rest.find('<') {
        let end = rest[at..]
            .find('>')
            .map(|end| at + end)
            .expect("a tag ends");
        let tag = rest[at + 1..end].trim_start_matches('/');
        rest = &rest[end + 1..];
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(ALLOWED.contains(&name), "<{tag}> in {html}");
        while !attributes.trim().is_empty() {
            let (attribute, value) = attributes
                .trim_start()
                .split_once("=\"")
                .expect("an attribute has a value");
            assert!(ATTRIBUTES.contains(&attribute), "{attribute} in {html}");
            let (value, more) = value.split_once('"').expect("a value ends");
            let scheme = value.split(':').next().unwrap_or_default();
            assert!(
                attribute != "href" || ["http", "https", "mailto"].contains(&scheme),
                "{value} in {html}"
            );
            attributes = more;
        }
    }
}

const HOSTILE: [&str; 16] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "[x](javascript&colon;alert(1))",
    "[x](\u{1}javascript:alert(1))",
    "<javascript:alert(1)>",
    "![x](https://evil/\"onerror=alert(1))",
    "[x](https://a \"t\\\" onclick=x\")",
    "```\"><script>\n</code></pre><script>alert(1)</script>\n```",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "|<b>|\n|-|\n|<input type=checkbox>|",
    "<!--><img src=x onerror=alert(1)>-->",
    "</p></div></main><button class=\"button--approve\">Approve</button>",
    "&lt;script&gt;&#60;img onerror&#61;x&#62;",
];

#[test]
fn known_attacks_are_harmless_everywhere() {
    for attack in HOSTILE {
        assert_harmless(&markdown_html(attack));
        assert_harmless(&typed_html(attack));
        assert_harmless(&terminal_html(attack, 10).0);
        for language in ["", "html", "js", "md", "sh"] {
            assert_harmless(&code_html(attack, language));
        }
        for line in diff_of_texts("x.html", "", attack)
            .hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
        {
            assert_harmless(&line.html);
        }
    }
}

#[test]
fn a_link_to_a_script_is_not_made_clickable_by_blanks_or_entities() {
    for link in [
        "[x](java\tscript:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](<javascript:alert(1)>)",
    ] {
        assert!(!markdown_html(link).contains("href"), "{link}");
    }
}

#[test]
fn output_cannot_look_like_our_own_controls() {
    let html = markdown_html(
        "<button class=\"button--approve\">Approve</button> <input value=\"Approve\">",
    );
    assert!(html.contains("&lt;button"), "{html}");
    assert!(
        !html.contains("<button") && !html.contains("<input"),
        "{html}"
    );
}

/// Characters that are special to one of the parsers, and some that are not.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "<", ">", "\"", "'", "&", "`", "```", "*", "_", "[", "](", ")", "!", "#", "|", "-", "\n", "\r", "\t", "\\",
            "\x1b[", "\x1b]8;;", "\x07", "31", "m", ";", "@@ -1 +1 @@\n", "+", "javascript:", "https://a/", "onerror=",
            "script", "img src=", "/", "=", "x", "\u{202e}", "\u{9b}", "\u{200b}", "\u{8}", "> ", "- [x] ", "ä", "😀",
        ]).prop_map(str::to_owned),
        1 => prop::sample::select(HOSTILE.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Texts that agents, tools and people write.
fn texts() -> Vec<Vec<u8>> {
    let texts = [
        "# Plan\n\n1. **one** `two`\n   - [x] three\n\n> said\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\nhttps://a.b/c_d",
        "\x1b[31mred\x1b[0m\r10 %\r20 %\n\x1b[2A\x1b[Kup\x1b]8;;https://a\x07link\x1b]8;;\x07\x1b[38;5;1mx",
        "--- a/x.rs\n+++ b/x.rs\n@@ -1,3 +1,3 @@\n fn a() {}\n-old\n+new\n\\ No newline at end of file\nrename from a\n",
        "def f(x):\n    \"\"\"doc\"\"\"\n    return {'a': [1, 2.0], \"b\": f\"{x}\"}  # \u{202e}hidden\u{200b}",
        "<script>alert(1)</script> <!-- --> &amp; &#x41; 登录 ล็อก 👩‍👩‍👧 a\u{301}",
    ];
    texts.map(|text| text.as_bytes().to_vec()).into()
}

#[test]
fn any_text_is_rendered_in_little_memory_for_its_length() {
    type Render = fn(&str);
    let renders: [(&str, Render); 6] = [
        ("markdown", |text| {
            drop((markdown_html(text), typed_html(text), first_line(text, 100)))
        }),
        ("terminal", |text| drop(terminal_html(text, 200))),
        ("code", |text| {
            for language in ["rs", "py", "md", "json", "sh", ""] {
                drop(code_html(text, language));
            }
        }),
        ("unified", |text| drop(unified_diff("a.rs", text))),
        ("texts", |text| {
            let (old, new) = text.split_at(text.floor_char_boundary(text.len() / 2));
            drop(diff_of_texts("a.py", old, new));
        }),
        ("hidden", |text| {
            drop((
                reveal_hidden(text),
                marked(text, true, &[vec!["x".to_owned()]], true),
            ))
        }),
    ];
    for (name, render) in renders {
        handrail_sim_os::fuzz(
            name,
            &texts(),
            |length| (8 << 20) + 400 * length,
            |input| {
                render(&String::from_utf8_lossy(input));
            },
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn markdown_of_any_text_is_harmless(text in nasty()) {
        assert_harmless(&markdown_html(&text));
        assert_harmless(&typed_html(&text));
    }

    #[test]
    fn terminal_output_of_any_text_is_harmless(text in nasty(), lines in 0_usize..6) {
        assert_harmless(&terminal_html(&text, lines).0);
    }

    #[test]
    fn code_of_any_text_is_harmless_and_has_as_many_lines(text in nasty(), language in prop::sample::select(vec!["", "html", "py", "sh", "json", "md", "rs"])) {
        let html = code_html(&text, language);
        assert_harmless(&html);
        prop_assert_eq!(html.split('\n').count(), code::lines(&text).count());
    }

    #[test]
    fn a_diff_of_any_text_is_harmless(old in nasty(), new in nasty()) {
        let views = [unified_diff("a.html", &old), diff_of_texts("a.py", &old, &new)];
        for line in views.iter().flat_map(|view| &view.hunks).flat_map(|hunk| &hunk.lines) {
            assert_harmless(&line.html);
        }
    }

    #[test]
    fn a_diff_of_two_texts_gives_both_back(old in "([ab]\n){0,12}", new in "([ab]\n){0,12}") {
        let view = diff_of_texts("a.txt", &old, &new);
        let count = |text: &str| i64::try_from(text.lines().count()).unwrap_or_default();
        prop_assert_eq!(i64::from(view.added) - i64::from(view.removed), count(&new) - count(&old));
        prop_assert_eq!(view.hunks.is_empty(), old == new);
    }
}
