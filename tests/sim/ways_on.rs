//! Nothing stops for good: what waits can be answered or discarded, or is over.

use crate::clock;
use crate::page::Page;
use crate::people::caller;
use crate::run::Run;
use crate::world::{Conversation, State, lock};
use handrail::hub::HubError;
use handrail::live::{Decision, OutboxState};

impl Run {
    /// Whether a page shows an approval for which the agent still waits as being answered.
    pub fn is_stuck(&self, one: &Conversation, page: &Page) -> Option<String> {
        if self.disk_failed || one.state != State::Asking || !one.up {
            return None;
        }
        let session = page.session.as_ref()?;
        let approval = session.approval.as_ref();
        match approval {
            Some(approval) if !approval.answering => None,
            _ => Some(format!(
                "{} waits for an approval that nobody can answer: {:?}",
                one.id,
                approval.map(|approval| &approval.token)
            )),
        }
    }

    /// Checks that a person can answer each approval, and discard each message that has failed.
    pub async fn check_ways_on(&mut self) {
        if self.disk_failed {
            return;
        }
        // Each approval was visible for long enough.
        clock::pass(1_000).await;
        self.refresh_pages();
        let mut wrong = None;
        for page in self.pages.iter().filter(|page| page.person == 0) {
            let (waits, is_gone) = {
                let world = lock(&self.world);
                let one = &world.conversations[page.at];
                let is_gone = one.gone || self.deleted.contains(&page.at);
                (one.up && one.state == State::Asking, is_gone)
            };
            let Some(session) = page.session.as_ref().filter(|_| !is_gone) else {
                continue;
            };
            let (by, hub) = (caller(0), self.hub().clone());
            for message in &session.outbox {
                let is_failed = matches!(
                    message.state,
                    OutboxState::Failed | OutboxState::Indeterminate
                );
                let discarded =
                    hub.commands
                        .resolve_failed(&by, &page.id, &message.client_id, false);
                if is_failed && let Err(error) = discarded.await
                    // Another page of the same conversation has discarded it.
                    && !matches!(error, HubError::NotFound(_))
                {
                    wrong = Some(format!(
                        "{} cannot be discarded in {}: {error}",
                        message.client_id, page.id
                    ));
                }
            }
            let Some(approval) = session.approval.as_ref().filter(|_| waits) else {
                continue;
            };
            // A connection may rest before its next attempt, and says so.
            for attempt in 1..=12 {
                let rejected =
                    hub.commands
                        .answer(&by, &page.id, &approval.token, Decision::Reject, "");
                match rejected.await {
                    Ok(()) | Err(HubError::AnsweredBefore { .. } | HubError::Superseded) => break,
                    Err(error) if attempt == 12 => {
                        wrong = Some(format!("{} cannot be answered: {error}", page.id));
                    }
                    Err(_) => clock::pass(5_000).await,
                }
            }
            clock::pass(30_000).await;
            let world = lock(&self.world);
            let one = &world.conversations[page.at];
            let asked: Vec<&String> = one.asked.iter().map(|call| &call.key).collect();
            let shown = self.tokens.get(&approval.token).map(|(_, marks)| marks);
            let is_same = one
                .asked
                .iter()
                .any(|call| shown.is_some_and(|marks| marks.contains(&call.mark)));
            if wrong.is_none() && is_same {
                wrong = Some(format!(
                    "{} still waits for {asked:?} after an answer",
                    page.id
                ));
            }
        }
        if let Some(wrong) = wrong {
            lock(&self.world).is_wrong(wrong);
        }
    }
}
