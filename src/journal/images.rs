//! Images of events, ready to be served.

use super::{Journal, JournalError};
use crate::render::Picture;

impl Journal {
    /// Image `number` of an event. `None` if there is none, or if its type is not served.
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
