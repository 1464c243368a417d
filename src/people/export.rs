//! Export of the audit log: JSON Lines, or CSV for spreadsheets.

use crate::journal::AuditRecord;
use jiff::Timestamp;
use serde_json::json;

/// File format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    JsonLines,
    /// Comma-separated, with quoted cells.
    Csv,
}

const HEAD: &str =
    "number,at,person,name,address,action,conversation,digest,detail,outcome,about,hash\r\n";

impl Format {
    /// The beginning of a file.
    pub fn head(self) -> &'static str {
        match self {
            Self::JsonLines => "",
            Self::Csv => HEAD,
        }
    }

    /// The lines of entries.
    pub fn lines(self, records: &[AuditRecord]) -> String {
        match self {
            Self::JsonLines => records.iter().map(json_line).collect(),
            Self::Csv => records.iter().map(csv_line).collect(),
        }
    }
}

fn json_line(
    AuditRecord {
        number,
        entry,
        hash,
    }: &AuditRecord,
) -> String {
    let object = json!({
        "number": number, "at": moment(entry.at), "person": entry.person, "name": entry.name,
        "address": entry.address, "action": entry.action, "conversation": entry.conversation,
        "digest": entry.digest, "detail": entry.detail, "outcome": entry.outcome,
        "about": entry.about, "hash": hash,
    });
    format!("{object}\n")
}

fn csv_line(
    AuditRecord {
        number,
        entry,
        hash,
    }: &AuditRecord,
) -> String {
    let fields = [
        number.to_string(),
        moment(entry.at),
        entry.person.to_string(),
        entry.name.clone(),
        entry.address.clone(),
        entry.action.clone(),
        entry.conversation.clone(),
        entry.digest.clone(),
        entry.detail.clone(),
        entry.outcome.clone(),
        entry.about.to_string(),
        hash.clone(),
    ];
    format!("{}\r\n", fields.map(|field| cell(&field)).join(","))
}

/// A quoted CSV cell that no spreadsheet interprets as a formula.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '|', '%']);
    let mark = if formula { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

fn moment(at: i64) -> String {
    Timestamp::from_millisecond(at).map_or_else(|_| at.to_string(), |time| time.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::AuditEntry;

    #[test]
    fn no_cell_is_a_formula_or_leaves_its_quotes() {
        for bad in [
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "|calc", "%0A",
        ] {
            assert!(cell(bad).starts_with("\"'"), "{bad}");
        }
        assert_eq!(cell("a \"b\", c"), "\"a \"\"b\"\", c\"");
    }

    #[test]
    fn every_entry_is_one_line_of_json() {
        let entry = AuditEntry {
            detail: "two\nlines \u{2028} \"quoted\"".to_owned(),
            ..AuditEntry::default()
        };
        let record = AuditRecord {
            number: 1,
            entry,
            hash: "h".to_owned(),
        };
        let text = Format::JsonLines.lines(&[record.clone(), record]);
        assert_eq!(text.lines().count(), 2);
        for line in text.lines() {
            let read: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
            assert_eq!(read["at"], "1970-01-01T00:00:00Z");
        }
    }
}
