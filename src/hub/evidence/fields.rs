//! The fields of evidence, made of what the journal has.

use super::answers::{Found, FoundAnswer, Log, answer_of};
use super::{
    AmendmentEvidence, AnswerEvidence, AnswerMeans, ApprovalAbout, ApprovalEvidence, EntryEvidence,
    FirstEvidence, RanEvidence, ShownEvidence, WholeEntry,
};
use crate::conversation::{Card, Row};
use crate::hub::markdown::{one_line, what_ran_in_words};
use crate::hub::parts::approval::Amendable;
use crate::journal::{
    ApprovalState, AuditEntry, Edit, LinkedEntry, PastAmendment, PastApproval, TOUCHED,
    TOUCHED_AMENDMENT,
};
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

    pub(super) fn masks(&self) -> bool {
        self.0.is_some()
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

    /// A text in which these secrets are masked, too, in each form that they may have in it; `None` if it has none. The
    /// longest goes first, and what else looks like a secret last, because the rest of one that is masked in part is not found.
    fn without(&self, text: &str, secrets: &[String]) -> Option<String> {
        let forms = secrets.iter().flat_map(|secret| {
            // A line has no space at its ends.
            let secret = secret.trim();
            let quoted = serde_json::to_string(secret).expect("a string is plain data");
            let quoted = quoted[1..quoted.len() - 1].to_owned();
            [
                one_line(&quoted),
                one_line(secret),
                quoted,
                secret.to_owned(),
            ]
        });
        let mut forms: Vec<String> = forms.filter(|form| !form.is_empty()).collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        let masked = forms.iter().fold(Cow::Borrowed(text), |text, form| {
            match text.contains(form) {
                true => Cow::Owned(text.replace(form, MASKED)),
                false => text,
            }
        });
        let masked = self.text(&masked);
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
    pub(super) found: Found,
    /// Rows of its calls, masked, and how many of them there are.
    pub(super) rows: Vec<Row>,
    pub(super) wanted: usize,
    /// Secrets of the events of these rows; `None` if not all of them were read.
    pub(super) secrets: Option<Vec<String>>,
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
    let Known {
        past, found, rows, ..
    } = known;
    let first = found.first.map(|(first, touch)| FirstEvidence {
        entry: log.number(first),
        touch: touch.map(|touch| log.number(touch)),
        by: log.entry(first).name.clone(),
    });
    // What was stored and kept back is superseded, and its entry says why.
    let is_kept_back = |answer: &FoundAnswer| {
        past.state == ApprovalState::Superseded.word() && !log.is_done(answer.begun)
    };
    let was_sent = found.answer.as_ref().is_some_and(|own| !is_kept_back(own));
    let answer = found.answer.map(|found| answer(&found, log, mask));
    let mut ran = Vec::new();
    if was_sent && answer.as_ref().is_some_and(|answer| answer.approved) {
        ran.extend(rows.iter().map(|row| what_ran(row, mask)));
        ran.resize_with(ran.len().max(known.wanted), RanEvidence::too_large);
    }
    let (shown, masked_text) = match (past.shown, known.secrets) {
        (Some(shown), Some(secrets)) => match mask.without(&shown.shown, &secrets) {
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
        _ => (None, None),
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

fn answer(found: &FoundAnswer, log: &Log, mask: &Mask) -> AnswerEvidence {
    let begun = log.entry(found.begun);
    let (approved, means) = answer_of(&begun.action).expect("the log finds answers alone");
    let number = |place: Option<usize>| place.map(|place| log.number(place));
    AnswerEvidence {
        entry: log.number(found.begun),
        ended: number(found.ended),
        second: number(found.second),
        touch: number(found.touch),
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
        let is_signed = [TOUCHED, TOUCHED_AMENDMENT].contains(&&*entry.action);
        let has_secret = (mask.hides(&entry.detail) && !is_signed) || mask.hides(&entry.outcome);
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
