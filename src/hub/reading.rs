//! Reading: snapshots of a conversation, pages of rows, and following.

use super::message::ActorMessage;
use super::support::invalid;
use super::{
    Actors, Catalogue, Follower, HubError, HubResult, Presence, Renderer, Seen, check_id, permit,
};
use crate::conversation::Kind;
use crate::journal::{Journal, LogEvent};
use crate::live::{
    ApprovalView, ConversationView, OutlineEntry, OutlineView, RowsView, SessionView, for_visitors,
};
use crate::people::{Caller, Role};
use crate::render::{RowView, is_whole};
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// Rows in the first picture: what fits on a large screen, twice.
const FIRST_ROWS: u32 = 60;
/// Messages on a page of an outline.
const OUTLINED: usize = 50;
/// Pages of rows that are drawn at a time, for everybody.
pub(super) const DRAWN_AT_ONCE: usize = 3;

/// What people read of a conversation.
pub struct Reader {
    pub(super) journal: Journal,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) actors: Arc<Actors>,
    pub(super) renderer: Renderer,
    pub(super) seen: Arc<Seen>,
    /// Who watches each conversation.
    pub presence: Presence,
    /// Limits how many windows of rows are read, folded and rendered at a time; each takes a few MiB.
    pub(super) drawing: Semaphore,
}

impl Reader {
    /// A conversation's newest rows and all beside them. Its `seq` is the cursor for [`Self::follow`].
    pub async fn open(&self, id: &str) -> HubResult<ConversationView> {
        let handle = self.actors.handle(id).await?;
        handle.first_loaded().await;
        let _drawing = permit(&self.drawing).await;
        let window = self.journal.window(id, FIRST_ROWS).await?;
        let window = window.ok_or(HubError::NotFound("conversation"))?;
        // The authors of the newest rows are stored right behind them: following begins at what has both.
        let seq = window.known.seq.min(*handle.newest.borrow());
        let session = (**handle.session.borrow()).clone();
        let backends = &self.catalogue.backends;
        Ok(ConversationView {
            id: id.to_owned(),
            seq,
            rows: self.renderer.rows(id, window.page.rows).await?,
            older: window.page.older,
            session,
            backend: backends.backend_view(&window.known.meta.backend),
            repository: window.known.meta.repository,
            branch: window.known.meta.branch,
            sharing: self.catalogue.list.sharings.of(id),
            role: None,
            here: Default::default(),
            since: None,
            archived: false,
        })
    }

    /// A snapshot of a conversation as a user may see it, to be sent to this user.
    ///
    /// # Errors
    /// [`HubError::NotFound`] if the user may not see the conversation any more.
    pub fn as_seen_by(&self, by: &Caller, view: ConversationView) -> HubResult<ConversationView> {
        Ok(match self.catalogue.list.sharings.role_in(by, &view.id) {
            None => return Err(HubError::NotFound("conversation")),
            Some(Role::Visitor) => view.for_visitors(),
            role => {
                if let Some(approval) = &view.session.approval {
                    self.seen.handed_out(by.person, &approval.token);
                }
                ConversationView {
                    here: self.presence.here(&view.id),
                    role,
                    ..view
                }
            }
        })
    }

    /// [`Self::as_seen_by`], for a user who opens the conversation: what the snapshot has counts as read.
    ///
    /// # Errors
    /// [`HubError::NotFound`] if the user may not see the conversation any more.
    pub async fn visit(&self, by: &Caller, view: ConversationView) -> HubResult<ConversationView> {
        let mut view = self.as_seen_by(by, view)?;
        view.archived = self.journal.is_archived(&view.id)?;
        let since = async {
            let unread = &self.catalogue.unread;
            match unread.visited(by, &view.id, view.seq).await? {
                Some(since) => self.new_since(&view, since).await,
                None => Ok(None),
            }
        };
        // The conversation can be read without it.
        view.since = since.await.unwrap_or_else(|error: HubError| {
            tracing::warn!(conversation = view.id, %error, "what is new for a reader is not known");
            None
        });
        Ok(view)
    }

    /// Rows as a user may see them.
    pub fn rows_as_seen_by(&self, by: &Caller, rows: Vec<RowView>) -> Vec<RowView> {
        match by.visit() {
            Some(_) => for_visitors(rows),
            None => rows,
        }
    }

    /// Follows a conversation from the cursor `after` on: encoded [`crate::live::FromServer`] frames, the
    /// verdict first. At most [`super::MOST_FRAMES`] frames and [`super::MOST_BYTES`] bytes wait for a
    /// reader; a slower one receives [`crate::live::Verdict::Gap`], and the stream ends.
    pub async fn follow(&self, by: &Caller, id: &str, after: i64) -> HubResult<Follower> {
        let follow = |reply| ActorMessage::Follow {
            person: by.person,
            after,
            reply,
        };
        self.actors.handle(id).await?.ask(follow).await
    }

    /// Rows before (`pos`, `id`); only those of one `kind` if it is given.
    pub async fn rows(
        &self,
        id: &str,
        before: Option<(i64, i64)>,
        kind: Option<Kind>,
        limit: u32,
    ) -> HubResult<RowsView> {
        check_id(id)?;
        let _drawing = permit(&self.drawing).await;
        let page = self.journal.rows(id, before, kind, limit).await?;
        Ok(RowsView {
            rows: self.renderer.rows(id, page.rows).await?,
            older: page.older,
            later: false,
        })
    }

    /// Rows after (`pos`, `id`), or from the beginning on, oldest first.
    pub async fn later_rows(
        &self,
        id: &str,
        after: Option<(i64, i64)>,
        limit: u32,
    ) -> HubResult<RowsView> {
        check_id(id)?;
        let _drawing = permit(&self.drawing).await;
        let from = after.unwrap_or((i64::MIN, i64::MIN));
        let rows = self.journal.rows_after(id, from, limit, None).await?;
        let later = match rows.last().map(|last| (last.pos, last.id)) {
            Some(last) => !(self.journal.rows_after(id, last, 1, None).await?).is_empty(),
            None => false,
        };
        Ok(RowsView {
            rows: self.renderer.rows(id, rows).await?,
            older: after.is_some(),
            later,
        })
    }

    /// The messages that people wrote, newest page first.
    pub async fn outline(&self, id: &str, before: Option<(i64, i64)>) -> HubResult<OutlineView> {
        check_id(id)?;
        let (asked, older) = self.journal.outline(id, before, OUTLINED).await?;
        let rows = asked.iter().map(|one| one.row).collect();
        let mut authors = self.journal.authors(id, rows).await?;
        let entries = asked.into_iter().map(|one| OutlineEntry {
            by: authors.remove(&one.row).map(|author| author.name),
            pos: one.pos,
            row: one.row,
            at: one.at,
            text: one.text,
        });
        let entries = entries.collect();
        Ok(OutlineView { entries, older })
    }

    /// A row with all that it holds.
    pub async fn whole_row(&self, by: &Caller, id: &str, row: i64) -> HubResult<RowView> {
        check_id(id)?;
        let _drawing = permit(&self.drawing).await;
        let found = self.journal.rows_by_id(id, vec![row]).await?.pop();
        let found = found.ok_or(HubError::NotFound("row"))?;
        let whole = self.renderer.whole_row(id, found).await?;
        let whole = whole.ok_or(HubError::NotFound("row"))?;
        if let Some(handle) = self.actors.open_handle(id) {
            let by = by.reader();
            // In a conversation that has just ended nothing waits.
            let _ = handle.tell(ActorMessage::HandedOut { row, by }).await;
        }
        Ok(whole)
    }

    /// A picture of an event: its media type and its bytes.
    pub async fn image(
        &self,
        id: &str,
        seq: i64,
        number: usize,
    ) -> HubResult<Option<(&'static str, Vec<u8>)>> {
        check_id(id)?;
        let picture = self.journal.picture(id, seq, number).await?;
        Ok(picture.map(|picture| (picture.media_type, picture.bytes)))
    }

    /// Up to `limit` events after `after`, and whether there are more; fewer where events are large.
    pub async fn event_page(
        &self,
        id: &str,
        after: i64,
        limit: usize,
    ) -> HubResult<(Vec<LogEvent>, bool)> {
        check_id(id)?;
        let _drawing = permit(&self.drawing).await;
        let events = self.journal.page_of_events(id, after, limit).await?;
        let last = events.last().map_or(after, |event| event.seq);
        let more = !events.is_empty() && self.journal.page_of_events(id, last, 1).await?.len() == 1;
        Ok((events, more))
    }

    /// The state of a conversation, now and later. By it nothing counts as shown to anybody. The first value keeps the
    /// connection to the backend open.
    pub async fn session(
        &self,
        id: &str,
    ) -> HubResult<(Arc<()>, watch::Receiver<Arc<SessionView>>)> {
        let handle = self.actors.handle(id).await?;
        handle.first_loaded().await;
        Ok((Arc::clone(&handle.watching), handle.session.clone()))
    }

    /// The pending approval of a conversation, with all of its text. With it, it counts as shown to a user from now on; it is
    /// `None` if it was too large to be kept, or could not be stored.
    pub async fn pending(
        &self,
        by: &Caller,
        id: &str,
    ) -> HubResult<Option<(ApprovalView, Option<String>)>> {
        let handle = self.actors.handle(id).await?;
        handle.first_loaded().await;
        let approval = handle.session.borrow().approval.clone();
        let Some(approval) = approval else {
            return Ok(None);
        };
        let Some(shown) = self.journal.shown(id, &approval.token).await? else {
            return Ok(Some((approval, None)));
        };
        for row in approval.rows.iter().filter(|row| !is_whole(row)) {
            self.whole_row(by, id, row.id).await?;
        }
        self.seen.handed_out(by.person, &approval.token);
        Ok(Some((approval, Some(shown.shown))))
    }

    /// Checks that what waits, if it has this token, can be read in full by [`Self::pending`].
    ///
    /// Errors: [`HubError::Invalid`] if it cannot.
    pub async fn check_readable(&self, id: &str, token: &str) -> HubResult {
        let handle = self.actors.handle(id).await?;
        let approval = handle.session.borrow().approval.clone();
        let waits = approval.is_some_and(|approval| approval.token == token);
        if waits && self.journal.shown(id, token).await?.is_none() {
            return invalid(
                "Nothing was sent: this cannot be read here in full. Reject it, or look at its page.",
            );
        }
        Ok(())
    }

    /// The JSON of an event, as stored.
    pub async fn raw(&self, id: &str, seq: i64) -> HubResult<String> {
        check_id(id)?;
        let raw = self.journal.raw(id, seq).await?;
        raw.ok_or(HubError::NotFound("event"))
    }

    /// A person looks at an open conversation.
    pub async fn attends(&self, by: &Caller, id: &str) {
        let Some(handle) = self.actors.open_handle(id).filter(|_| by.keeps_place()) else {
            return;
        };
        let seq = *handle.newest.borrow();
        self.catalogue.unread.attend(by, id, seq).await;
    }
}
