//! Messages that come back on the timeline: that, and nothing else, proves that they arrived.

use super::keeper::Keeper;
use crate::conversation::{Actor, Body};
use crate::journal::{Outgoing, OutgoingState, Stored};

impl Keeper {
    /// Clears messages that have come back on the timeline.
    pub(super) async fn came_back(&mut self, new: &[Stored]) {
        for event in new {
            let Body::Message(said) = &event.item.body else {
                continue;
            };
            if event.item.from != Actor::Human {
                continue;
            }
            let sent = |state| {
                matches!(
                    state,
                    OutgoingState::Sending | OutgoingState::Sent | OutgoingState::Indeterminate
                )
            };
            let fits = self.outbox.iter().filter(|message| {
                sent(message.state)
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
            } else if let Some(starter) = self.hub.opened_with(&self.described.id, &said.text) {
                self.sign(rows, &starter).await;
            }
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
