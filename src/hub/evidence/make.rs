//! Makes evidence of a conversation.

use super::{
    About, AnswerEvidence, ApprovalAbout, ApprovalEvidence, EVIDENCE_FORMAT, EntryEvidence,
    Evidence, PrivateEvidence, RanEvidence, ShownEvidence,
};
use crate::clock::now;
use crate::conversation::{Card, Row};
use crate::hub::export::Exports;
use crate::hub::markdown::markdown;
use crate::hub::{HubResult, permit};
use crate::journal::{LinkedEntry, PastApproval};
use crate::live::Secrets;
use crate::people::{Caller, Right};
use crate::render::Masker;
use std::borrow::Cow;
use std::collections::HashMap;

/// Most approvals and entries in a file, and bytes of text.
const MOST_APPROVALS: usize = 2_000;
const MOST_ENTRIES: usize = 20_000;
const MOST_TEXT: usize = 16 << 20;
/// What is read at a time.
const PAGE: u32 = 100;
const ENTRIES: u32 = 500;
/// Longest text about what ran, in characters.
const RAN: usize = 8_000;

/// What entries say that answer approvals.
const ANSWERS: [(&str, bool, bool); 4] = [
    ("approve", true, false),
    ("reject", false, false),
    ("approve by rule", true, true),
    ("reject unanswered", false, false),
];

/// Whether an action is an answer: whether it approves, and whether a rule gave it.
pub(super) fn answer_of(action: &str) -> Option<(bool, bool)> {
    let known = ANSWERS.iter().find(|(word, ..)| *word == action);
    known.map(|(_, approves, by_rule)| (*approves, *by_rule))
}

/// Masks secrets, if that is wanted.
struct Mask(Option<Masker>);

impl Mask {
    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.0 {
            Some(masker) => masker.text(text),
            None => Cow::Borrowed(text),
        }
    }

    fn hides(&self, text: &str) -> bool {
        self.text(text) != text
    }
}

impl Exports {
    /// Evidence of what was approved in a conversation, as far as the caller may know it: owners get entries of the audit log
    /// whole.
    pub async fn evidence(&self, by: &Caller, id: &str, secrets: Secrets) -> HubResult<Evidence> {
        let title = self.title_for(id, secrets).await?;
        let mask = Mask((secrets == Secrets::Mask).then(|| self.masker()));
        let is_owner = by.may(Right::Own);
        let (head_number, head_hash) = self.journal.audit_head().await?;
        let (entries, all_entries) = self.entries_for_evidence(id, is_owner, &mask).await?;
        let (approvals, all_approvals) = self.approvals_for_evidence(id, &entries, &mask).await?;
        Ok(Evidence {
            format: EVIDENCE_FORMAT.to_owned(),
            conversation: id.to_owned(),
            approvals,
            entries,
            unchecked: About {
                title,
                made_at: now(),
                head_number,
                head_hash,
                masked: mask.0.is_some(),
                complete: all_entries && all_approvals,
            },
        })
    }

    /// The entries about a conversation, and whether these are all: for others than owners those of answers alone.
    async fn entries_for_evidence(
        &self,
        id: &str,
        is_owner: bool,
        mask: &Mask,
    ) -> HubResult<(Vec<EntryEvidence>, bool)> {
        let (mut entries, mut after) = (Vec::new(), 0);
        loop {
            let making = permit(&self.making).await;
            let page = self.journal.linked_entries(id, after, ENTRIES).await?;
            drop(making);
            let Some(last) = page.last() else {
                return Ok((entries, true));
            };
            after = last.record.number;
            for linked in page {
                let is_shown = is_owner || answer_of(&linked.record.entry.action).is_some();
                if is_shown {
                    entries.push(entry(linked, is_owner, mask));
                }
            }
            if entries.len() >= MOST_ENTRIES {
                entries.truncate(MOST_ENTRIES);
                return Ok((entries, false));
            }
        }
    }

    /// The approvals of a conversation, and whether these are all.
    async fn approvals_for_evidence(
        &self,
        id: &str,
        entries: &[EntryEvidence],
        mask: &Mask,
    ) -> HubResult<(Vec<ApprovalEvidence>, bool)> {
        let (mut approvals, mut text) = (Vec::new(), 0);
        let mut after = (i64::MIN, String::new());
        loop {
            let making = permit(&self.making).await;
            let page = self
                .journal
                .approvals_after(id, after.clone(), PAGE)
                .await?;
            let Some(last) = page.last() else {
                return Ok((approvals, true));
            };
            after = (last.asked_at, last.token.clone());
            for past in page {
                let made = self.approval_for_evidence(id, past, entries, mask).await?;
                text += weight(&made);
                approvals.push(made);
                if approvals.len() >= MOST_APPROVALS || text > MOST_TEXT {
                    return Ok((approvals, false));
                }
            }
            drop(making);
        }
    }

    async fn approval_for_evidence(
        &self,
        id: &str,
        past: PastApproval,
        entries: &[EntryEvidence],
        mask: &Mask,
    ) -> HubResult<ApprovalEvidence> {
        let answer = answer(&past, entries);
        let approves = answer.as_ref().is_some_and(|answer| answer.approved);
        let ran = match &past.shown {
            Some(shown) if approves => self.ran(id, &shown.calls, mask).await?,
            _ => Vec::new(),
        };
        let (shown, masked_text) = match past.shown {
            Some(shown) if mask.hides(&shown.shown) || mask.hides(&shown.calls) => {
                (None, Some(mask.text(&shown.shown).into_owned()))
            }
            Some(shown) => {
                let shown = ShownEvidence {
                    calls: shown.calls,
                    content: shown.content,
                    text: shown.shown,
                };
                (Some(shown), None)
            }
            None => (None, None),
        };
        Ok(ApprovalEvidence {
            token: past.token,
            shown,
            answer,
            unchecked: ApprovalAbout {
                asked_at: past.asked_at,
                state: past.state,
                reason: mask.text(&past.reason).into_owned(),
                masked_text,
                ran,
            },
        })
    }

    /// What became of the calls of an approval.
    async fn ran(&self, id: &str, calls: &str, mask: &Mask) -> HubResult<Vec<RanEvidence>> {
        let calls: Vec<(String, String)> = serde_json::from_str(calls).unwrap_or_default();
        let keys = calls.into_iter().map(|(key, _)| key).collect();
        let rows = self.journal.rows_of_keys(id, keys).await?;
        let rows = self.journal.rows_by_id(id, rows).await?;
        Ok(rows.iter().map(|row| ran(row, mask)).collect())
    }
}

fn weight(approval: &ApprovalEvidence) -> usize {
    let shown = approval.shown.as_ref();
    let shown = shown.map_or(0, |shown| shown.text.len() + shown.calls.len());
    let about = &approval.unchecked;
    let ran: usize = about.ran.iter().map(|ran| ran.text.len()).sum();
    shown + ran + about.masked_text.as_ref().map_or(0, String::len)
}

fn ran(row: &Row, mask: &Mask) -> RanEvidence {
    let text = match &row.card {
        Card::Call(_) => markdown(std::slice::from_ref(row)),
        _ => String::new(),
    };
    let text = mask.text(&text);
    let end = text.char_indices().nth(RAN).map(|(at, _)| at);
    RanEvidence {
        row: row.id,
        cut: end.is_some(),
        text: text[..end.unwrap_or(text.len())].to_owned(),
    }
}

/// The answer that counted: the last that the log has for this token and that agrees with what was stored.
fn answer(past: &PastApproval, entries: &[EntryEvidence]) -> Option<AnswerEvidence> {
    let approved = past.approved?;
    let ended: HashMap<i64, &EntryEvidence> = entries
        .iter()
        .filter(|entry| entry.about > 0)
        .map(|entry| (entry.about, entry))
        .collect();
    let fits = |entry: &&EntryEvidence| {
        entry.about == 0
            && entry.digest == past.token
            && answer_of(&entry.action).is_some_and(|(approves, _)| approves == approved)
    };
    let begun = entries.iter().rev().filter(fits);
    // What succeeded goes before what was tried.
    let is_done = |entry: &&EntryEvidence| {
        let end = ended.get(&entry.number);
        end.is_some_and(|end| end.outcome == crate::journal::AUDIT_DONE)
    };
    let begun: Vec<&EntryEvidence> = begun.collect();
    let first = begun.iter().copied().find(|entry| is_done(entry));
    let entry = first.or_else(|| begun.first().copied())?;
    let (approved, by_rule) = answer_of(&entry.action)?;
    Some(AnswerEvidence {
        entry: entry.number,
        ended: ended.get(&entry.number).map(|end| end.number),
        approved,
        by_rule,
        by: entry.name.clone(),
    })
}

fn entry(linked: LinkedEntry, is_owner: bool, mask: &Mask) -> EntryEvidence {
    let LinkedEntry { record, before } = linked;
    let entry = record.entry;
    let is_whole = is_owner && !mask.hides(&entry.detail);
    EntryEvidence {
        number: record.number,
        before,
        hash: record.hash,
        at: entry.at,
        name: entry.name,
        action: entry.action,
        digest: entry.digest,
        outcome: entry.outcome,
        about: entry.about,
        private: is_whole.then_some(PrivateEvidence {
            person: entry.person,
            address: entry.address,
            detail: entry.detail,
        }),
    }
}
