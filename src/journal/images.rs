//! Pictures of events, ready to be served.

use super::{Journal, JournalError};
use crate::render::Picture;

impl Journal {
    /// Picture `number` of an event. `None` when there is none, or it is not of a kind that is served.
    pub async fn picture(
        &self,
        conversation: &str,
        seq: i64,
        number: usize,
    ) -> Result<Option<Picture>, JournalError> {
        let images = self.images(conversation, seq).await?;
        Ok(images
            .get(number)
            .map(String::as_str)
            .and_then(Picture::decode))
    }
}
