//! Unified diffs with zero context lines, as the editor of OpenHands 0.62 reports them.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// The diff of two texts under one path; empty if they are equal.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let mut out = String::new();
    for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (tag, a, b) = op.as_tag_tuple();
        if tag == DiffTag::Equal {
            continue;
        }
        out += &format!("\n@@ -{} +{} @@", span(&a), span(&b));
        old[a].iter().for_each(|line| out += &format!("\n-{line}"));
        new[b].iter().for_each(|line| out += &format!("\n+{line}"));
    }
    match out.as_str() {
        "" => out,
        hunks => format!("--- {path}\n+++ {path}{hunks}"),
    }
}

/// `5` for one line, `5,3` for several, and for none the line before with `,0`.
fn span(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_have_no_context_lines() {
        let old = "def add(a, b):\n    return a - b\n\nprint(add(2, 3))\n";
        let new = "def add(a, b):\n    return a + b\n\nprint(add(2, 3))\nprint(add(4, 5))\n";
        let expected = "--- x.py\n+++ x.py\n@@ -2 +2 @@\n-    return a - b\n+    return a + b\n@@ -4,0 +5 @@\n+print(add(4, 5))";
        assert_eq!(unified("x.py", old, new), expected);
    }

    #[test]
    fn a_new_file_is_all_added_and_no_change_is_no_diff() {
        assert_eq!(
            unified("n", "", "one\n"),
            "--- n\n+++ n\n@@ -0,0 +1 @@\n+one"
        );
        assert_eq!(unified("n", "same", "same"), "");
    }
}
