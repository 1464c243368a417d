//! Unified diffs with zero context lines, as the editor of OpenHands 0.62 reports them.

use similar::TextDiff;

/// The diff of two texts under one path; empty if they are equal.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let diff = TextDiff::from_slices(&old, &new);
    let mut diff = diff.unified_diff();
    let mut diff = diff.context_radius(0).header(path, path).to_string();
    diff.pop();
    diff
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
