//! A person's comments on lines of changes: kept as drafts, and sent as one message.

use super::review_message::message;
use super::{Commands, HubResult, invalid};
use crate::backend::for_reader;
use crate::journal::{Comment, OutgoingState};
use crate::live::{CommentState, CommentView, LONGEST_COMMENT};
use crate::people::Caller;
use crate::render::{DiffSide, DiffSpot};

/// Longest quoted line, in characters.
const LONGEST_QUOTE: usize = 300;
/// Longest path and hash, in bytes.
const LONGEST_NAME: usize = 1_024;

impl Commands {
    /// The comments of a caller in a conversation, oldest first.
    pub async fn comments(&self, by: &Caller, id: &str) -> HubResult<Vec<CommentView>> {
        let comments = self.journal.comments(id, by.person).await?;
        Ok(comments.into_iter().map(shown).collect())
    }

    /// Keeps a draft: a new comment on a line.
    ///
    /// Errors: [`super::HubError::Invalid`] for an empty or too long comment, and for one that is too many.
    pub async fn add_comment(
        &self,
        by: &Caller,
        id: &str,
        spot: DiffSpot,
        quote: &str,
        text: &str,
    ) -> HubResult {
        let text = checked(text)?;
        if spot.file.is_empty() || spot.file.len().max(spot.commit.len()) > LONGEST_NAME {
            return invalid("This line cannot be commented on. Reload the page.");
        }
        let quote = match quote {
            "" => self.line(id, &spot).await?,
            quote => quote.to_owned(),
        };
        let quote: String = quote.chars().take(LONGEST_QUOTE).collect();
        let comment = (spot, quote, text.to_owned());
        match self.journal.add_comment(id, by.person, comment).await? {
            true => Ok(()),
            false => invalid(
                "There are too many comments in this conversation. Send or delete some, or mark sent ones as resolved.",
            ),
        }
    }

    /// The text of a line, as the workspace has it.
    ///
    /// Errors: [`super::HubError::Invalid`] if there is no such line.
    async fn line(&self, id: &str, spot: &DiffSpot) -> HubResult<String> {
        let commit = Some(spot.commit.as_str()).filter(|hash| !hash.is_empty());
        let backend = self.catalogue.backend_of(id).await?;
        let texts = for_reader(backend.change(id, commit, &spot.file)).await?;
        let text = match spot.side {
            DiffSide::Old => texts.original,
            DiffSide::New => texts.modified,
        };
        let at = usize::try_from(spot.number).unwrap_or(usize::MAX);
        match at.checked_sub(1).and_then(|at| text.lines().nth(at)) {
            Some(line) => Ok(line.to_owned()),
            None => invalid("This file has no such line."),
        }
    }

    /// Changes the text of a draft, or deletes it.
    ///
    /// Errors: [`super::HubError::Invalid`] for a comment that is too long, and for one that is no draft any more.
    pub async fn edit_comment(
        &self,
        by: &Caller,
        id: &str,
        number: i64,
        text: Option<&str>,
    ) -> HubResult {
        let text = text.map(checked).transpose()?.unwrap_or_default();
        let edited = self.journal.edit_comment(id, by.person, number, text);
        match edited.await? {
            true => Ok(()),
            false => invalid("This comment is too long, or was sent or deleted. Reload the page."),
        }
    }

    /// Marks a comment that was sent as resolved, or no longer.
    ///
    /// Errors: [`super::HubError::Invalid`] for one that was not sent.
    pub async fn resolve_comment(
        &self,
        by: &Caller,
        id: &str,
        number: i64,
        resolved: bool,
    ) -> HubResult {
        let resolving = self
            .journal
            .resolve_comment(id, by.person, number, resolved);
        match resolving.await? {
            true => Ok(()),
            false => invalid("This comment was not sent. Reload the page."),
        }
    }

    /// Sends all drafts of a caller as one message. They stay drafts if the outbox does not take it.
    ///
    /// Errors: [`super::HubError::Invalid`] without a draft, and those of [`Self::say_alone`].
    pub async fn send_comments(&self, by: &Caller, id: &str) -> HubResult {
        let handle = self.actors.handle(id).await?;
        let _one_at_a_time = handle.changing.lock().await;
        let client_id = format!("review-{:032x}", rand::random::<u128>());
        let drafts = self.journal.put_comments_into(id, by.person, &client_id);
        let drafts = drafts.await?;
        if drafts.is_empty() {
            return invalid("There are no comments to send.");
        }
        let text = message(&drafts);
        self.say_alone(by, id, &client_id, &text, Vec::new(), Vec::new())
            .await
    }
}

fn checked(text: &str) -> HubResult<&str> {
    match text.trim() {
        "" => invalid("Write a comment first."),
        text if text.chars().count() > LONGEST_COMMENT => {
            invalid("This comment is too long. Write it as a message.")
        }
        text => Ok(text),
    }
}

fn shown(comment: Comment) -> CommentView {
    let state = match comment.sent {
        None => CommentState::Draft,
        Some(_) if comment.resolved => CommentState::Resolved,
        Some(OutgoingState::Sent | OutgoingState::Unread | OutgoingState::Done) => {
            CommentState::Sent
        }
        Some(_) => CommentState::Leaving,
    };
    CommentView {
        number: comment.number,
        spot: comment.spot,
        quote: comment.quote,
        text: comment.text,
        state,
    }
}
