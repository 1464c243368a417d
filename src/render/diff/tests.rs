//! Diffs keep their line numbers and mark the changed words.

use super::*;

fn shape(view: &DiffView) -> String {
    let mut out = String::new();
    for hunk in &view.hunks {
        for line in &hunk.lines {
            let sign = match line.change {
                Change::Same => ' ',
                Change::Added => '+',
                Change::Removed => '-',
            };
            let number = |number: Option<u32>| {
                number.map_or_else(|| "·".to_owned(), |number| number.to_string())
            };
            out.push_str(&format!(
                "{sign}{}/{}:{}|",
                number(line.old),
                number(line.new),
                line.html
            ));
        }
        out.push('#');
    }
    out
}

#[test]
fn a_diff_without_context_lines_keeps_its_numbers() {
    let view = unified_diff(
        "a.txt",
        "--- a\n+++ b\n@@ -0,0 +1 @@\n+one\n@@ -1,0 +3,2 @@\n+\n+def\n",
    );
    assert_eq!(shape(&view), "+·/1:one|#+·/3:|+·/4:def|#");
    assert_eq!((view.added, view.removed, view.cut), (3, 0, false));
}

#[test]
fn a_changed_word_is_marked_on_both_sides() {
    let view = unified_diff(
        "a.txt",
        "--- a\n+++ b\n@@ -5 +5 @@\n-    return a - b\n+    return a + b\n",
    );
    assert_eq!(
        shape(&view),
        "-5/·:    return a <mark>-</mark> b|+·/5:    return a <mark>+</mark> b|#"
    );
}

#[test]
fn lines_that_have_nothing_in_common_are_not_marked() {
    let view = diff_of_texts("a.txt", "alpha beta\n", "gamma delta\n");
    assert_eq!(shape(&view), "-1/·:alpha beta|+·/1:gamma delta|#");
}

#[test]
fn a_removed_line_that_looks_like_a_file_head_stays_a_line() {
    let view = unified_diff("a.sql", "--- a\n+++ b\n@@ -1,2 +1,1 @@\n--- comment\n x\n");
    assert_eq!((view.removed, view.hunks[0].lines.len()), (1, 2));
}

#[test]
fn what_is_no_diff_is_shown_as_it_is() {
    assert_eq!(
        shape(&unified_diff("x", "Binary files a and b differ")),
        " ·/·:Binary files a and b differ|#"
    );
    assert_eq!(shape(&unified_diff("x", "+a\n-b")), "+·/·:a|-·/·:b|#");
    assert_eq!(shape(&unified_diff("x", "")), "");
    assert_eq!(
        shape(&unified_diff("x", "@@ -99999999999999999999 +1 @@\n+a")),
        " ·/·:@@ -99999999999999999999 +1 @@|+·/·:a|#"
    );
    assert_eq!(
        shape(&unified_diff("x", "@@ -1,5 +1,5 @@\n")),
        " ·/·:@@ -1,5 +1,5 @@|#"
    );
}

#[test]
fn a_hunk_with_wrong_counts_loses_no_changed_line_before_the_next_head() {
    let view = unified_diff(
        "x",
        "@@ -4294967295,9 +4294967295,9 @@\n-a\n+b\n@@ -1 +1 @@\n-c\n+d\n",
    );
    assert_eq!((view.added, view.removed, view.hunks.len()), (2, 2, 2));
}

#[test]
fn two_texts_show_three_lines_around_a_change() {
    let old: String = (1..=30).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("line 15\n", "line fifteen\n");
    let view = diff_of_texts("a.txt", &old, &new);
    assert_eq!(view.hunks.len(), 1);
    assert_eq!(view.hunks[0].lines.len(), 8);
    assert_eq!(
        (view.hunks[0].lines[0].old, view.added, view.removed),
        (Some(12), 1, 1)
    );
}

#[test]
fn a_created_text_is_all_added_and_an_equal_one_shows_nothing() {
    let view = diff_of_texts("a.py", "", "x = 1\n");
    assert_eq!((view.added, view.removed), (1, 0));
    assert!(view.hunks[0].lines[0].html.contains("hl-number"));
    assert!(diff_of_texts("a.py", "x\n", "x\n").hunks.is_empty());
}

#[test]
fn a_million_lines_are_counted_but_not_all_rendered() {
    let old = "a\n".repeat(500_000);
    let new = "b\n".repeat(500_000);
    let few = DiffLimits {
        lines: 100,
        ..DiffLimits::PAGE
    };
    let view = texts_within("a.txt", &old, &new, few);
    assert_eq!(
        (view.added, view.removed, view.cut),
        (500_000, 500_000, true)
    );
    assert_eq!(view.hunks[0].lines.len(), 100);
    let diff = format!("@@ -1,0 +1,1000000 @@\n{}", "+x\n".repeat(1_000_000));
    assert_eq!(
        unified_within("a.txt", &diff, few).hunks[0].lines.len(),
        100
    );
}

#[test]
fn markup_and_direction_marks_in_a_diff_are_harmless() {
    let view = diff_of_texts("a.html", "", "<script>\u{202e}x</script>");
    assert!(!view.hunks[0].lines[0].html.contains("<script"));
    assert!(view.hunks[0].lines[0].html.contains("hidden-char"));
}

#[test]
fn words_are_compared_up_to_a_bound_and_lines_behind_it() {
    let line = |word: &str, n: usize| format!("{} {word} {n}\n", "a b ".repeat(100));
    let text = |word: &str| (0..2000).map(|n| line(word, n)).collect::<String>();
    let view = diff_of_texts("a.txt", &text("old"), &text("new"));
    let marked = |line: &&DiffLine| line.html.contains("<mark>");
    let lines = || view.hunks.iter().flat_map(|hunk| &hunk.lines);
    assert!(lines().any(|line| marked(&line)));
    let compared: usize = lines().filter(marked).map(|line| line.html.len()).sum();
    assert!(compared < 2 * words::MOST_COMPARED, "{compared}");
    assert_eq!((view.added, view.removed), (2000, 2000));
}

#[test]
fn a_diff_weighs_no_more_than_its_room() {
    let room = DiffLimits {
        lines: usize::MAX,
        html: 10_000,
    };
    let heavy = "\u{200b}\n".repeat(5000);
    for view in [
        texts_within("a.txt", "", &heavy, room),
        texts_within("a.txt", "", &"\n".repeat(5000), room),
        texts_within("a.txt", "", &"x".repeat(20_000), room),
    ] {
        let weight = weight(&view);
        assert!(weight <= room.html && view.cut, "{weight}");
        assert!(view.added > 0);
    }
}

/// What a line reads like, with tokens by their signs.
fn read(view: &DiffView) -> String {
    let text = |html: &str| {
        let (mut out, mut inside) = (String::new(), false);
        for letter in html.chars() {
            match letter {
                '<' => inside = true,
                '>' => inside = false,
                _ if !inside => out.push(letter),
                _ => {}
            }
        }
        out
    };
    let lines = view.hunks.iter().flat_map(|hunk| &hunk.lines);
    let lines = lines.map(|line| match line.change {
        Change::Same => format!(" {}", text(&line.html)),
        Change::Added => format!("+{}", text(&line.html)),
        Change::Removed => format!("-{}", text(&line.html)),
    });
    lines
        .chain(view.notes.clone())
        .collect::<Vec<_>>()
        .join("|")
}

#[test]
fn other_line_endings_are_changes_and_are_named() {
    for (old, new, shown) in [
        (
            "one\r\ntwo\r\n",
            "one\ntwo\n",
            "-oneU+000D|-twoU+000D|+one|+two|Line endings change from CRLF to LF",
        ),
        (
            "one\n",
            "one\r\n",
            "-one|+oneU+000D|Line endings change from LF to CRLF",
        ),
        (
            "",
            "#!/bin/sh\r\n",
            "+#!/bin/sh|Lines end in CRLF (carriage return and line feed)",
        ),
        (
            "a\r\nb\r\n",
            "a\r\nc\r\n",
            " a|-b|+c|Lines end in CRLF (carriage return and line feed)",
        ),
        (
            "a\n",
            "a\nb\r\nc\n",
            " a|+bU+000D|+c|Some lines end in CRLF, others in LF",
        ),
        // The last line of a passage, continued by the same text.
        (
            "a\r\nb",
            "a\nb",
            "-aU+000D|+a| b|Line endings change from CRLF to LF",
        ),
    ] {
        assert_eq!(read(&diff_of_texts("a.txt", old, new)), shown);
    }
}

#[test]
fn a_newline_at_the_end_is_a_change() {
    let of = |old: &str, new: &str| read(&diff_of_texts("a.txt", old, new));
    assert_eq!(of("last", "last\n"), "-lastno newline|+last");
    assert_eq!(of("a\nlast\n", "a\nlast"), " a|-last|+lastno newline");
    assert_eq!(of("last", "last\nmore"), " last|+more");
    assert_eq!(of("", "x"), "+x");
    assert_eq!(of("x", "x"), "");
}

#[test]
fn changed_blanks_are_seen() {
    let of = |old: &str, new: &str| read(&diff_of_texts("Makefile", old, new));
    assert_eq!(of("\techo a", "    echo a  "), "-→echo·a|+····echo·a··");
    assert_eq!(of("x\n", "x \t\n"), "-x|+x·→");
    assert_eq!(of("", "x \n"), "+x·");
    // Lines that stay are as they are.
    assert_eq!(of("x \n", "x \ny\n"), " x |+y");
    assert_eq!(of("a  b", "a b"), "-a··b|+a·b");
}

#[test]
fn a_unified_diff_says_the_same() {
    let of = |diff: &str| read(&unified_diff("a.txt", diff));
    assert_eq!(
        of("@@ -1 +1 @@\n-one\r\n+one\n"),
        "-oneU+000D|+one|Line endings change from CRLF to LF"
    );
    assert_eq!(
        of("@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+one\n"),
        "-oneno newline|+one"
    );
    assert_eq!(
        of("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"),
        "-a|+b"
    );
    // A diff whose own lines end so says nothing about the file.
    assert_eq!(of("@@ -1 +1 @@\r\n-a\r\n+b\r\n"), "-a|+b");
}

#[test]
fn a_change_of_the_name_or_the_mode_alone_says_so() {
    let view = change_of_texts("run.sh", "x\n", "x\n");
    assert!(view.hunks.is_empty());
    assert_eq!(view.notes.len(), 1);
    assert!(change_of_texts("run.sh", "x\n", "y\n").notes.is_empty());
    // Git's own words about it are shown as they are.
    let view = unified_diff("b", "similarity index 100%\nrename from a\nrename to b\n");
    assert_eq!(
        read(&view),
        " similarity index 100%| rename from a| rename to b"
    );
}
