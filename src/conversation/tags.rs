//! Tags of a conversation.

use super::text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest value, in characters (`docs/protocol/v1.md` section 4).
const LONGEST: usize = 256;

/// Tags of a conversation: a word each, with a value that may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tags(pub BTreeMap<String, String>);

impl Tags {
    /// Parses tags as people write them: one per line, `urgent` or `team=infra`.
    ///
    /// # Errors
    /// A sentence that names the invalid line.
    pub fn read(text: &str) -> Result<Self, String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let tag = |line: &str| {
            let (word, value) = line.split_once('=').unwrap_or((line, ""));
            let (word, value) = (word.trim(), value.trim());
            let is_word = !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
            if !is_word {
                return Err(text::invalid_tag(word));
            }
            if value.chars().count() > LONGEST {
                return Err(text::long_tag(word, LONGEST));
            }
            Ok((word.to_owned(), value.to_owned()))
        };
        Ok(Self(lines.map(tag).collect::<Result<_, _>>()?))
    }

    /// The tags as people write them.
    pub fn labels(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(word, value)| match value.as_str() {
            "" => word.clone(),
            value => format!("{word}={}", value.replace(['\r', '\n'], " ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let tags = Tags::read(" team = infra\n\nurgent\nlink=https://x/?a=b").unwrap();
        let labels: Vec<_> = tags.labels().collect();
        assert_eq!(labels, ["link=https://x/?a=b", "team=infra", "urgent"]);
        assert_eq!(Tags::read(&labels.join("\n")).unwrap(), tags);
    }

    #[test]
    fn what_no_server_takes_is_refused_by_name() {
        for bad in [
            "Team=x",
            "two words",
            "=x",
            "ä",
            &format!("a={}", "x".repeat(257)),
        ] {
            assert!(Tags::read(bad).is_err(), "{bad}");
        }
        assert!(Tags::read("Team=x").unwrap_err().contains("Team"));
    }
}
