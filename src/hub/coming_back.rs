//! Messages that come back on the timeline: that, and nothing else, proves that they arrived.

use super::keeper::Keeper;
use crate::conversation::{Actor, Body};
use crate::journal::{Outgoing, OutgoingState, Stored};

impl Keeper {
    /// Clears messages that have come back on the timeline.
    pub(super) async fn came_back(&mut self, new: &[Stored]) {
        for event in new {
            if event.item.from == Actor::Agent {
                self.agent_acts(&event.item.body).await;
            }
            let Body::Message(said) = &event.item.body else {
                continue;
            };
            if event.item.from != Actor::Human {
                continue;
            }
            let sent = |message: &Outgoing| {
                message.is_opening()
                    || matches!(
                        message.state,
                        OutgoingState::Sending | OutgoingState::Sent | OutgoingState::Indeterminate
                    )
            };
            let fits = self.outbox.iter().filter(|message| {
                sent(message)
                    && event.seq > message.sent_after
                    && is_said(message, said.text.trim())
            });
            // Of two with the same words the one that is known to have arrived; the other stays in doubt.
            let back = fits.min_by_key(|message| message.state == OutgoingState::Indeterminate);
            let rows = event.row.into_iter().collect();
            if let Some((client_id, by)) =
                back.map(|message| (message.client_id.clone(), message.by.clone()))
            {
                self.sign(rows, &by).await;
                self.mark(&client_id, OutgoingState::Done, "").await;
            }
        }
    }

    /// An agent that acts has heard what its conversation was begun with, in whatever words that is on the timeline.
    async fn agent_acts(&mut self, body: &Body) {
        let opening = self.outbox.iter().find(|message| message.is_opening());
        if let Some(opening) = opening.map(|message| message.client_id.clone())
            && matches!(body, Body::Message(_) | Body::Call(_))
        {
            self.mark(&opening, OutgoingState::Done, "").await;
        }
    }

    /// Writes down whose these rows are. Without a name there is nothing to write.
    pub(super) async fn sign(&self, rows: Vec<i64>, by: &str) {
        if by.is_empty() || rows.is_empty() {
            return;
        }
        let signed = self
            .hub
            .journal()
            .sign_rows(&self.described.id, rows, by)
            .await;
        if let Err(error) = signed {
            tracing::warn!(conversation = self.id(), %error, "whose a row is could not be stored");
        }
    }
}

/// Whether a text is that of a message. Some backends name its files behind it.
fn is_said(message: &Outgoing, said: &str) -> bool {
    let text = message.text.trim();
    said == text || (!message.files.is_empty() && said.starts_with(text))
}
