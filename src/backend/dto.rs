//! Parses the responses that both protocols write alike.

use super::json::{entries, filled, text};
use super::{Answer, BackendError, ChangedFile, ChangedText, Probe, Profile, Settings};
use serde_json::Value;
use std::time::Duration;

/// The result of probing a backend that has responded.
pub(super) fn probe(
    product: &str,
    version: Option<String>,
    elapsed: Duration,
    lacking: Option<&str>,
) -> Probe {
    Probe {
        product: product.to_owned(),
        version,
        millis: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        lacking: lacking.map(str::to_owned),
    }
}

pub(super) const NO_MODEL: &str = "No model is set up. Choose one in Settings.";

/// What a server of 1.x lacks before it can be used. It starts agents whose model has no key, because some need none.
pub(super) fn lacking(settings: &Settings) -> Option<&'static str> {
    // A program of ACP has a model and a key of its own.
    match (settings.model.is_empty(), settings.api_key_set) {
        _ if !settings.acp.is_empty() => None,
        (true, _) => Some(NO_MODEL),
        (false, true) => None,
        (false, false) => {
            Some("The model has no API key. If its provider needs one, enter it in Settings.")
        }
    }
}

/// Files that differ from the repository. 1.x writes Git's status letters as words.
pub(super) fn changes(value: &Value) -> Vec<ChangedFile> {
    let change = |entry: &Value| {
        let status = match entry["status"].as_str()? {
            "ADDED" => "A",
            "DELETED" => "D",
            "UPDATED" => "M",
            "MOVED" => "R",
            other => other,
        };
        Some(ChangedFile {
            path: unquoted(&filled(&entry["path"])?),
            status: status.to_owned(),
        })
    };
    entries(value).filter_map(change).collect()
}

/// The name of a file in place of what Git writes: a name with other characters than those of ASCII, or with quotes,
/// stands in quotes, with its bytes as in C. A name that begins with a quote is never written without.
fn unquoted(name: &str) -> String {
    let inner = name
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner else {
        return name.to_owned();
    };
    let (mut bytes, mut rest) = (Vec::with_capacity(inner.len()), inner.bytes());
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let digit = |digit: u8| {
            (b'0'..=b'7')
                .contains(&digit)
                .then(|| u32::from(digit - b'0'))
        };
        bytes.push(match rest.next() {
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(other @ (b'"' | b'\\')) => other,
            Some(first) => {
                let digits = [Some(first), rest.next(), rest.next()];
                let value = digits
                    .into_iter()
                    .try_fold(0, |value, one| Some(value * 8 + digit(one?)?));
                match value.and_then(|value| u8::try_from(value).ok()) {
                    Some(byte) => byte,
                    None => return name.to_owned(),
                }
            }
            None => return name.to_owned(),
        });
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The old and the new text of a changed file. A new or deleted file has only one of them.
pub(super) fn change(value: &Value) -> ChangedText {
    ChangedText {
        original: text(&value["original"]),
        modified: text(&value["modified"]),
    }
}

/// The models that a conversation can switch to.
pub(super) fn profiles(answer: &Value) -> Answer<Vec<Profile>> {
    serde_json::from_value(answer["profiles"].clone())
        .map_err(|_| BackendError::unexpected("profiles without name or model"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn any_name_of_a_file_takes_little_memory() {
        let corpus = [r#""a\303\244.txt""#, r#""tab\there\\""#, "plain"]
            .map(|name| name.as_bytes().to_vec());
        handrail_sim_os::fuzz(
            "names",
            &corpus,
            |length| 1024 + 16 * length,
            |input| {
                unquoted(&String::from_utf8_lossy(input));
            },
        );
    }

    #[test]
    fn a_name_that_git_quotes_is_the_name_of_the_file() {
        for (written, name) in [
            (r#""a\303\244.txt""#, "aä.txt"),
            (
                r#""dir/\346\227\245\346\234\254 \"x\".md""#,
                "dir/日本 \"x\".md",
            ),
            (r#""tab\there\\""#, "tab\there\\"),
            ("plain name.txt", "plain name.txt"),
            (r"back\slash", r"back\slash"),
            // Not what Git writes.
            (r#""\9""#, r#""\9""#),
            (r#""\777""#, r#""\777""#),
            ("\"", "\""),
        ] {
            let told = json!([{ "status": "M", "path": written }]);
            assert_eq!(changes(&told)[0].path, name, "{written}");
        }
    }
}
