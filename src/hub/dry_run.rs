//! What a rule would have answered: the history, judged as what is pending is judged.

use super::rules::{RuleInForce, Rules};
use crate::conversation::Risk;
use crate::journal::ReadRecord;
use crate::live::{DryRun, RefusedView};
use crate::rules::{Reading, Understood};
use std::collections::HashMap;

/// Rejected questions that are named.
const MOST_NAMED: usize = 10;

impl Rules {
    /// What a rule would have answered.
    pub(super) fn run(&self, rule: &RuleInForce, questions: &[(&ReadRecord, Reading)]) -> DryRun {
        let mut run = DryRun::default();
        let mut applies = HashMap::new();
        for (record, reading) in questions {
            let id = record.conversation.as_str();
            let repository = record.repository.as_deref();
            if !*applies
                .entry(id)
                .or_insert_with(|| self.applies(rule, id, repository))
            {
                continue;
            }
            run.asked += 1;
            if !rule.covers(reading) {
                continue;
            }
            run.answered += 1;
            run.unrated += u32::from(reading.is_unrated());
            run.medium += u32::from(reading.highest() == Risk::Medium);
            if record.approved == Some(false) {
                run.refused += 1;
                run.rejected.push(RefusedView {
                    conversation: record.conversation.clone(),
                    title: String::new(),
                    row: record.row,
                    pos: record.pos,
                    at: record.asked_at,
                    what: excerpt(reading),
                });
            }
        }
        // The newest are named.
        let older = run.rejected.len().saturating_sub(MOST_NAMED);
        run.rejected.drain(..older);
        run.rejected.reverse();
        run
    }
}

/// Each question once, as it was asked last.
pub(super) fn questions(records: &[ReadRecord]) -> Vec<(&ReadRecord, Reading)> {
    let mut last: HashMap<(&str, &str), usize> = HashMap::new();
    for (at, record) in records.iter().enumerate() {
        last.insert((&record.conversation, &record.question), at);
    }
    let mut places: Vec<usize> = last.into_values().collect();
    places.sort_unstable();
    let question = |at: usize| {
        let record = &records[at];
        let reading = serde_json::from_str(&record.reading).unwrap_or_default();
        (record, reading)
    };
    places.into_iter().map(question).collect()
}

/// What was asked for, in a line.
fn excerpt(reading: &Reading) -> String {
    let what = reading.understood().and_then(|all| match all.first()? {
        Understood::Commands(commands) => {
            let commands: Vec<String> = commands.iter().map(|words| words.join(" ")).collect();
            Some(commands.join(" … "))
        }
        Understood::Edit(path) | Understood::View(path) => Some(path.clone()),
        Understood::Tool(name) => Some(name.clone()),
    });
    what.unwrap_or_default().chars().take(120).collect()
}
