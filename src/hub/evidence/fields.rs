//! The fields of evidence, made of what the journal has.

use super::answers::{Found, Log, answer_of};
use super::{
    AmendmentEvidence, AnswerEvidence, AnswerMeans, ApprovalAbout, ApprovalEvidence, EntryEvidence,
    FirstEvidence, RanEvidence, ShownEvidence, WholeEntry,
};
use crate::conversation::{Card, Row};
use crate::hub::markdown::what_ran_in_words;
use crate::hub::parts::approval::Amendable;
use crate::journal::{ApprovalState, AuditEntry, Edit, LinkedEntry, PastAmendment, PastApproval};
use crate::render::Masker;
use crate::sync::lock;
use std::borrow::Cow;
use std::sync::{Arc, Mutex};

/// Longest text about what ran, in characters.
const RAN: usize = 8_000;
/// What stands for a secret of an event in the text that was shown of it.
const MASKED: &str = "[masked]";

/// Masks secrets, if that is wanted.
#[derive(Clone)]
pub(super) struct Mask(Option<Arc<Masker>>);

impl Mask {
    pub(super) fn new(masker: Option<Masker>) -> Self {
        Self(masker.map(Arc::new))
    }

    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.0 {
            Some(masker) => masker.text(text),
            None => Cow::Borrowed(text),
        }
    }

    fn hides(&self, text: &str) -> bool {
        self.text(text) != text
    }

    /// A text in which these secrets are masked, too; `None` if it has none.
    fn without(&self, text: &str, secrets: &[String]) -> Option<String> {
        let masked = secrets.iter().fold(self.text(text), |text, secret| {
            match text.contains(secret.as_str()) {
                true => Cow::Owned(text.replace(secret, MASKED)),
                false => text,
            }
        });
        (masked != text).then(|| masked.into_owned())
    }

    /// Masks events before they are folded, and keeps what it has found.
    pub(super) fn edit(&self) -> (Option<Arc<Edit>>, Arc<Mutex<Vec<String>>>) {
        let found = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&found);
        let edit = self.0.clone().map(|masker| -> Arc<Edit> {
            Arc::new(move |raw: &str| {
                masker.event(raw, |_, secret| lock(&keep).push(secret.to_owned()))
            })
        });
        (edit, found)
    }
}

/// An approval with what the log and the timeline have about it.
pub(super) struct Known {
    pub(super) past: PastApproval,
    /// Rows of its calls, masked, and how many of them there are.
    pub(super) rows: Vec<Row>,
    pub(super) wanted: usize,
    /// Secrets of the events of these rows.
    pub(super) secrets: Vec<String>,
    pub(super) as_amended: Option<bool>,
}

/// The number of the amendment that has given an answer.
pub(super) fn amendment_of(entry: &AuditEntry) -> Option<i64> {
    let is_amendment = answer_of(&entry.action) == Some((true, AnswerMeans::Amendment));
    let number = entry.detail.strip_prefix("amendment ");
    number.filter(|_| is_amendment)?.parse().ok()
}

pub(super) fn approval(
    known: Known,
    amendment: Option<PastAmendment>,
    log: &Log,
    mask: &Mask,
) -> ApprovalEvidence {
    let Known { past, rows, .. } = &known;
    // What was not sent can still be answered.
    let found = log.answer(past);
    let found = found.filter(|_| past.state != ApprovalState::Open.word());
    let answer = found.map(|found| answer(&found, mask));
    let first = log.first(past).map(|first| FirstEvidence {
        entry: first.number,
        by: first.entry.name.clone(),
    });
    let mut ran = Vec::new();
    if answer.as_ref().is_some_and(|answer| answer.approved) {
        ran.extend(rows.iter().map(|row| what_ran(row, mask)));
        ran.resize_with(ran.len().max(known.wanted), RanEvidence::too_large);
    }
    let past = known.past;
    let (shown, masked_text) = match past.shown {
        Some(shown) => match mask.without(&shown.shown, &known.secrets) {
            None if !mask.hides(&shown.calls) => {
                let shown = ShownEvidence {
                    calls: shown.calls,
                    content: shown.content,
                    text: shown.shown,
                };
                (Some(shown), None)
            }
            masked => (None, Some(masked.unwrap_or(shown.shown))),
        },
        None => (None, None),
    };
    let amendment = amendment.and_then(|made| {
        Some(AmendmentEvidence {
            number: made.number,
            text: mask.text(&Amendable::text_in(&made.action)?).into_owned(),
            made_at: made.made_at,
            expires_at: made.expires_at,
        })
    });
    ApprovalEvidence {
        token: past.token,
        shown,
        first,
        answer,
        unchecked: ApprovalAbout {
            asked_at: past.asked_at,
            state: past.state,
            reason: mask.text(&past.reason).into_owned(),
            masked_text,
            amendment,
            as_amended: known.as_amended,
            ran,
        },
    }
}

fn answer(found: &Found<'_>, mask: &Mask) -> AnswerEvidence {
    let begun = &found.begun.entry;
    let (approved, means) = answer_of(&begun.action).expect("the log finds answers alone");
    AnswerEvidence {
        entry: found.begun.number,
        ended: found.ended.map(|end| end.number),
        second: found.second.map(|second| second.number),
        approved,
        means,
        by: begun.name.clone(),
        detail: mask.text(&begun.detail).into_owned(),
    }
}

pub(super) fn weight(approval: &ApprovalEvidence) -> usize {
    let shown = approval.shown.as_ref();
    let shown = shown.map_or(0, |shown| shown.text.len() + shown.calls.len());
    let about = &approval.unchecked;
    let ran: usize = about.ran.iter().map(|ran| ran.text.len()).sum();
    shown + ran + about.masked_text.as_ref().map_or(0, String::len)
}

fn what_ran(row: &Row, mask: &Mask) -> RanEvidence {
    let text = match &row.card {
        Card::Call(call) => what_ran_in_words(call),
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

/// The entries as they are in the file. None has a hash that is computed from the hash of one that is not whole.
pub(super) fn entries(log: Log, is_owner: bool, mask: &Mask) -> Vec<EntryEvidence> {
    let mut last: Option<(i64, bool)> = None;
    let entries = log.into_entries().into_iter();
    let entries = entries.map(|LinkedEntry { record, before }| {
        let entry = record.entry;
        let last_whole = last.filter(|(number, _)| number + 1 == record.number);
        let last_whole = last_whole.map(|(_, is_whole)| is_whole);
        let has_secret = mask.hides(&entry.detail) || mask.hides(&entry.outcome);
        let is_whole = is_owner && !has_secret && last_whole != Some(false);
        last = Some((record.number, is_whole));
        EntryEvidence {
            number: record.number,
            at: entry.at,
            name: entry.name,
            action: entry.action,
            digest: entry.digest,
            outcome: mask.text(&entry.outcome).into_owned(),
            about: entry.about,
            whole: is_whole.then(|| WholeEntry {
                before: Some(before).filter(|_| last_whole.is_none() && record.number > 1),
                hash: record.hash,
                person: entry.person,
                address: entry.address,
                detail: entry.detail,
            }),
        }
    });
    entries.collect()
}
