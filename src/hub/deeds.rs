//! What people do, in the audit: noted before anything leaves for the backend, and once more with what
//! became of it. What cannot be noted is not done.

use super::{Hub, HubError};
use crate::people::{Audit, Caller, Deed};
use std::future::Future;

impl Hub {
    /// Notes that somebody is about to do this, does it, and notes what became of it.
    pub(super) async fn noted<T>(
        &self,
        by: &Caller,
        deed: Deed,
        work: impl Future<Output = Result<T, HubError>>,
    ) -> Result<T, HubError> {
        let audit = Audit::of(self.journal());
        let noted = audit.begin(by, deed).await?;
        let outcome = work.await;
        audit.end(noted, &outcome).await;
        outcome
    }
}
