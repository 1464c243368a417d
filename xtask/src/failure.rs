//! What is printed of a failed test at the end of a run: its output, and the command that repeats it.

use std::fmt;

/// Lines of its output with which a failure is repeated at the end.
const LINES_OF_FAILURE: usize = 40;

/// A failed test, or a failed check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its name.
    pub name: String,
    /// The command that repeats it.
    pub repeat: String,
    /// What it printed, shortened.
    pub text: String,
}

impl Failure {
    /// A failed test.
    pub fn of_test(name: &str, text: &str) -> Self {
        let quoted = if name
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_:".contains(letter))
        {
            name.to_owned()
        } else {
            format!("'{}'", name.replace('\'', r"'\''"))
        };
        Self {
            name: name.to_owned(),
            repeat: format!("cargo xtask test {quoted}"),
            text: shortened(text),
        }
    }

    /// A check that failed as a whole.
    pub fn of_check(name: &str, repeat: &str, text: &str) -> Self {
        Self {
            name: name.to_owned(),
            repeat: repeat.to_owned(),
            text: shortened(text),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.name)?;
        for line in self.text.lines() {
            writeln!(formatter, "    {line}")?;
        }
        write!(formatter, "  repeat: {}", self.repeat)
    }
}

/// The end of a text, without the backtrace of a panic, which names its place already.
fn shortened(text: &str) -> String {
    let is_backtrace = |line: &&str| line.trim() == "stack backtrace:";
    let lines = text.trim().lines().take_while(|line| !is_backtrace(line));
    let lines: Vec<&str> = lines.collect();
    let skipped = lines.len().saturating_sub(LINES_OF_FAILURE);
    let note = (skipped > 0).then(|| format!("[{skipped} lines before]"));
    let kept = lines[skipped..].iter().map(|line| (*line).to_owned());
    note.into_iter().chain(kept).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_is_shortened_to_its_end() {
        let mut text = (1..=50).map(|line| format!("{line}\n")).collect::<String>();
        text.push_str("stack backtrace:\n   0: main");
        let text = Failure::of_check("lints", "", &text).text;
        assert!(text.starts_with("[10 lines before]\n11\n"), "{text}");
        assert!(text.ends_with("\n50"), "{text}");
    }
}
