//! Output of the actor: frames for followers, list entries, and snapshots for pages.

use super::state::ConversationActor;
use crate::backend::Runtime;
use crate::conversation::{Notice, SANDBOX_NOT_STARTED, Status, Tone};
use crate::hub::follower::{encode, queue, verdict_frame};
use crate::hub::message::CloseReason;
use crate::hub::parts::approval::Pending;
use crate::hub::parts::controls::notice;
use crate::hub::{Follower, HubResult, view};
use crate::journal::OutgoingState;
use crate::live::{
    ApprovalView, ConversationSummary, EscalationView, FromServer, SessionView, UNREAD, Verdict,
};
use crate::render::{RowView, notice_in_words, reason_in_words};
use std::sync::Arc;

/// A follower that missed more rows gets a new snapshot, which is smaller.
const REPLAY: u32 = 200;

/// Minutes without an event after which a running agent may be stuck.
const SILENCE: u64 = 5;

impl ConversationActor {
    /// Changes behind the cursor, and all from now on: the actor appends, too, so nothing falls in between.
    pub(super) async fn follow(&mut self, person: i64, after: i64) -> HubResult<Follower> {
        let id = self.id().to_owned();
        let changed = self.journal().changed_since(&id, after, REPLAY).await?;
        let verdict = match changed {
            Some(_) => Verdict::Ok,
            None => Verdict::Gap,
        };
        let watching = self.activity.watching.upgrade();
        let (queue, follower) = queue(&id, verdict, person, watching);
        queue.push(&verdict_frame(&id, verdict));
        let Some(changed) = changed else {
            queue.finish();
            return Ok(follower);
        };
        let rows = match changed.rows.is_empty() {
            true => Vec::new(),
            false => self.context.renderer.rows(&id, changed.rows).await?,
        };
        let session = self.session_view();
        self.handed_out(&session, [person]);
        if let Some(frame) = self.frame(rows, Some(session)) {
            queue.push(&encode(&frame));
        }
        if !self.upstream.writing.views().is_empty() {
            queue.push(&encode(&self.drafts_frame()));
        }
        self.followers.push(queue);
        Ok(follower)
    }

    /// Sends the current state to followers and the list, if it has changed.
    pub(super) fn tell(&mut self) {
        self.tell_with(Vec::new());
    }

    /// Sends rows to followers, in one frame with the current state if that has changed.
    pub(super) fn tell_with(&mut self, rows: Vec<RowView>) {
        let is_changed = std::mem::take(&mut self.followers.is_changed);
        let session = is_changed.then(|| self.news()).flatten();
        if let Some(frame) = self.frame(rows, session) {
            self.followers.tell(&frame);
        }
        if is_changed {
            let summary = self.summary();
            let of_journal = view::summary(self.log.known()) == summary;
            let seq = of_journal.then(|| self.log.seq());
            self.context.list.summary_is(summary, seq, None);
        }
    }

    /// The current state, if followers do not know it yet.
    fn news(&mut self) -> Option<SessionView> {
        let session = self.session_view();
        let session = self.followers.sees(session)?;
        self.handed_out(&session, self.followers.people());
        self.observed.session.send_replace(Arc::clone(&session));
        Some((*session).clone())
    }

    /// One frame for both, if there is any of them.
    fn frame(&self, rows: Vec<RowView>, session: Option<SessionView>) -> Option<FromServer> {
        match session {
            Some(session) if rows.is_empty() => Some(self.session_frame(session)),
            None if rows.is_empty() => None,
            session => Some(self.rows_frame(rows, session)),
        }
    }

    pub(super) fn tell_drafts(&mut self) {
        let frame = self.drafts_frame();
        self.followers.tell(&frame);
    }

    fn drafts_frame(&self) -> FromServer {
        FromServer::Drafts {
            conversation: self.id().to_owned(),
            drafts: self.upstream.writing.views(),
        }
    }

    /// Tells everybody that the conversation is over for them.
    pub(super) fn end(&mut self, why: CloseReason) {
        self.upstream.connection = None;
        self.upstream.backfilling.cancel();
        match why {
            CloseReason::Deleted => self.followers.finish(&encode(&FromServer::Gone {
                conversation: self.id().to_owned(),
            })),
            CloseReason::Closed => self.followers.break_off(),
        }
    }

    pub(super) fn rows_frame(
        &self,
        rows: Vec<RowView>,
        session: Option<SessionView>,
    ) -> FromServer {
        FromServer::Rows {
            conversation: self.id().to_owned(),
            seq: self.log.seq(),
            rows,
            session: session.map(Box::new),
        }
    }

    fn session_frame(&self, session: SessionView) -> FromServer {
        FromServer::Session {
            conversation: self.id().to_owned(),
            session: Box::new(session),
        }
    }

    /// Remembers to which users the pending approval was shown.
    fn handed_out(&self, session: &SessionView, people: impl IntoIterator<Item = i64>) {
        if let Some(approval) = &session.approval {
            for person in people {
                self.context.seen.handed_out(person, &approval.token);
            }
        }
    }

    pub(super) fn session_view(&mut self) -> SessionView {
        let is_down = self.link.is_down();
        let status = &self.log.session().status;
        let pausing = self.controls.is_pausing(status, is_down);
        let (session, meta) = (self.log.session(), self.log.meta());
        let runtime = self.runtime();
        let unread = self.unread();
        let (status, stuck) = (self.status(runtime), self.stuck(runtime));
        let until = match self.approval.pending() {
            _ if runtime != Runtime::Running => view::UNTIL_STARTED,
            Some(_) => view::UNTIL_ANSWERED,
            None => view::UNTIL_READY,
        };
        let notice = (self.controls.hint())
            .or(unread.as_ref())
            .or(session.notice.as_ref().filter(|notice| {
                // It is over once the sandbox comes up, or is started again.
                notice.code != SANDBOX_NOT_STARTED || runtime == Runtime::Error
            }))
            .or(stuck.as_ref());
        let authority = self.context.authorities.now();
        let shown = |pending: &Pending| pending.view(authority, self.needs_touch(pending));
        let outbox = self.outbox.messages().iter();
        let outbox = outbox.filter(|message| message.state != OutgoingState::Unread);
        let outbox = outbox.map(|message| view::outgoing(message, until));
        SessionView {
            title: view::title(&session.title, &meta.title),
            status,
            reason: reason_in_words(&session.reason).into_owned(),
            runtime,
            connection: self.link.state(),
            metrics: session.metrics.clone(),
            tasks: session.tasks.clone(),
            approval: self.open_approval().map(|pending| ApprovalView {
                escalation: self.escalation(pending).cloned(),
                ..shown(pending)
            }),
            budget: self.activity.budget.used_up.clone(),
            notice: notice.map(notice_in_words),
            pausing,
            outbox: outbox.collect(),
            about: session.about.clone(),
            model: (*session.model).clone(),
            policy: (*session.policy).clone(),
            asks_nobody: *session.asks_nobody,
            analyzer: (*session.analyzer).clone(),
            goal: (*session.goal).clone(),
            tags: meta.tags.clone(),
        }
    }

    /// That stored events cannot be read, and what that means.
    fn unread(&self) -> Option<Notice> {
        let why = match &self.upstream.connection {
            Some(connection) => connection.unread.borrow().clone(),
            None => self.link.unread().cloned(),
        };
        why.map(|why| {
            let text = format!(
                "The stored events of this conversation cannot be read: {why}. New events are shown. Handrail retries \
                 automatically. The OpenHands log may have details."
            );
            let code = UNREAD.to_owned();
            let warning = notice(Tone::Warning, &text);
            Notice { code, ..warning }
        })
    }

    /// The state of the sandbox to show.
    pub(super) fn runtime(&self) -> Runtime {
        self.sandbox
            .runtime(self.log.session(), self.link.runtime())
    }

    /// That the agent may be stuck.
    fn stuck(&self, runtime: Runtime) -> Option<Notice> {
        let stuck = view::stuck_now(self.log.session(), &self.status(runtime), self.silent_for());
        stuck.map(|text| notice(Tone::Warning, &text))
    }

    /// For how many minutes no event has arrived, if that is longer than an agent should be silent.
    pub(super) fn silent_for(&self) -> Option<u64> {
        let minutes = self.activity.last_event_at.elapsed().as_secs() / 60;
        (self.is_live() && minutes >= SILENCE).then_some(minutes)
    }

    /// The agent's status. It is unknown, not starting, if no event of the conversation could be read.
    fn status(&self, runtime: Runtime) -> Status {
        let session = self.log.session();
        let known = session.newest_pos.is_some() || session.status != Status::Loading;
        if !known && runtime == Runtime::Running && self.unread().is_some() {
            return Status::Other("Unknown".to_owned());
        }
        view::status_now(&session.status, runtime)
    }

    /// The pending approval. Without a sandbox nothing is pending.
    fn open_approval(&self) -> Option<&Pending> {
        let is_told = !self.link.is_down() && !self.is_ruled();
        self.approval.pending().filter(|_| is_told)
    }

    /// What happens to the pending approval if nobody answers.
    fn escalation(&self, pending: &Pending) -> Option<&EscalationView> {
        let shown = self.activity.deadline.shown(pending.token());
        shown.filter(|_| pending.is_open())
    }

    fn summary(&self) -> ConversationSummary {
        let mut summary = view::summary(self.log.known());
        summary.runtime = self.runtime();
        summary.status = self.status(summary.runtime);
        let silent = self.silent_for();
        let stuck = view::stuck_now(self.log.session(), &summary.status, silent);
        let mut summary = view::marked(summary, stuck);
        summary.lapsed = view::lapsed(self.log.session(), summary.runtime);
        // What is answered does not wait for a person any more.
        summary.waiting = 0;
        if let Some(pending) = self.open_approval().filter(|pending| pending.is_open()) {
            summary.waiting = pending.count();
            summary.excerpt = pending.excerpt();
            let authority = self.context.authorities.now();
            pending
                .approved_by(authority)
                .clone_into(&mut summary.approved_by);
            summary.escalation = self.escalation(pending).cloned();
        }
        summary
    }
}
