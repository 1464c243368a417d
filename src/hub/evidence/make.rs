//! Makes evidence of a conversation: reads what it needs, under the permits of exports.
//!
//! Approvals are read before the log, so that the log has the answer of each. Long texts are folded, masked and written on
//! other threads.

use super::answers::{Found, Log, is_about_approvals};
use super::fields::{Known, Mask, amendment_of, approval, entries, weight};
use super::limits::not_proven;
use super::{About, ApprovalEvidence, EVIDENCE_FORMAT, Evidence};
use crate::clock::now;
use crate::conversation::Row;
use crate::hub::export::Exports;
use crate::hub::parts::approval::Amendable;
use crate::hub::{HubError, HubResult, compute, permit};
use crate::journal::{PastAmendment, PastApproval};
use crate::live::Secrets;
use crate::people::{Caller, Right};
use crate::sync::lock;
use std::collections::HashMap;

/// Most approvals and entries in a file, and bytes of text.
const MOST_APPROVALS: u32 = 2_000;
const MOST_ENTRIES: usize = 20_000;
const MOST_TEXT: usize = 16 << 20;
/// What is read at a time.
const PAGE: u32 = 100;
const ENTRIES: u32 = 500;

impl Exports {
    /// Evidence of what was approved in a conversation, written as `form` does, as far as the caller may know it: owners get
    /// entries of the audit log whole.
    pub async fn evidence(
        &self,
        by: &Caller,
        id: &str,
        secrets: Secrets,
        form: fn(&Evidence) -> String,
    ) -> HubResult<String> {
        let title = self.title_for(id, secrets).await?;
        let mask = Mask::new((secrets == Secrets::Mask).then(|| self.masker()));
        let is_owner = by.may(Right::Own);
        let (past, all_past) = self.past_approvals(id).await?;
        let (log, all_entries) = self.log_for_evidence(id, is_owner).await?;
        let amendments = self.journal.amendments_of(id, MOST_APPROVALS).await?;
        let (approvals, log, all_fit) = self
            .approvals_for_evidence(id, past, log, amendments, &mask)
            .await?;
        let mut evidence = Evidence {
            format: EVIDENCE_FORMAT.to_owned(),
            conversation: id.to_owned(),
            approvals,
            entries: Vec::new(),
            not_proven: Vec::new(),
            unchecked: About {
                title,
                made_at: now(),
                masked: secrets == Secrets::Mask,
                complete: all_past && all_entries && all_fit,
            },
        };
        let _making = permit(&self.making).await;
        compute(move || {
            evidence.entries = entries(log, is_owner, &mask);
            evidence.not_proven = not_proven(&evidence);
            form(&evidence)
        })
        .await
    }

    /// The approvals of a conversation, and whether these are all.
    async fn past_approvals(&self, id: &str) -> HubResult<(Vec<PastApproval>, bool)> {
        let (mut approvals, mut text) = (Vec::new(), 0);
        let mut after = (i64::MIN, String::new());
        loop {
            let making = permit(&self.making).await;
            let page = self.journal.approvals_after(id, after, PAGE).await?;
            drop(making);
            let Some(last) = page.last() else {
                return Ok((approvals, true));
            };
            after = (last.asked_at, last.token.clone());
            for past in page {
                text += past.shown.as_ref().map_or(0, |shown| shown.shown.len());
                approvals.push(past);
                if approvals.len() >= MOST_APPROVALS as usize || text > MOST_TEXT {
                    return Ok((approvals, false));
                }
            }
        }
    }

    /// The entries about a conversation, and whether these are all: for others than owners those about approvals alone.
    async fn log_for_evidence(&self, id: &str, is_owner: bool) -> HubResult<(Log, bool)> {
        let (mut entries, mut after) = (Vec::new(), 0);
        loop {
            let making = permit(&self.making).await;
            let mut page = self.journal.linked_entries(id, after, ENTRIES).await?;
            drop(making);
            let Some(last) = page.last() else {
                return Ok((Log::of(entries), true));
            };
            after = last.record.number;
            page.retain(|linked| is_owner || is_about_approvals(&linked.record.entry.action));
            entries.append(&mut page);
            if entries.len() >= MOST_ENTRIES {
                entries.truncate(MOST_ENTRIES);
                return Ok((Log::of(entries), false));
            }
        }
    }

    /// The approvals as they are in the file, the log, and whether all of them fitted.
    async fn approvals_for_evidence(
        &self,
        id: &str,
        past: Vec<PastApproval>,
        mut log: Log,
        amendments: Vec<PastAmendment>,
        mask: &Mask,
    ) -> HubResult<(Vec<ApprovalEvidence>, Log, bool)> {
        let (mut approvals, mut text) = (Vec::new(), 0);
        let by_number = amendments
            .iter()
            .map(|one| (one.number, one.action.clone()));
        let actions: HashMap<i64, String> = by_number.collect();
        let by_token = amendments.into_iter().map(|one| (one.token.clone(), one));
        let mut amendments: HashMap<String, PastAmendment> = by_token.collect();
        for past in past {
            if text > MOST_TEXT {
                return Ok((approvals, log, false));
            }
            let _making = permit(&self.making).await;
            let found = log.find(&past);
            let answer = found.answer.as_ref();
            let amended = answer.and_then(|own| amendment_of(log.entry(own.begun)));
            let amended = amended.and_then(|number| actions.get(&number));
            let known = self
                .known_for_evidence(id, (past, found), amended, mask)
                .await?;
            let (amendment, mask) = (amendments.remove(&known.past.token), mask.clone());
            let made = compute(move || (approval(known, amendment, &log, &mask), log));
            let (made, back) = made.await?;
            log = back;
            text += weight(&made);
            approvals.push(made);
        }
        Ok((approvals, log, true))
    }

    /// An approval with what the timeline has about it; `amended` is the action of the amendment that has answered it.
    async fn known_for_evidence(
        &self,
        id: &str,
        (past, found): (PastApproval, Found),
        amended: Option<&String>,
        mask: &Mask,
    ) -> HubResult<Known> {
        let calls = past.shown.as_ref().map(|shown| shown.calls.as_str());
        let calls: Vec<(String, String)> = calls
            .and_then(|calls| serde_json::from_str(calls).ok())
            .unwrap_or_default();
        let asked = calls.len();
        let keys = calls.into_iter().map(|(key, _)| key).collect();
        let ids = self.journal.rows_of_keys(id, keys).await?;
        let (wanted, masks) = (ids.len(), mask.masks());
        let edited = async |mask: &Mask| {
            let (edit, secrets) = mask.edit();
            let rows = self.journal.edited_rows(id, ids.clone(), edit).await?;
            let secrets = std::mem::take(&mut *lock(&secrets));
            Ok::<_, HubError>((rows, secrets))
        };
        let (rows, secrets) = edited(mask).await?;
        let as_amended = match amended {
            Some(action) => {
                let unmasked = match masks {
                    true => &edited(&Mask::new(None)).await?.0,
                    false => &rows,
                };
                let is_it =
                    |row: &Row| Amendable::in_row(row).is_some_and(|row| row.action() == *action);
                Some(matches!(&unmasked[..], [row] if is_it(row)))
            }
            None => None,
        };
        let is_all_read = rows.len() >= asked;
        Ok(Known {
            past,
            found,
            rows,
            wanted,
            secrets: Some(secrets).filter(|_| is_all_read || !masks),
            as_amended,
        })
    }
}
