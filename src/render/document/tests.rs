//! An exported document needs nothing from elsewhere, and runs nothing.

use super::*;
use crate::conversation::{
    Actor, Call, CallRow, CallState, Card, Execution, Message, Tool, ToolResult,
};

/// The smallest PNG.
const PNG: &str = "data:image/svg+xml;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

fn row(id: i64, card: Card) -> Row {
    Row {
        id,
        pos: id,
        seq: id,
        at: 1_763_694_245_678,
        from: Actor::Human,
        card,
    }
}

fn message(id: i64, text: &str, images: Vec<String>) -> Row {
    let message = Message {
        text: text.to_owned(),
        images,
        ..Message::default()
    };
    row(id, Card::Message { seq: id, message })
}

fn file(rows: &[Row]) -> String {
    let mut document = Document::new(0);
    let head = document.head("A <title>", true);
    let rows = document.rows(rows);
    head + &rows + &document.end()
}

#[test]
fn a_file_holds_all_that_it_needs_and_forbids_the_rest() {
    let html = file(&[message(1, "Hello <b>you</b>", vec![PNG.to_owned()])]);
    assert!(html.contains("A &lt;title&gt;"), "the title is escaped");
    assert!(
        html.contains("src=\"data:image/png;base64,iVBOR"),
        "the picture is inside"
    );
    assert!(html.contains("default-src 'none'"));
    assert!(html.contains("id=\"row-1\"") && html.contains("data-mark"));
    let is_inside = |url: &str| {
        url.trim_start_matches('"')
            .starts_with("data:image/svg+xml,")
    };
    assert!(html.split("url(").skip(1).all(is_inside));
    for address in [
        "@import",
        "<link rel=\"stylesheet\"",
        "<script src",
        "http-equiv=\"refresh\"",
    ] {
        assert!(!html.contains(address), "{address}");
    }
    assert_eq!(html.matches("<script>").count(), 1);
    assert_eq!(html.matches("<style>").count(), 1);
    assert!(!html.contains(" style=\"") && !html.contains("<b>you"));
}

#[test]
fn an_agent_cannot_add_a_script_or_a_picture_from_elsewhere() {
    let hostile = "</article></main><script>alert(1)</script><img src=https://example.org/a.png>![x](https://example.org/b.png)";
    let result = ToolResult {
        text: hostile.to_owned(),
        images: vec![
            "https://example.org/c.png".to_owned(),
            "data:text/html;base64,PHA+".to_owned(),
        ],
        ..ToolResult::default()
    };
    let orphan = Card::Orphan(Execution {
        seq: 2,
        at: 0,
        result,
    });
    let html = file(&[
        message(1, hostile, vec!["https://example.org/d.png".to_owned()]),
        row(2, orphan),
    ]);
    assert_eq!(html.matches("<script>").count(), 1);
    assert_eq!(html.matches("</main>").count(), 1);
    for tag in html.split("<img").skip(1) {
        assert!(tag.contains("src=\"data:image/"), "{tag:.80}");
    }
}

#[test]
fn pictures_that_do_not_fit_are_left_out_with_a_remark() {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    bytes.resize(7 << 20, 0);
    let large = format!("data:image/png;base64,{}", STANDARD.encode(&bytes));
    let rows: Vec<Row> = (1..=4)
        .map(|id| message(id, "x", vec![large.clone()]))
        .collect();
    let html = file(&rows);
    assert_eq!(html.matches("<img").count(), 2, "9.3 MB each");
    assert_eq!(html.matches(text::image_left_out()).count(), 2);
}

#[test]
fn the_signs_of_the_replay_need_no_font() {
    let html = file(&[]);
    let bar = html.split_once("class=\"replay__buttons\"");
    let (bar, _) = bar
        .and_then(|(_, rest)| rest.split_once("</div>"))
        .expect("it has a bar");
    assert_eq!(bar.matches("<svg").count(), 5);
    assert!(
        bar.chars().all(|sign| sign.is_ascii() || sign == '×'),
        "{bar}"
    );
}

#[test]
fn an_empty_conversation_says_so() {
    assert!(file(&[]).contains(text::nothing()));
}

#[test]
fn a_step_says_its_command_and_a_day_its_date_once() {
    let run = |id: i64, at: i64| {
        let call = Call {
            tool_name: "run".to_owned(),
            held: true,
            ..Call::of(Tool::Shell {
                command: "cargo test".to_owned(),
                input: false,
            })
        };
        let call = CallRow {
            call,
            state: CallState::Done,
            executions: Vec::new(),
            hooks: Vec::new(),
        };
        Row {
            at,
            from: Actor::Agent,
            ..row(id, Card::Call(Box::new(call)))
        }
    };
    let day = 86_400_000;
    let html = file(&[run(1, day), run(2, day + 1000), run(3, 2 * day)]);
    let rows = html.split("<article").skip(1);
    let commands: Vec<usize> = rows.map(|row| row.matches("cargo test").count()).collect();
    assert_eq!(commands, [1, 1, 1]);
    assert_eq!(html.matches(">1970-01-02<").count(), 1);
    assert_eq!(html.matches(">1970-01-03<").count(), 1);
    assert!(html.contains(">00:00:01</time>"));
}
