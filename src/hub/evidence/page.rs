//! Evidence as a page to read, which carries the JSON to check.
//!
//! Invariant: the page is made of the JSON alone, and always alike: a check makes it again and compares.

use super::answers::{ESCALATED, answer_of};
use super::{AnswerMeans, ApprovalEvidence, EntryEvidence, Evidence};
use crate::journal::{AUDIT_DONE, ApprovalState};
use crate::render::{EvidenceSection, evidence_html};
use jiff::Timestamp;
use std::collections::{HashMap, HashSet};

fn time(at: i64) -> String {
    let at = Timestamp::from_millisecond(at).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// Evidence as JSON to check.
pub fn evidence_json(evidence: &Evidence) -> String {
    let mut text = serde_json::to_string_pretty(evidence).expect("evidence is plain data");
    text.push('\n');
    text
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
            "What was asked in the conversation {}, what was shown, who or what answered, and what came of it. Made by Handrail \
             on {}.",
            evidence.conversation,
            time(about.made_at)
        ),
        "To check this file on any machine, run: handrail audit verify FILE".to_owned(),
    ];
    if about.masked {
        remarks.push("Secrets of known kinds are masked; others may remain.".to_owned());
    }
    if evidence.approvals.is_empty() {
        remarks.push("Nothing was asked for approval in this conversation.".to_owned());
    }
    let entries: HashMap<i64, &EntryEvidence> = evidence
        .entries
        .iter()
        .map(|entry| (entry.number, entry))
        .collect();
    let mut answers: HashMap<&str, Vec<&EntryEvidence>> = HashMap::new();
    for entry in &evidence.entries {
        answers.entry(&entry.digest).or_default().push(entry);
    }
    let approvals = evidence.approvals.iter();
    let mut sections: Vec<EvidenceSection> = approvals
        .enumerate()
        .map(|(at, approval)| {
            let same = answers.get(&*approval.token).map(Vec::as_slice);
            approval_section(at + 1, approval, &entries, same.unwrap_or_default())
        })
        .collect();
    if !evidence.entries.is_empty() {
        sections.push(entries_section(&evidence.entries));
    }
    sections.push(EvidenceSection {
        heading: "What this file does not prove".to_owned(),
        points: evidence.not_proven.clone(),
        ..EvidenceSection::default()
    });
    let json = serde_json::to_string(evidence).expect("evidence is plain data");
    evidence_html(&title, &remarks, &sections, &json)
}

fn approval_section(
    number: usize,
    approval: &ApprovalEvidence,
    entries: &HashMap<i64, &EntryEvidence>,
    same: &[&EntryEvidence],
) -> EvidenceSection {
    let about = &approval.unchecked;
    let mut facts = Vec::new();
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    let at = |number: i64| match entries.get(&number) {
        Some(entry) => format!("{}, entry {number}", time(entry.at)),
        None => format!("entry {number}"),
    };
    fact("Asked", time(about.asked_at));
    for told in same
        .iter()
        .filter(|entry| entry.action == ESCALATED && entry.about == 0)
    {
        let to = told
            .whole
            .as_ref()
            .map(|whole| format!("{}, ", whole.detail));
        let line = format!("{}{}", to.unwrap_or_default(), at(told.number));
        fact("Deputies", line);
    }
    let touched = |by: &str, touch: Option<i64>| match touch {
        Some(number) => format!("by {by} with a passkey (entry {number})"),
        None => format!("by {by}"),
    };
    if let Some(first) = &approval.first {
        let by = touched(&first.by, first.touch);
        fact("First approval", format!("{by}, {}", at(first.entry)));
    }
    match &approval.answer {
        Some(answer) => {
            let end = answer.ended.and_then(|number| entries.get(&number));
            let is_done = end.is_some_and(|end| end.outcome == AUDIT_DONE);
            let is_kept_back = about.state == ApprovalState::Superseded.word() && !is_done;
            let word = match (is_kept_back, answer.approved, answer.second) {
                (true, true, _) => "Not sent: approval",
                (true, false, _) => "Not sent: rejection",
                (_, true, None) => "Approved",
                (_, true, Some(_)) => "Second approval",
                (_, false, _) => "Rejected",
            };
            let by = match answer.means {
                AnswerMeans::Person if answer.detail.is_empty() => answer.by.clone(),
                AnswerMeans::Person => format!("{} ({})", answer.by, answer.detail),
                AnswerMeans::Rule => format!("{}, made by {}", answer.detail, answer.by),
                AnswerMeans::Amendment => format!("{} of {}", answer.detail, answer.by),
                AnswerMeans::Deadline => format!("{}: {}", answer.by, answer.detail),
            };
            let by = touched(&by, answer.touch);
            fact(word, format!("{by}, {}", at(answer.entry)));
            let end = end.map_or("not recorded", |end| &*end.outcome);
            fact("Outcome", end.to_owned());
            let first = approval.first.as_ref().map(|first| &first.by);
            let ends = same.iter().filter(|end| end.outcome == AUDIT_DONE);
            let done: HashSet<i64> = ends.map(|end| end.about).collect();
            let repeats = same.iter().filter(|entry| {
                let is_other = entry.number > answer.entry && entry.name != answer.by;
                let decision = answer_of(&entry.action).map(|(approved, _)| approved);
                entry.about == 0
                    && is_other
                    && first != Some(&entry.name)
                    && decision == Some(answer.approved)
                    && done.contains(&entry.number)
            });
            for again in repeats {
                let line = format!("by {}, {}, without effect", again.name, at(again.number));
                fact("Repeated", line);
            }
        }
        None => fact("Answer", "none".to_owned()),
    }
    fact("State", about.state.clone());
    if let Some(amended) = about.as_amended {
        let word = match amended {
            true => "exactly the action of the amendment, as the server compared them",
            false => "another action than that of the amendment, as the server compared them",
        };
        fact("In the log", word.to_owned());
    }
    fact("Token", approval.token.clone());
    // The reason of a deadline is said with it.
    let answer = approval.answer.as_ref();
    let is_said = answer.is_some_and(|answer| {
        answer.means == AnswerMeans::Deadline && answer.detail == about.reason
    });
    let mut texts = Vec::new();
    let mut text = |label: &str, text: &str| texts.push((label.to_owned(), text.to_owned()));
    match (&approval.shown, &about.masked_text) {
        (Some(shown), _) => text("Shown", &shown.text),
        (None, Some(masked)) => text("Shown, with masked secrets", masked),
        (None, None) => fact("Shown", "is not in this file".to_owned()),
    }
    if let Some(amendment) = &about.amendment {
        let label = format!(
            "Asked for instead: amendment {}, good once until {}",
            amendment.number,
            time(amendment.expires_at)
        );
        text(&label, &amendment.text);
    } else if !about.reason.is_empty() && !is_said {
        text("Reason", &about.reason);
    }
    for ran in &about.ran {
        match (ran.text.as_str(), ran.cut) {
            ("", true) => fact("Ran", "is too large for this file".to_owned()),
            ("", false) => {}
            (said, true) => text("Ran (shortened)", said),
            (said, false) => text("Ran", said),
        }
    }
    EvidenceSection {
        heading: format!("Approval {number}"),
        facts,
        texts,
        points: Vec::new(),
    }
}

fn entries_section(entries: &[EntryEvidence]) -> EvidenceSection {
    let line = |entry: &EntryEvidence| {
        let outcome = match entry.about {
            0 => String::new(),
            about => format!(", outcome of entry {about}: {}", entry.outcome),
        };
        let hash = match &entry.whole {
            Some(whole) => &whole.hash,
            None => "without a hash",
        };
        let what = format!(
            "{}, {}: {}{outcome}\n{hash}",
            time(entry.at),
            entry.name,
            entry.action,
        );
        (format!("Entry {}", entry.number), what)
    };
    EvidenceSection {
        heading: "Entries of the audit log".to_owned(),
        facts: entries.iter().map(line).collect(),
        ..EvidenceSection::default()
    }
}
