//! Terminal output becomes classes; control sequences have no other effect.

use super::*;

fn html(text: &str) -> Html {
    terminal_html(text, 1000).0
}

#[test]
fn colours_and_weight_become_classes() {
    assert_eq!(
        html("a \x1b[1;31mred\x1b[0m b"),
        "a <span class=\"t-f1 t-bold\">red</span> b"
    );
    assert_eq!(html("\x1b[44mx\x1b[49my"), "<span class=\"t-b4\">x</span>y");
    assert_eq!(html("\x1b[31;7mx"), "<span class=\"t-b1\">x</span>");
}

#[test]
fn many_colours_become_the_nearest_of_sixteen() {
    assert_eq!(html("\x1b[38;5;196mx"), "<span class=\"t-f9\">x</span>");
    assert_eq!(html("\x1b[38;2;0;120;0mx"), "<span class=\"t-f2\">x</span>");
    assert_eq!(html("\x1b[38;5;244mx"), "<span class=\"t-f8\">x</span>");
    assert_eq!(html("\x1b[38:5:9mx"), "<span class=\"t-f9\">x</span>");
}

#[test]
fn carriage_return_and_backspace_write_over() {
    assert_eq!(html("10%\r20%\r99%\ndone"), "99%\ndone");
    assert_eq!(html("abc\r\u{1b}[Kx\r\n"), "x");
    assert_eq!(html("ab\u{8}c"), "ac");
    assert_eq!(html("abc\x1b[2Kd"), "   d");
}

#[test]
fn a_line_above_is_written_over() {
    // Progress of several lines, as package managers and Docker print it.
    let text =
        "one 10%\ntwo 0%\n\x1b[2A\x1b[2Kone 100%\n\x1b[2Ktwo 50%\n\x1b[1A\x1b[2Ktwo 100%\ndone";
    assert_eq!(html(text), "one 100%\ntwo 100%\ndone");
    assert_eq!(html("a\nb\x1b[Fxy\n"), "xy\nb");
    assert_eq!(html("a\nbcd\x1b[Ax"), "a  x\nbcd");
    assert_eq!(html("a\nb\nc\n\x1b[2A\x1b[Jx"), "a\nx");
    assert_eq!(html("a\nb\n\x1b[2A\x1b[1Bx"), "a\nx");
    // There is nothing above the first line, and a colour stays what it was.
    assert_eq!(html("\x1b[9Aa\x1b[5Bb"), "ab");
    let (_, lines, _) = terminal_html("x\n\x1b[1A\x1b[2Ky\n", 10);
    assert_eq!(lines, 1);
}

#[test]
fn moving_up_and_down_without_end_costs_little_and_loses_no_line() {
    let lines: String = (0..500).map(|n| format!("line {n}\n")).collect();
    let text = lines + &"\x1b[9999A\x1b[9999B".repeat(50_000);
    let (html, lines, _) = terminal_html(&text, 1000);
    assert_eq!(lines, 500);
    assert!(html.contains("line 0\n") && html.ends_with("line 499"));
    // Of a long output the lines in between are not kept: it moves among the last ones only.
    let lines: String = (0..500).map(|n| format!("line {n}\n")).collect();
    let (html, lines, _) = terminal_html(&format!("{lines}\x1b[90A!"), 4);
    assert_eq!(lines, 500);
    assert!(html.contains("!ine 498\nline 499"), "{html}");
}

#[test]
fn links_titles_and_cursor_jumps_are_dropped() {
    assert_eq!(html("\x1b]8;;https://evil\x07click\x1b]8;;\x07"), "click");
    assert_eq!(
        html("\x1b]0;title\x1b\\x\x1b[2J\x1b[10;10Hy\x1b(B\x1bP1;2q\x1b\\z"),
        "xyz"
    );
    assert_eq!(
        html("\u{9d}8;;https://evil\u{9c}x\u{9b}31mred"),
        "x<span class=\"t-f1\">red</span>"
    );
}

#[test]
fn a_sequence_without_an_end_cannot_swallow_the_lines_behind_it() {
    assert_eq!(html("a\x1b]8;;evil\nb"), "a\nb");
    assert_eq!(html("a\x1b[12;\nb\x1b"), "a\nb");
}

#[test]
fn concealed_text_is_shown() {
    assert_eq!(html("\x1b[8mrm -rf\x1b[28m"), "rm -rf");
}

#[test]
fn markup_is_text_and_direction_marks_are_shown() {
    assert_eq!(html("<b onclick=\"x\">"), "&lt;b onclick=&quot;x&quot;&gt;");
    assert!(html("a\u{202e}b").contains("U+202E</span>b"));
}

#[test]
fn the_first_and_the_last_lines_are_kept() {
    let text: String = (1..=5000).map(|n| format!("line {n}\n")).collect();
    let (html, lines, shown) = terminal_html(&text, 4);
    assert_eq!(
        html,
        "line 1\nline 2\n<span class=\"omitted\">… 4,996 lines not shown</span>\nline 4999\nline 5000"
    );
    assert_eq!((lines, shown), (5000, 4));
}

#[test]
fn empty_output_has_no_lines() {
    assert_eq!(terminal_html("", 40), (String::new(), 0, 0));
    assert_eq!(terminal_html("\n", 40).1, 1);
}

#[test]
fn ten_megabytes_of_carriage_returns_are_one_line() {
    assert_eq!(html(&format!("a{}b", "\r".repeat(10 << 20))), "b");
}

#[test]
fn one_endless_line_is_cut_and_counted() {
    let (html, lines, _) = bounded(&"x".repeat(5_000_000), 40, 16_000);
    assert!(html.len() < 3000, "{}", html.len());
    assert!(html.ends_with("… 4,998,000 more characters</span>"));
    assert_eq!(lines, 1);
}

#[test]
fn colour_changes_at_every_letter_stay_within_the_bytes_allowed() {
    let line = "\x1b[31ma\x1b[32mb".repeat(900);
    let text = format!("{line}\n").repeat(100);
    let (html, lines, shown) = bounded(&text, 40, 16 * 1024);
    assert!(html.len() < 20 * 1024, "{}", html.len());
    assert_eq!(lines, 100);
    assert_eq!(shown, 2);
}

#[test]
fn the_cursor_moves_within_its_line() {
    for (text, shown) in [
        ("10%\x1b[1G20%\x1b[0G30%", "30%"),
        (
            "\x1b[2K\x1b[1G⠋ a\x1b[2K\x1b[1G⠙ b\x1b[2K\x1b[1G✔ c\n",
            "✔ c",
        ),
        ("\\\x1b[1D|\x1b[D/\x1b[1D done", " done"),
        ("a\x1b[3Cb", "a   b"),
        ("name\x1b[20Gsize", "name               size"),
        ("one\ntwo\x1b[1A\x1b[2K\x1b[GONE\n", "ONE\ntwo"),
        ("one\ntwo\x1bMX", "oneX\ntwo"),
        ("a\x1b[9999Gb", format!("a{}b", " ".repeat(239)).as_str()),
        ("a\x1b[?5Gb\x1b[3;4Gc", "abc"),
    ] {
        assert_eq!(html(text), shown, "{text:?}");
    }
}

#[test]
fn a_long_line_that_is_erased_again_and_again_costs_no_more_than_its_length() {
    let text = format!("{}{}", "x".repeat(300_000), "\x1b[2Ky".repeat(60_000));
    assert_eq!(html(&text), format!("{}y", " ".repeat(240)));
}
