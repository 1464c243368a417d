//! The pending approval of a conversation, exactly as it is shown, and the outcomes of answers to it.
//!
//! A token is the hash of the conversation, of the pending calls and of everything that is shown of them. If any of
//! this changes, it is another approval. An answer that may have arrived is never resent automatically.
//!
//! Long because all changes of the state of an approval are here.

mod amending;
mod asked;

pub use amending::Amendable;
pub use asked::{Asked, rating, reading, repeated, token_of};

use crate::backend::Delivery;
use crate::conversation::PendingConfirmation;
use crate::hub::{HubError, HubResult};
use crate::journal::{Approval, ApprovalState, FirstApproval};
use crate::live::{ApprovalView, CareView, Decision};
use crate::people::Authority;
use crate::render::{CardView, RowView, is_whole};
use crate::rules::Reading;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// An answer that was taken takes effect within this time; else its outcome is unknown.
const EFFECT: Duration = Duration::from_secs(15);
/// 0.62 executes at once what it does not hold, and again after an approval (`docs/protocol/v0.md` section 6).
const NOT_HELD: &str = "OpenHands already did this. Approving repeats it; rejecting won't undo it.";
/// Shown when an answer may or may not have arrived.
const UNSURE: &str =
    "A decision was sent but may not have gone through. If this is still pending, decide again.";

/// The approval that a conversation waits for, if any.
#[derive(Default)]
pub struct PendingApproval {
    pending: Option<Pending>,
    /// Tokens of the answers that are on their way.
    leaving: HashSet<String>,
}

/// Calls that wait for an answer.
pub struct Pending {
    calls: PendingConfirmation,
    token: String,
    state: ApprovalState,
    /// An earlier answer may have arrived.
    may_have_arrived: bool,
    rows: Vec<RowView>,
    /// Rows of which the card shows a part.
    in_part: Vec<i64>,
    /// Which of these were sent in full, and to whom.
    handed_out: HashSet<(i64, String)>,
    /// Not even "Show all" shows all of it.
    too_large: bool,
    /// When the backend took the answer.
    taken_at: Option<Instant>,
    reading: Reading,
    /// Who has approved, where a second person has to.
    first: Option<FirstApproval>,
    /// The action, if people can amend it.
    amendable: Option<Amendable>,
}

/// What to do after events have changed rows.
pub enum Refresh {
    /// It is still the same.
    Keep,
    /// No action is pending any more.
    Close,
    /// These calls wait, and are to be rendered and stored.
    Ask(PendingConfirmation),
}

/// What a delivery means for an approval.
pub struct Outcome {
    /// How it is now, to be stored.
    pub state: ApprovalState,
    /// Rows that were not answered after all.
    pub unsign: Vec<i64>,
    /// The response to the user.
    pub result: HubResult,
}

impl PendingApproval {
    pub fn pending(&self) -> Option<&Pending> {
        self.pending.as_ref()
    }

    /// Whether the calls that wait are others than those that are shown, or `touched` rows are among them.
    pub fn refresh(&self, calls: Option<&PendingConfirmation>, touched: &[i64]) -> Refresh {
        let Some(calls) = calls.filter(|calls| !calls.calls.is_empty()) else {
            return match self.pending {
                Some(_) => Refresh::Close,
                None => Refresh::Keep,
            };
        };
        let is_same = self.pending.as_ref().is_some_and(|own| own.calls == *calls);
        match is_same && !calls.calls.iter().any(|call| touched.contains(&call.row)) {
            true => Refresh::Keep,
            false => Refresh::Ask(calls.clone()),
        }
    }

    /// Closes the approval: no action is pending, or the pending one could not be stored and so cannot be answered.
    pub fn close(&mut self) {
        self.pending = None;
    }

    /// Takes over a stored approval. `standing` says whether it was answered before. Returns its state, to be stored if it
    /// is another one: an answer that was on its way when a former task or process ended has an unknown outcome, and one
    /// that was taken then has one if it takes no effect from `now` on.
    pub fn ask(&mut self, asked: Asked, standing: Approval, now: Instant) -> ApprovalState {
        let before = self.pending.take();
        let before = before.filter(|before| before.token == standing.token);
        let might_have_arrived = before
            .as_ref()
            .is_some_and(|before| before.may_have_arrived);
        let is_lost =
            standing.state == ApprovalState::Sent && !self.leaving.contains(&standing.token);
        let state = match is_lost {
            true => ApprovalState::Indeterminate,
            false => standing.state,
        };
        let is_taken = matches!(state, ApprovalState::Approved | ApprovalState::Rejected);
        let taken_at = before.as_ref().and_then(|before| before.taken_at);
        let taken_at = taken_at.or_else(|| is_taken.then_some(now));
        let in_part = asked.rows.iter().filter(|row| !is_whole(row));
        self.pending = Some(Pending {
            in_part: in_part.map(|row| row.id).collect(),
            calls: asked.calls,
            token: standing.token,
            state,
            may_have_arrived: might_have_arrived || state == ApprovalState::Indeterminate,
            rows: asked.rows,
            handed_out: before.map(|before| before.handed_out).unwrap_or_default(),
            too_large: asked.too_large,
            taken_at,
            reading: asked.reading,
            first: standing.first,
            amendable: asked.amendable,
        });
        state
    }

    /// What was read of the approval with this token, if a rule may answer it: nobody has answered, nothing may have arrived,
    /// and everything was understood.
    pub fn for_rules(&self, token: &str) -> Option<&Reading> {
        let pending = self.free(token)?;
        let is_known = pending.reading.understood().is_some();
        is_known.then_some(&pending.reading)
    }

    /// The approval with this token, if nobody has answered it and nothing may have arrived.
    pub fn free(&self, token: &str) -> Option<&Pending> {
        let pending = self.named(token)?;
        let is_free = pending.state == ApprovalState::Open && !pending.may_have_arrived;
        is_free.then_some(pending)
    }

    /// What a person asks for instead of the pending action.
    ///
    /// Errors: [`HubError::Superseded`] if it is not pending any more, [`HubError::Invalid`] if nothing can be asked for
    /// instead.
    pub fn amended(&self, token: &str, text: &str) -> HubResult<Amendable> {
        let pending = self.named(token).filter(|pending| pending.is_open());
        let pending = pending.ok_or(HubError::Superseded)?;
        let Some(amendable) = &pending.amendable else {
            let why = "Nothing was sent: this action cannot be amended. Reject it with a reason.";
            return Err(HubError::Invalid(why.to_owned()));
        };
        let amended = amendable.with(text);
        amended.map_err(|why| HubError::Invalid(why.to_owned()))
    }

    /// A person was handed a row with all that it holds.
    pub fn hand_out(&mut self, row: i64, by: &str) {
        if let Some(pending) = self.pending.as_mut()
            && pending.in_part.contains(&row)
        {
            pending.handed_out.insert((row, by.to_owned()));
        }
    }

    /// Checks an answer to the pending approval; `seen` says whether the user saw it long enough. Other tokens are
    /// looked up in the journal.
    ///
    /// Errors: [`HubError::TooSoon`] unless it was `seen`, [`HubError::Invalid`] if `by` did not get all of it.
    pub fn claim(&self, token: &str, decision: Decision, by: &str, seen: bool) -> HubResult<bool> {
        let Some(pending) = self.named(token).filter(|pending| pending.is_open()) else {
            return Ok(false);
        };
        if !seen {
            return Err(HubError::TooSoon);
        }
        if decision == Decision::Approve {
            pending.check_shown(by)?;
        }
        Ok(true)
    }

    /// Somebody has approved, and a second person has to; or that does not count any more.
    pub fn first_is(&mut self, token: &str, first: Option<FirstApproval>) {
        if let Some(pending) = self.pending.as_mut().filter(|own| own.token == token) {
            pending.first = first;
        }
    }

    pub fn sent(&mut self, token: &str) {
        self.leaving.insert(token.to_owned());
        self.set(token, ApprovalState::Sent);
    }

    /// The action of an answer that was stored is no longer pending: the answer stays here.
    pub fn kept_back(&mut self, token: &str) {
        self.leaving.remove(token);
    }

    pub fn on_delivery(
        &mut self,
        token: &str,
        decision: Decision,
        delivery: Delivery,
        now: Instant,
    ) -> Outcome {
        self.leaving.remove(token);
        let (state, result) = match delivery {
            Delivery::Confirmed if decision == Decision::Approve => {
                (ApprovalState::Approved, Ok(()))
            }
            Delivery::Confirmed => (ApprovalState::Rejected, Ok(())),
            Delivery::NotSent(why) | Delivery::NotYet(why) => {
                (self.not_sent(token), Err(HubError::NotSent(why)))
            }
            Delivery::Unknown(why) => {
                let result = Err(HubError::Indeterminate(why));
                (ApprovalState::Indeterminate, result)
            }
        };
        self.set(token, state);
        let mut unsign = Vec::new();
        if let Some(pending) = self.pending.as_mut().filter(|own| own.token == token) {
            match state {
                ApprovalState::Open => unsign = pending.row_ids(),
                _ if result.is_ok() => pending.taken_at = Some(now),
                _ => {}
            }
        }
        Outcome {
            state,
            unsign,
            result,
        }
    }

    /// The token of an answer that was taken and has changed nothing: its outcome is unknown from now on.
    pub fn expire(&mut self, now: Instant) -> Option<String> {
        let since = |at| now.saturating_duration_since(at);
        let pending = self.pending.as_ref()?;
        let is_late = pending.taken_at.is_some_and(|at| since(at) >= EFFECT);
        let token = pending.token.clone();
        (is_late && !pending.is_open()).then(|| {
            self.set(&token, ApprovalState::Indeterminate);
            token
        })
    }

    /// The state of an approval whose answer has not left: an earlier one may still have arrived, and the action may no
    /// longer be pending.
    pub fn not_sent(&self, token: &str) -> ApprovalState {
        match self.named(token) {
            Some(pending) if pending.may_have_arrived => ApprovalState::Indeterminate,
            Some(_) => ApprovalState::Open,
            None => ApprovalState::Superseded,
        }
    }

    fn set(&mut self, token: &str, state: ApprovalState) {
        if let Some(pending) = self.pending.as_mut().filter(|own| own.token == token) {
            pending.state = state;
            pending.may_have_arrived |= state == ApprovalState::Indeterminate;
            pending.taken_at = None;
        }
    }

    fn named(&self, token: &str) -> Option<&Pending> {
        self.pending.as_ref().filter(|own| own.token == token)
    }
}

impl Pending {
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Whether a user can answer: no answer is being sent.
    pub fn is_open(&self) -> bool {
        self.state.is_open()
    }

    /// The keys of the calls: what an approval is about.
    pub fn keys(&self) -> Vec<String> {
        let calls = self.calls.calls.iter();
        calls.map(|call| call.key.clone()).collect()
    }

    pub fn row_ids(&self) -> Vec<i64> {
        self.calls.calls.iter().map(|call| call.row).collect()
    }

    pub fn count(&self) -> u32 {
        u32::try_from(self.calls.calls.len()).unwrap_or(u32::MAX)
    }

    /// The pending action, in one line.
    pub fn excerpt(&self) -> String {
        match self.rows.first().map(|row| &row.card) {
            Some(CardView::Step(step)) => format!("{} {}", step.verb, step.subject),
            _ => "Waiting for approval".to_owned(),
        }
    }

    /// The action, if people can amend it.
    pub fn amendable(&self) -> Option<&Amendable> {
        self.amendable.as_ref()
    }

    /// What was read of its actions.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// Who has approved, where a second person has to.
    pub fn first(&self) -> Option<&FirstApproval> {
        self.first.as_ref()
    }

    /// Who has approved and is not needed any more, where a second person has to; or empty.
    pub fn approved_by(&self, authority: Authority) -> &str {
        let first = self
            .first()
            .filter(|_| authority.needs_two(rating(&self.reading)));
        first.map_or("", |first| &first.name)
    }

    /// As it is shown; `touch` says whether approving it needs a touch of a passkey.
    pub fn view(&self, authority: Authority, touch: bool) -> ApprovalView {
        let mut words = Vec::new();
        if self.calls.calls.iter().any(|call| !call.held) {
            words.push(NOT_HELD);
        }
        if self.state == ApprovalState::Indeterminate {
            words.push(UNSURE);
        }
        let rating = rating(&self.reading);
        let needs_two = authority.needs_two(rating);
        ApprovalView {
            token: self.token.clone(),
            rows: self.rows.clone(),
            caution: (!words.is_empty()).then(|| words.join(" ")),
            answering: !self.is_open(),
            ruled: self.reading.understood().is_some() && !needs_two && !touch,
            touch,
            amend: self.amendable().map(|one| one.text().to_owned()),
            care: authority.covers(rating).then(|| CareView {
                least: authority.least,
                two: authority.two,
                first: self.approved_by(authority).to_owned(),
            }),
            escalation: None,
        }
    }

    /// Rejects an approval by a user to whom a part of the action was never shown.
    fn check_shown(&self, by: &str) -> HubResult {
        let was_shown = |row: &i64| self.handed_out.contains(&(*row, by.to_owned()));
        let why = if self.too_large {
            "Nothing was sent: this is too large to be shown in full, so it cannot be approved here. Reject it."
        } else if !self.in_part.iter().all(was_shown) {
            "Nothing was sent: not all of the action is shown. Press “Show all”, then approve."
        } else {
            return Ok(());
        };
        Err(HubError::Invalid(why.to_owned()))
    }
}
