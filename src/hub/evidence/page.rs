//! Evidence as a page to read, which carries the JSON to check.

use super::{ApprovalEvidence, EntryEvidence, Evidence};
use crate::render::{EvidenceSection, evidence_html};
use jiff::Timestamp;

fn time(at: i64) -> String {
    let at = Timestamp::from_millisecond(at).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// The page.
pub fn evidence_page(evidence: &Evidence) -> String {
    let about = &evidence.unchecked;
    let title = match about.title.as_str() {
        "" => "Evidence".to_owned(),
        title => format!("Evidence: {title}"),
    };
    let mut remarks = vec![
        format!(
            "What was asked in the conversation {}, what was shown, who or which rule answered, and what came of it. Made by Handrail on {}.",
            evidence.conversation,
            time(about.made_at)
        ),
        "To check that no hashed field of this file was changed, run: handrail audit verify FILE"
            .to_owned(),
        format!(
            "The newest entry of the whole audit log was number {} with the hash {}.",
            about.head_number, about.head_hash
        ),
    ];
    if about.masked {
        remarks.push("Secrets of known kinds are masked; others may remain. What has a masked secret cannot be checked.".to_owned());
    }
    if !about.complete {
        remarks
            .push("This is not all: the conversation has more than fits into one file.".to_owned());
    }
    if evidence.approvals.is_empty() {
        remarks.push("Nothing was asked for approval in this conversation.".to_owned());
    }
    let approvals = evidence.approvals.iter();
    let mut sections: Vec<EvidenceSection> = approvals
        .enumerate()
        .map(|(at, approval)| approval_section(at + 1, approval, evidence))
        .collect();
    if !evidence.entries.is_empty() {
        sections.push(entries_section(&evidence.entries));
    }
    let json = serde_json::to_string(evidence).expect("evidence is plain data");
    evidence_html(&title, &remarks, &sections, &json)
}

fn approval_section(
    number: usize,
    approval: &ApprovalEvidence,
    evidence: &Evidence,
) -> EvidenceSection {
    let about = &approval.unchecked;
    let mut facts = vec![
        ("Asked".to_owned(), time(about.asked_at)),
        ("State".to_owned(), about.state.clone()),
    ];
    if let Some(answer) = &approval.answer {
        let word = if answer.approved {
            "Approved"
        } else {
            "Rejected"
        };
        let by = match (answer.by_rule, answer.by.as_str()) {
            (true, by) => format!("a rule of {by}"),
            (false, by) => by.to_owned(),
        };
        let find = |wanted: i64| evidence.entries.iter().find(|entry| entry.number == wanted);
        facts.push((word.to_owned(), format!("by {by}, entry {}", answer.entry)));
        if let Some(entry) = find(answer.entry) {
            facts.push(("Answered".to_owned(), time(entry.at)));
        }
        if let Some(end) = answer.ended.and_then(find) {
            facts.push(("Outcome".to_owned(), end.outcome.clone()));
        }
    }
    if !about.reason.is_empty() {
        facts.push(("Reason".to_owned(), about.reason.clone()));
    }
    facts.push(("Token".to_owned(), approval.token.clone()));
    let mut texts = Vec::new();
    match (&approval.shown, &about.masked_text) {
        (Some(shown), _) => texts.push(("Shown".to_owned(), shown.text.clone())),
        (None, Some(masked)) => {
            texts.push(("Shown, with masked secrets".to_owned(), masked.clone()))
        }
        (None, None) => facts.push(("Shown".to_owned(), "was not kept".to_owned())),
    }
    for ran in &about.ran {
        let label = if ran.cut { "Ran (shortened)" } else { "Ran" };
        texts.push((label.to_owned(), ran.text.clone()));
    }
    EvidenceSection {
        heading: format!("Approval {number}"),
        facts,
        texts,
    }
}

fn entries_section(entries: &[EntryEvidence]) -> EvidenceSection {
    let line = |entry: &EntryEvidence| {
        let outcome = match entry.about {
            0 => String::new(),
            about => format!(" (entry {about}: {})", entry.outcome),
        };
        let what = format!(
            "{} {} {}{outcome}\n  {}",
            time(entry.at),
            entry.name,
            entry.action,
            entry.hash
        );
        (entry.number.to_string(), what)
    };
    EvidenceSection {
        heading: "Entries of the audit log".to_owned(),
        facts: entries.iter().map(line).collect(),
        texts: Vec::new(),
    }
}
