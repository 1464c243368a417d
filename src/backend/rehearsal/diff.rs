//! Unified diffs with zero context lines, as the editor of OpenHands 0.62 reports them.

/// The diff of two texts under one path; empty when they are equal.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let mut out = String::new();
    for (a, b) in changed(&old, &new) {
        out += &format!("\n@@ -{} +{} @@", span(a.clone()), span(b.clone()));
        old[a].iter().for_each(|line| out += &format!("\n-{line}"));
        new[b].iter().for_each(|line| out += &format!("\n+{line}"));
    }
    if out.is_empty() {
        out
    } else {
        format!("--- {path}\n+++ {path}{out}")
    }
}

type Span = std::ops::Range<usize>;

/// `5` for one line, `5,3` for several, and the line before for none.
fn span(lines: Span) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// The smallest runs of lines that differ, by the longest common subsequence of what is left after equal ends.
fn changed(old: &[&str], new: &[&str]) -> Vec<(Span, Span)> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (a, b) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if a.is_empty() && b.is_empty() {
        return Vec::new();
    }
    // A table of this size is built in milliseconds; a larger change is shown as one run.
    if a.len() * b.len() > 1_000_000 {
        return vec![(head..head + a.len(), head..head + b.len())];
    }
    let mut common = vec![vec![0u32; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            common[i][j] = if a[i] == b[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut runs) = (0, 0, Vec::new());
    while i < a.len() || j < b.len() {
        let start = (i, j);
        while (i < a.len() || j < b.len()) && !(i < a.len() && j < b.len() && a[i] == b[j]) {
            if j == b.len() || i < a.len() && common[i + 1][j] >= common[i][j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
        if start != (i, j) {
            runs.push((head + start.0..head + i, head + start.1..head + j));
        }
        while i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
        }
    }
    runs
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
