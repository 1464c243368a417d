//! Stores received events in the journal and sends them to all followers, in one step.
//!
//! Invariant: everything that a follower receives is stored, and nothing else happens in between.

use super::state::ConversationActor;
use crate::backend::ReceivedEvent;
use crate::clock::now;
use crate::conversation::{Actor, Body, PendingConfirmation, Tone};
use crate::hub::HubResult;
use crate::hub::changes::Since;
use crate::hub::markdown::in_words;
use crate::hub::parts::approval::{Amendable, Asked, Refresh, reading};
use crate::hub::parts::link::LinkEvent;
use crate::hub::parts::log::Batch;
use crate::hub::parts::outbox::shows_a_run;
use crate::journal::{AppendedRows, Author, NewReading, OutgoingState, Stored};
use crate::render::RowView;
use crate::rules::VERSION;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::time::Instant;

/// Events that are stored in one transaction: enough for a replay, few enough that a click in between is not delayed.
pub(super) const BATCH: usize = 256;

impl ConversationActor {
    /// Stores all events that have arrived so far.
    pub(super) async fn catch_up(&mut self) {
        let mut batch = Vec::with_capacity(BATCH);
        // Events that arrive during this wait for their turn, or a flood would hold up everything else.
        let mut left = self.upstream.arrivals.len();
        while left > 0 && !self.upstream.arrivals.is_empty() {
            let arrivals = &mut self.upstream.arrivals;
            let count = arrivals.recv_many(&mut batch, left.min(BATCH)).await;
            self.ingest(std::mem::take(&mut batch)).await;
            left -= count.min(left);
        }
    }

    pub(super) async fn ingest(&mut self, received: Vec<ReceivedEvent>) {
        self.followers.is_changed = true;
        let connection = self.upstream.connection.as_ref();
        let live = connection.filter(|own| own.is_live());
        // It is asked first: what it counted as handed over before is in the channel, or here.
        let through = live.map(|connection| *connection.contiguous_through.borrow());
        let is_live = live.is_some();
        let through = through.filter(|_| self.upstream.arrivals.is_empty());
        self.upstream
            .writing
            .apply_events(received.iter().map(|event| &event.item));
        let Batch { entries, complete } = self.log.batch(received, through);
        let held = Some(self.log.held());
        let stored = self
            .journal()
            .append_after(self.id(), held, entries, complete, now());
        match stored.await {
            Ok(appended) => {
                let (new, changed) = self.log.appended(appended, complete);
                if !new.is_empty() {
                    self.hand_out(&new, changed, is_live).await;
                }
            }
            Err(error) => {
                tracing::error!(conversation = self.id(), %error, "events could not be stored");
                let text =
                    "Handrail cannot store new events and keeps trying. The disk may be full.";
                self.controls.say(Tone::Bad, text);
                self.upstream.forget_arrivals();
                self.drive(LinkEvent::NotStored);
            }
        }
    }

    async fn hand_out(&mut self, new: &[Stored], mut changed: AppendedRows, is_live: bool) {
        for event in new {
            let body = &event.item.body;
            tracing::debug!(conversation = self.id(), seq = event.seq, row = event.row, from = ?event.item.from, "event");
            self.controls.on_event(body);
            match body {
                Body::Title(title) => self.log.meta_mut().title.clone_from(title),
                // An agent that reports a status has a sandbox: the backend is polled at once.
                Body::Status { status, .. }
                    if status.can_pause() && self.link.runtime().is_coming_up() =>
                {
                    self.drive(LinkEvent::AgentSpoke);
                }
                _ => {}
            }
        }
        if new.iter().any(|event| shows_a_run(&event.item)) {
            let changes = &self.context.list.changes;
            changes.note(self.id(), Since::WORKED);
        }
        if is_live {
            self.log.meta_mut().updated_at = now();
        }
        self.activity.needed_at = Instant::now();
        self.activity.last_event_at = self.activity.needed_at;
        // Before the rows go out: they say who wrote them.
        let delivered = self.confirm_delivered(new, &mut changed.authors).await;
        let touched: Vec<i64> = changed.rows.iter().map(|row| row.id).collect();
        if self.followers.is_there() && !touched.is_empty() {
            match self.context.renderer.appended(self.id(), changed).await {
                // Together: a page shows a delivered message once, and it does not jump.
                Ok(rows) if delivered => self.tell_with(rows),
                Ok(rows) => {
                    let frame = self.rows_frame(rows, None);
                    self.followers.tell(&frame);
                }
                // If the rows cannot be rendered now, followers start with a new snapshot.
                Err(_) => self.followers.break_off(),
            }
        }
        self.observed.newest.send_replace(self.log.seq());
        if delivered {
            self.tell();
        }
        self.sync_approval(&touched).await;
    }

    /// Clears messages that have come back on the timeline, once it is certain that the agent reads them, and adds their
    /// authors to those of rows. Returns whether there were any.
    async fn confirm_delivered(
        &mut self,
        new: &[Stored],
        authors: &mut HashMap<i64, Author>,
    ) -> bool {
        let mut delivered = false;
        let separate_runs = self.capabilities().separate_runs;
        if new.iter().any(|event| shows_a_run(&event.item)) {
            self.all_read().await;
        }
        for (at, event) in new.iter().enumerate() {
            let Some(message) = self.outbox.on_event(event.seq, &event.item) else {
                continue;
            };
            let (client_id, by) = (message.client_id.clone(), message.by.clone());
            // Its receipt comes after the run was started.
            let is_unread = separate_runs
                && message.state != OutgoingState::Sent
                && !new[at..].iter().any(|later| shows_a_run(&later.item));
            let state = match is_unread {
                true => OutgoingState::Unread,
                false => OutgoingState::Done,
            };
            if event.item.from == Actor::Human && !by.is_empty() {
                self.sign(event.row.into_iter().collect(), &by).await;
                let author = Author {
                    name: by,
                    waited: None,
                    by_rule: false,
                    first: String::new(),
                    amended: false,
                    unanswered: String::new(),
                    touched: false,
                };
                authors.extend(event.row.map(|row| (row, author)));
            }
            self.mark(&client_id, state, "").await;
            delivered = true;
        }
        delivered
    }

    /// Brings the pending approval up to date after events touched these rows.
    pub(super) async fn sync_approval(&mut self, touched: &[i64]) {
        let pending = self.log.session().pending.as_ref();
        match self.approval.refresh(pending, touched) {
            Refresh::Keep => {}
            Refresh::Close => {
                // Again: what the same events have changed may have been told already.
                self.followers.is_changed = true;
                self.approval.close();
                if let Err(error) = self.journal().nothing_asked(self.id()).await {
                    tracing::warn!(conversation = self.id(), %error, "an old approval could not be closed");
                }
            }
            Refresh::Ask(calls) => {
                self.followers.is_changed = true;
                if let Err(error) = self.ask(calls).await {
                    // Nothing can be answered that could not be stored.
                    self.approval.close();
                    tracing::error!(conversation = self.id(), %error, "a pending approval could not be stored");
                }
            }
        }
    }

    async fn ask(&mut self, calls: PendingConfirmation) -> HubResult {
        self.settle_unsure().await?;
        let mut ids: Vec<i64> = calls.calls.iter().map(|call| call.row).collect();
        ids.dedup();
        let wanted = ids.len();
        let rows = self.journal().rows_by_id(self.id(), ids).await?;
        let is_complete = rows.len() == wanted;
        let reading = reading(&calls, &rows);
        let amendable = Amendable::of(&calls, &rows);
        // Everything shown, except colours: how far highlighting gets depends on how busy the machine is.
        let content = format!("{rows:?}");
        let text = in_words(&rows);
        let renderer = &self.context.renderer;
        let whole = renderer.whole(self.id(), rows.clone()).await?;
        let rows: Vec<RowView> = renderer.asked(self.id(), rows).await?;
        let asked = Asked::new(
            self.id(),
            calls,
            reading,
            (&content, text),
            &whole,
            rows,
            is_complete,
        )
        .with(amendable);
        drop(whole);
        let (question, text) = (asked.question.clone(), asked.text.clone());
        let deadlines = Arc::clone(&self.context.deadlines);
        let time = deadlines.clock.read().await?;
        let standing = self.journal().ask(self.id(), question, time.at.now).await?;
        drop(time);
        let (stored, token) = (standing.state, standing.token.clone());
        let read = NewReading {
            token: token.clone(),
            row: asked.first_row(),
            version: VERSION,
            reading: serde_json::to_string(&asked.reading).expect("readings are plain data"),
        };
        self.journal().keep_reading(self.id(), read).await?;
        if text.token == token {
            self.journal().keep_shown(self.id(), text).await?;
        }
        let now = Instant::now().into_std();
        let before = self.approval.pending();
        let is_new = before.is_none_or(|before| before.token() != token);
        let state = self.approval.ask(asked, standing, now);
        if state != stored {
            self.keep_answer(&token, state).await;
        }
        if is_new {
            self.look_for_rule(&token).await;
        }
        Ok(())
    }

    /// Notes how far a message is. `false` when it could not be stored.
    pub(super) async fn mark(&mut self, client_id: &str, state: OutgoingState, why: &str) -> bool {
        let seq = self.log.seq();
        let journal = self.journal();
        let marked = journal.mark_message(self.id(), client_id, state, why, seq);
        let stored = marked.await;
        if let Err(error) = &stored {
            tracing::error!(conversation = self.id(), %error, "the delivery state of a message could not be stored");
            if state == OutgoingState::Sending {
                return false;
            }
        }
        self.outbox.mark(client_id, state, why, seq);
        self.followers.is_changed = true;
        stored.is_ok()
    }

    /// Stores the author of rows, if the name is known.
    pub(super) async fn sign(&self, rows: Vec<i64>, by: &str) {
        if by.is_empty() || rows.is_empty() {
            return;
        }
        let signed = self.journal().sign_rows(self.id(), rows, by).await;
        if let Err(error) = signed {
            tracing::warn!(conversation = self.id(), %error, "the author of a row could not be stored");
        }
    }
}
