//! What waits for a yes or a no, exactly as it is shown.
//!
//! A token is the hash of the conversation, of the calls that wait and of everything that is shown of them.
//! If any of it changes, the question is another one.

use super::HubError;
use super::keeper::Keeper;
use crate::conversation::PendingConfirmation;
use crate::journal::{ApprovalState, Question, digest};
use crate::live::ApprovalView;
use crate::render::{CardView, RowView};
use tokio::time::Instant;

/// 0.62 carries a call that it does not hold back out at once, and once more after a yes
/// (`protocol/v0.md` section 6).
const NOT_HELD: &str =
    "OpenHands has already carried this out; approving runs it again, rejecting does not undo it.";
/// Said when an answer may or may not have arrived.
const UNSURE: &str = "An answer was sent, but it is not known whether it arrived. If this still waits, answer again.";
/// What waits.
pub(super) struct Waiting {
    pub(super) pending: PendingConfirmation,
    pub(super) token: String,
    pub(super) state: ApprovalState,
    rows: Vec<RowView>,
    /// When the backend took the answer.
    pub(super) taken_at: Option<Instant>,
}

impl Waiting {
    pub(super) fn view(&self) -> ApprovalView {
        let mut words = Vec::new();
        if self.pending.calls.iter().any(|call| !call.held) {
            words.push(NOT_HELD);
        }
        if self.state == ApprovalState::Indeterminate {
            words.push(UNSURE);
        }
        ApprovalView {
            token: self.token.clone(),
            rows: self.rows.clone(),
            caution: (!words.is_empty()).then(|| words.join(" ")),
            answering: !self.is_open(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state.is_open()
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.pending.calls.len()).unwrap_or(u32::MAX)
    }

    /// What waits, in one line.
    pub(super) fn excerpt(&self) -> String {
        match self.rows.first().map(|row| &row.card) {
            Some(CardView::Step(step)) => format!("{} {}", step.verb, step.subject),
            _ => "Waits for your answer".to_owned(),
        }
    }
}

impl Keeper {
    /// Brings what is asked up to date after events touched these rows.
    pub(super) async fn look_for_questions(&mut self, touched: &[i64]) {
        let pending = self
            .session
            .pending
            .clone()
            .filter(|pending| !pending.calls.is_empty());
        let Some(pending) = pending else {
            if self.approval.take().is_some()
                && let Err(error) = self.hub.journal().nothing_asked(&self.described.id).await
            {
                tracing::warn!(conversation = self.id(), %error, "an old question could not be closed");
            }
            return;
        };
        let same = self
            .approval
            .as_ref()
            .is_some_and(|waiting| waiting.pending == pending);
        if same && !pending.calls.iter().any(|call| touched.contains(&call.row)) {
            return;
        }
        match self.put_question(&pending).await {
            Ok(waiting) => self.approval = Some(waiting),
            // Nothing can be answered that could not be stored.
            Err(error) => {
                self.approval = None;
                tracing::error!(conversation = self.id(), %error, "what waits could not be stored");
            }
        }
    }

    async fn put_question(&self, pending: &PendingConfirmation) -> Result<Waiting, HubError> {
        let id = &self.described.id;
        let ids = pending.calls.iter().map(|call| call.row).collect();
        let rows = self.hub.journal().rows_by_id(id, ids).await?;
        // All that is shown comes from this. Colours do not count: how far highlighting gets depends on how
        // busy the machine is.
        let content = format!("{rows:?}");
        let rows = self.hub.render_whole(id, rows).await?;
        let shown = serde_json::to_string(&rows).expect("views are plain data");
        let asked: Vec<(&str, &str)> = pending
            .calls
            .iter()
            .map(|call| (call.key.as_str(), call.fingerprint.as_str()))
            .collect();
        let asked = serde_json::to_string(&asked).expect("texts are plain data");
        let question = Question {
            question: digest(&[], &[id, &asked]),
            token: digest(&[], &[id, &asked, &content]),
            shown,
        };
        let standing = self.hub.journal().ask(id, question, super::now()).await?;
        let before = self
            .approval
            .as_ref()
            .filter(|waiting| waiting.token == standing.token);
        Ok(Waiting {
            pending: pending.clone(),
            token: standing.token,
            state: standing.state,
            taken_at: before.and_then(|waiting| waiting.taken_at),
            rows,
        })
    }
}
