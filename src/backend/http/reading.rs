//! Reading responses, with size limits.

use super::call::Call;
use super::refusal::not_json;
use super::rest::{Rest, failure};
use crate::backend::{Answer, BackendError};
use bytes::{Bytes, BytesMut};
use reqwest::Response;
use serde_json::Value;
use tokio::sync::SemaphorePermit;

/// Only a few responses above this size (in bytes) are read at a time, since parsing takes a multiple of their size.
const LARGE: usize = 1 << 20;

impl Rest {
    /// Sends a request and returns the response body.
    pub(in crate::backend) async fn bytes(&self, call: Call) -> Answer<Bytes> {
        Ok(self.body(call).await?.0)
    }

    /// Sends a request and parses the response as JSON.
    pub(in crate::backend) async fn json(&self, call: Call) -> Answer<Value> {
        let (body, _permit) = self.body(call).await?;
        crate::wire::read_json(&body).ok_or_else(|| not_json(&body))
    }

    async fn body(&self, call: Call) -> Answer<(Bytes, Option<SemaphorePermit<'_>>)> {
        let (seconds, most) = (call.timeout_class.seconds(), call.most);
        self.read(self.open(call).await?, seconds, most).await
    }

    /// Sends a request and returns the end of the response body, however long the body is.
    pub(in crate::backend) async fn end_of(&self, call: Call) -> Answer<Bytes> {
        let (seconds, most) = (call.timeout_class.seconds(), call.most);
        let mut response = self.open(call).await?;
        let mut end = BytesMut::new();
        while let Some(chunk) = chunk(&mut response, seconds).await? {
            end.extend_from_slice(&chunk);
            if end.len() > 2 * most {
                let from = end.len() - most;
                end = BytesMut::from(&end[from..]);
            }
        }
        Ok(end.freeze())
    }

    /// Reads a body of up to `most` bytes. A large one holds a permit while it is read and until the permit is dropped.
    pub(super) async fn read(
        &self,
        mut response: Response,
        seconds: u64,
        most: usize,
    ) -> Answer<(Bytes, Option<SemaphorePermit<'_>>)> {
        let (mut body, mut permit) = (BytesMut::new(), None);
        while let Some(chunk) = chunk(&mut response, seconds).await? {
            let length = body.len() + chunk.len();
            if length > most {
                let why = format!("more than {} MiB at once", most >> 20);
                return Err(BackendError::unexpected(why));
            }
            if length > LARGE && permit.is_none() {
                permit = self.large.acquire().await.ok();
            }
            body.extend_from_slice(&chunk);
        }
        Ok((body.freeze(), permit))
    }
}

async fn chunk(response: &mut Response, seconds: u64) -> Answer<Option<Bytes>> {
    let chunk = response.chunk().await;
    chunk.map_err(|error| failure(&error, seconds))
}
