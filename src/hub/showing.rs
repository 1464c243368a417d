//! What the task of a conversation shows: to followers frame by frame, to the list, to whoever looks.

use super::follower::{encode, queue};
use super::keeper::Keeper;
use super::question::Waiting;
use super::{Follower, HubError, view};
use crate::journal::Known;
use crate::live::{ConversationSummary, FromServer, SessionView, Verdict};
use crate::render::{RowView, notice_in_words};
use std::sync::Arc;

/// A follower who missed more rows than this takes a fresh picture, which is smaller.
const REPLAY: u32 = 200;

impl Keeper {
    pub(super) fn rows_frame(&self, rows: Vec<RowView>) -> FromServer {
        FromServer::Rows {
            conversation: self.described.id.clone(),
            seq: self.seq,
            rows,
        }
    }

    fn session_frame(&self, session: &SessionView) -> FromServer {
        FromServer::Session {
            conversation: self.described.id.clone(),
            session: Box::new(session.clone()),
        }
    }

    /// What changed behind the cursor, and everything from now on. As this task appends, too, nothing
    /// can fall in between.
    pub(super) async fn follow(&mut self, after: i64) -> Result<Follower, HubError> {
        let id = self.described.id.clone();
        let changed = self.hub.journal().changed_since(&id, after, REPLAY).await?;
        let verdict = if changed.is_some() {
            Verdict::Ok
        } else {
            Verdict::Gap
        };
        let watching = self.watching.upgrade();
        let (queue, follower) = queue(&id, verdict, watching);
        queue.push(&encode(&FromServer::Verdict {
            conversation: id.clone(),
            verdict,
        }));
        if let Some(changed) = changed {
            if !changed.rows.is_empty() {
                let rows = self.hub.render(&id, changed.rows).await?;
                queue.push(&encode(&self.rows_frame(rows)));
            }
            queue.push(&encode(&self.session_frame(&self.session_view())));
            if self.is_writing() {
                queue.push(&encode(&self.drafts_frame()));
            }
            self.followers.push(queue);
        } else {
            queue.finish();
        }
        Ok(follower)
    }

    /// Tells followers and the list what is so now, if it differs from what they know.
    pub(super) fn tell(&mut self) {
        let session = self.session_view();
        if session != **self.shown.borrow() {
            let frame = encode(&self.session_frame(&session));
            self.followers.retain(|follower| follower.push(&frame));
            self.shown.send_replace(Arc::new(session));
        }
        self.hub.summary_is(self.summary());
    }

    pub(super) fn session_view(&self) -> SessionView {
        let session = &self.session;
        let runtime = view::runtime_now(session, self.runtime);
        SessionView {
            title: view::title(&session.title, &self.described.title),
            status: view::status_now(&session.status, runtime),
            reason: session.reason.clone(),
            runtime,
            line: self.line_state.clone(),
            metrics: session.metrics.clone(),
            tasks: session.tasks.clone(),
            approval: self.open_question().map(Waiting::view),
            notice: (self.hint.as_ref())
                .or(session.notice.as_ref())
                .map(notice_in_words),
            outbox: (self.outbox.iter())
                .map(|message| view::outgoing(message, self.approval.is_some()))
                .collect(),
            about: session.about.clone(),
            model: (*session.model).clone(),
            policy: (*session.policy).clone(),
            analyzer: (*session.analyzer).clone(),
            goal: (*session.goal).clone(),
            tags: self.described.tags.clone(),
        }
    }

    /// What waits for an answer. A runtime that is down waits for nothing.
    fn open_question(&self) -> Option<&Waiting> {
        self.approval.as_ref().filter(|_| view::is_up(self.runtime))
    }

    fn summary(&self) -> ConversationSummary {
        let known = Known {
            described: self.described.clone(),
            session: self.session.clone(),
            excerpt: self.excerpt.clone(),
            seq: self.seq,
            complete_to: self.complete_to,
        };
        let mut summary = view::summary(&known);
        // What is answered does not wait for a person any more.
        summary.waiting = 0;
        if let Some(waiting) = self.open_question().filter(|waiting| waiting.is_open()) {
            summary.waiting = waiting.count();
            summary.excerpt = waiting.excerpt();
        }
        summary
    }
}
