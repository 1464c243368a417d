//! What people read: pictures of a conversation, pages of it, what is found in it, and following it.

use super::room::Input;
use super::{Follower, Hub, HubError, check_id};
use crate::conversation::Kind;
use crate::live::{ConversationView, RowsView};
use crate::render::RowView;
use std::time::Duration;
use tokio::time::timeout;

/// Rows in the first picture: what fits on a large screen, twice.
const FIRST_ROWS: u32 = 60;
/// Rows that a search answers.
const FOUND: u32 = 50;
/// How long the very first picture of a conversation waits for its history.
const FIRST_LOOK: Duration = Duration::from_secs(3);

impl Hub {
    /// First picture of a conversation: the newest rows and everything beside them. Its `seq` is the
    /// cursor for [`Hub::follow`].
    pub async fn open(&self, id: &str) -> Result<ConversationView, HubError> {
        let room = self.room(id).await?;
        if *room.newest.borrow() == 0 {
            // If the backend does not answer in time the page is empty and fills itself.
            let _ = timeout(FIRST_LOOK, room.looked.clone().wait_for(|looked| *looked)).await;
        }
        let window = self
            .journal()
            .window(id, FIRST_ROWS)
            .await?
            .ok_or(HubError::NotFound("conversation"))?;
        let session = (**room.session.borrow()).clone();
        Ok(ConversationView {
            id: id.to_owned(),
            seq: window.known.seq,
            rows: self.render(id, window.page.rows).await?,
            older: window.page.older,
            session,
            backend: self.backend_view(&window.known.described.backend),
            repository: window.known.described.repository,
            branch: window.known.described.branch,
            sharing: self.sharing(id),
            role: None,
            here: Default::default(),
        })
    }

    /// Follows a conversation from the cursor `after` on: encoded [`crate::live::FromServer`] frames, the
    /// verdict first. At most [`super::MOST_FRAMES`] frames and [`super::MOST_BYTES`] bytes wait for a
    /// reader; one who is slower is told [`crate::live::Verdict::Gap`], and the stream ends.
    pub async fn follow(&self, id: &str, after: i64) -> Result<Follower, HubError> {
        self.room(id)
            .await?
            .ask(|reply| Input::Follow { after, reply })
            .await
    }

    /// Rows before the one that stands at (`pos`, `id`); of one family if `kind` is given.
    pub async fn rows(
        &self,
        id: &str,
        before: Option<(i64, i64)>,
        kind: Option<Kind>,
        limit: u32,
    ) -> Result<RowsView, HubError> {
        check_id(id)?;
        let page = self.journal().rows(id, before, kind, limit).await?;
        Ok(RowsView {
            rows: self.render(id, page.rows).await?,
            older: page.older,
        })
    }

    /// A row with all that it holds.
    pub async fn whole_row(&self, id: &str, row: i64) -> Result<RowView, HubError> {
        check_id(id)?;
        let rows = self.journal().rows_by_id(id, vec![row]).await?;
        self.render_whole(id, rows)
            .await?
            .pop()
            .ok_or(HubError::NotFound("row"))
    }

    /// Rows that hold the words of `text`, newest first.
    pub async fn search(&self, id: &str, text: &str) -> Result<RowsView, HubError> {
        check_id(id)?;
        let rows = self.journal().search(id, text, FOUND).await?;
        Ok(RowsView {
            rows: self.render(id, rows).await?,
            older: false,
        })
    }

    /// A picture of an event: its media type and its bytes.
    pub async fn image(
        &self,
        id: &str,
        seq: i64,
        number: usize,
    ) -> Result<Option<(&'static str, Vec<u8>)>, HubError> {
        check_id(id)?;
        let picture = self.journal().picture(id, seq, number).await?;
        Ok(picture.map(|picture| (picture.media_type, picture.bytes)))
    }

    /// The JSON of an event, as it arrived.
    pub async fn raw(&self, id: &str, seq: i64) -> Result<String, HubError> {
        check_id(id)?;
        self.journal()
            .raw(id, seq)
            .await?
            .ok_or(HubError::NotFound("event"))
    }
}
